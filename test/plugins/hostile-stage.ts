import { everybody } from '@tapline/plugin-sdk';
import { hookTasks } from '../../core/hooks/queue-tasks.ts';
import { deleteTasksOf } from '../../core/queue/parked.ts';
import { type Stage, startStage } from '../launch/fixture.ts';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';
import { connect } from '../websocket/stage.ts';
import { hostilePlugin, type Mode, type Phase } from './hostile-plugin.ts';

/** A plugin that does its work, and notes it. */
const goodPlugin = (told: string[]) =>
  testPlugin('good', (api) => {
    api.hooks.beforeStart({ name: 'looks', failMode: 'deny' }, ({ run }) => void told.push(`beforeStart ${run['id']}`));
    api.hooks.onStatusChange({ name: 'notes' }, ({ run_id: run }) => void told.push(`onStatusChange ${run}`));
    api.hooks.afterFinish({ name: 'ends' }, ({ run }) => void told.push(`afterFinish ${run['id']}`));
    api.hooks.onFactsUpdated({ name: 'learns' }, ({ run_id: run }) => void told.push(`onFactsUpdated ${run}`));
    api.route({
      path: '/api/v2/good/',
      access: { GET: everybody },
      handler: async () => ({ status: 200, body: { count: await api.insights.read('hostile.count', 0) } }),
    });
  });

export interface HostileStage extends Stage {
  mode: Mode;
  /** what the good plugin was told */
  told: string[];
  templateId: number;
  /** does what leads into the phase, and tells what came of it */
  outcome(phase: Phase): Promise<string>;
  /** ends what hangs: a health check that does is not asked again */
  letGo(): void;
  /** takes away what a case left in the queue */
  tidy(): Promise<void>;
}

/** One service with a good and a hostile plugin; its runs stay pending, since its node takes none. */
export async function openHostileStage(): Promise<HostileStage> {
  const mode: Mode = { phase: null, behaviour: null };
  const told: string[] = [];
  const hostile = hostilePlugin(mode);
  const stage = await startStage({ LOGIN_ATTEMPTS_PER_MINUTE: '0' }, [hostile.plugin, goodPlugin(told)]);
  const { db, queue, hooks, statuses } = stage.services;
  await db('instances').update({ enabled: false });
  const templateId = await stage.template();
  const token = (await stage.post('tokens/', { scope: 'write' })).body.token;
  let teams = 0;

  const launch = async () => {
    const { status, body } = await stage.post(`job_templates/${templateId}/launch/`);
    const text = status === 201 ? body.job_explanation : body.detail;
    return [status, text].filter(Boolean).join(' ').slice(0, 120);
  };
  const queued = async (hook: 'onStatusChange' | 'afterFinish' | 'onFactsUpdated') => {
    const [run] = await db('runs').insert({ kind: 'job', name: 'x' }).returning('id');
    await db.transaction((trx) => statuses.setStatus(trx, run, 'failed'));
    const hosts = [{ host_id: 1, old_hash: null, new_hash: 'h' }];
    if (hook === 'onFactsUpdated') await queue.addTasks(db, hookTasks(hooks, hook, { run_id: run.id, hosts }));
    await until(() => told.includes(`${hook} ${run.id}`), 20_000, `the good plugin is told of ${hook}`);
    return until(async () => {
      await stage.services.hookTraces.flush();
      const trace = await db('hook_traces').where({ run_id: run.id, hook, plugin: 'hostile' }).first('result', 'error');
      return trace && [`tap ${trace.result}`, trace.error].filter(Boolean).join(': ');
    });
  };
  const task = async (name: string, payload: object) => {
    await db.raw(`select tapline_jobs.add_job(?, ?::json)`, [name, JSON.stringify(payload)]);
    return until(async () => {
      const job = await db('tapline_jobs.jobs').where({ task_identifier: name }).first('attempts', 'last_error');
      if (!job) return 'done';
      return job.last_error && `failed, is tried again: ${job.last_error.split('\n')[0]}`;
    });
  };
  const reply = async (answer: Promise<{ status: number; body: any }>) => {
    const { status, body } = await answer;
    return [status, body?.detail].filter(Boolean).join(' ');
  };
  const join = async () => {
    const client = await connect({ port: Number(new URL(stage.url).port) } as never, {
      authorization: `Bearer ${token}`,
    });
    const answer: any = await client.subscribe({ hostile: [1] });
    client.socket.close();
    return answer.groups_current.length ? 'joined' : 'refused';
  };
  const newTeam = async () => {
    const name = `team ${(teams += 1)}`;
    const said = await reply(stage.post('teams/', { name, organization }));
    // away again, so that the counts of its organization stay what they were
    const there = await db('teams').where({ name }).delete();
    return `${said}, ${there ? 'written' : 'nothing written'}`;
  };
  const { id: organization } = (await stage.get('organizations/')).body.results[0];
  const { body: team } = await stage.post('teams/', { name: 'There', organization });

  const acts: Record<Phase, () => Promise<string>> = {
    route: async () => {
      // only what hangs is given up: everything else is waited for, on a slow machine too
      const signal = AbortSignal.timeout(mode.behaviour === 'hang' ? 2000 : 120_000);
      try {
        const answer = await fetch(`${stage.url}/api/v2/hostile/act/`, { signal });
        return `${answer.status}, ${(await answer.arrayBuffer()).byteLength} bytes`;
      } catch {
        return 'the client gives up';
      }
    },
    'resource hook': () => reply(stage.post('hostile_things/', { name: 'thing' })),
    serializer: () => reply(stage.get('hostile_things/')),
    extension: async () => {
      const { status, body } = await stage.get('organizations/');
      return `${status}, ${body.count ?? 'no'} organizations`;
    },
    'beforeStart allow': launch,
    'beforeStart deny': launch,
    onStatusChange: () => queued('onStatusChange'),
    afterFinish: () => queued('afterFinish'),
    onFactsUpdated: () => queued('onFactsUpdated'),
    task: () => task('hostile:work', {}),
    cron: () => task('hostile:tick', { _cron: { ts: '2026-01-01T00:00:00.000Z', backfilled: false } }),
    health: async () => {
      const { body } = await stage.get('plugins/hostile/');
      return `${body.health.status} ${body.health.detail ?? ''}`.trim().slice(0, 120);
    },
    insight: async () => `reads as ${(await stage.get('good/')).body.count}`,
    join: join,
    guard: newTeam,
    'restrict row': () => reply(stage.get(`teams/${team.id}/`)),
    'restrict query': () => reply(stage.get('teams/')),
  };
  return {
    ...stage,
    mode,
    told,
    templateId,
    outcome: (phase) => acts[phase](),
    letGo: hostile.letGo,
    async tidy() {
      await hostile.flooded();
      await until(async () => {
        await deleteTasksOf(db, 'hostile');
        return (await db('tapline_jobs.jobs').where('task_identifier', 'like', 'hostile:%').first('id')) === undefined;
      });
      await stage.services.taskOutcomes.flush();
      await db('failing_tasks').delete();
    },
  };
}
