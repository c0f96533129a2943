import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { catchFaults } from '../../core/app/faults.ts';
import { silentLog } from '../support/log.ts';
import { removeMigrationFolders } from '../support/plugin-migrations.ts';
import { until } from '../support/until.ts';
import { expected } from './hostile-expected.ts';
import { type Behaviour, behaviours, type Phase, phases } from './hostile-plugin.ts';
import { type HostileStage, openHostileStage } from './hostile-stage.ts';

const events = ['unhandledRejection', 'uncaughtException'] as const;

/** The test runner takes what nobody caught for a failed test; here the service's own handlers are what is tried. */
function handleFaultsAsTheService(stage: HostileStage, ended: () => void): () => void {
  const runners = events.map((event) => [event, process.listeners(event as never)] as const);
  for (const event of events) process.removeAllListeners(event);
  const off = catchFaults({
    log: silentLog,
    count: ({ plugin, what }) => stage.services.metrics.pluginFaults.inc({ plugin, section: what }),
    end: ended,
  });
  return () => {
    off();
    for (const [event, listeners] of runners) for (const one of listeners) process.on(event as never, one as never);
  };
}

describe('hostile plugins', function () {
  let stage: HostileStage;
  let restore: () => void;
  let ended = 0;
  let baseline: unknown;
  const told = new Map<Phase, Map<Behaviour, string>>();

  const ready = async () => (await stage.get('/readyz', { auth: null })).status === 200;
  /** What everybody else sees: an object of core, a launch, the good plugin. */
  const others = async () => {
    await until(ready);
    const organization = (await stage.get('organizations/1/')).body;
    const launch = await stage.post(`job_templates/${stage.templateId}/launch/`);
    await until(() => stage.told.includes(`onStatusChange ${launch.body.id}`), 30_000, 'the good plugin is told');
    const { job_explanation: explanation, status: job, limit, job_type } = launch.body;
    return { organization, launched: [launch.status, explanation, job, limit, job_type] };
  };
  /** What comes of it once the database answers: after the loop stood still, or on a busy machine, it may seem to be away. */
  const outcomeOf = (phase: Phase) =>
    until(async () => {
      await until(ready);
      const outcome = await stage.outcome(phase);
      return outcome.startsWith('503 The database cannot be reached') ? undefined : outcome;
    });
  const metric = async (name: string) =>
    (await stage.get('/metrics', { auth: null })).body
      .split('\n')
      .filter((line: string) => line.startsWith(name) && line.includes('plugin="hostile"'))
      .join('\n');

  before(async () => {
    stage = await openHostileStage();
    restore = handleFaultsAsTheService(stage, () => (ended += 1));
    baseline = await others();
  });
  after(async () => {
    restore?.();
    await stage?.stop();
    removeMigrationFolders();
    if (process.env.HOSTILE_TABLE) writeFileSync(process.env.HOSTILE_TABLE, markdown(told));
  });

  for (const phase of phases) {
    describe(phase, () => {
      for (const behaviour of behaviours) {
        it(`${behaviour}: nobody else is touched, and core does as declared`, async () => {
          Object.assign(stage.mode, { phase, behaviour });
          const outcome = await outcomeOf(phase).finally(() => {
            Object.assign(stage.mode, { phase: null, behaviour: null });
          });
          if (!told.has(phase)) told.set(phase, new Map());
          told.get(phase)!.set(behaviour, outcome);
          expect(outcome).to.match(expected[phase][behaviour]);
          expect(await others()).to.deep.equal(baseline);
          await stage.tidy();
        });
      }

      it('is told by name for what it left behind', async () => {
        const faults = await metric('tapline_plugin_faults_total');
        expect(faults).to.include(sections[phase]);
        expect(ended).to.equal(0);
      });

      it('is named for having blocked everybody', async () => {
        // where the machine was too busy to look, it is tried again
        await until(async () => {
          if ((await metric('tapline_event_loop_blocked_seconds_count')).includes(sections[phase])) return true;
          stage.letGo();
          Object.assign(stage.mode, { phase, behaviour: 'block' });
          await stage.outcome(phase).finally(() => Object.assign(stage.mode, { phase: null, behaviour: null }));
          return false;
        }, 90_000);
        await stage.tidy();
      });
    });
  }
});

/** How each phase is called in logs and metrics. */
const sections: Record<Phase, string> = {
  route: 'route /api/v2/hostile/act/ handler',
  'resource hook': 'hostile_thing validate',
  serializer: 'hostile_thing present',
  extension: 'extension of organization summaries',
  'beforeStart allow': 'beforeStart tap allows',
  'beforeStart deny': 'beforeStart tap denies',
  onStatusChange: 'onStatusChange tap changes',
  afterFinish: 'afterFinish tap finishes',
  onFactsUpdated: 'onFactsUpdated tap facts',
  task: 'task work',
  cron: 'task tick',
  health: 'health',
  insight: 'insight hostile.count read',
  join: 'group hostile join',
  guard: 'guard team.create',
  'restrict row': 'restriction of team row',
  'restrict query': 'restriction of team query',
};

function markdown(table: Map<Phase, Map<Behaviour, string>>): string {
  const clean = (text: string) =>
    text
      .replaceAll(/[|\n]/g, ' ')
      .replaceAll('\0', '')
      .replaceAll(/x{20,}/g, 'xxx…')
      .slice(0, 90);
  const lines = [...table].map(([phase, row]) =>
    [phase, ...behaviours.map((behaviour) => clean(row.get(behaviour) ?? ''))].join(' | '),
  );
  return [`| phase | ${behaviours.join(' | ')} |`, `|${' --- |'.repeat(behaviours.length + 1)}`]
    .concat(lines.map((line) => `| ${line} |`))
    .join('\n');
}
