import type { MovedRun, RunStatus } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared } from '../../db/prepared.ts';
import type { Hooks } from '../../hooks/hooks.ts';
import { hookTasks, tapTask } from '../../hooks/queue-tasks.ts';
import type { Queue } from '../../queue/queue.ts';
import { isTerminal } from '../states.ts';
import { type Follower, publicRun } from '../status.ts';

/** Plugins' taps on changes of status and on ends, each a task of its own. A run that nobody saw yet ends unheard. */
export const queueTaps = ({ hooks, queue }: { hooks: Hooks; queue: Pick<Queue, 'addTasks'> }): Follower => ({
  // a tap that wakes up meanwhile is queued by a statement of its own
  writes: ({ kind }, to) => isTerminal(to) || hooks.hears({ kind, to }),
  async follow(trx, moved, to) {
    const seen = moved.filter((run) => run.from_status !== 'new' || !isTerminal(to) || to === 'failed');
    const changes = await heard(
      trx,
      hooks,
      seen.flatMap((run) => changesOf(hooks, run, to)),
    );
    await queue.addTasks(trx, [
      ...changes.map(({ tap, payload }) => ({ name: tapTask(tap), payload })),
      ...(isTerminal(to) ? moved.flatMap((run) => hookTasks(hooks, 'afterFinish', { run: publicRun(run) })) : []),
    ]);
  },
});

/** A change that a tap wants to be told of. */
interface Change {
  tap: string;
  organization: number | null;
  payload: object;
}

function changesOf(hooks: Hooks, run: MovedRun, to: RunStatus): Change[] {
  const payload = {
    run_id: run.id,
    kind: run.kind,
    template_id: run.template_id,
    seq: run.status_seq,
    from: run.from_status,
    to,
    at: run.modified,
  };
  return hooks.tapsOf('onStatusChange', payload).map((tap) => ({ tap, organization: run.organization_id, payload }));
}

const listening = {
  name: 'organizations that listen',
  text: 'select organization from organizations_listening($1, $2) organization',
};

/** Without those of organizations in which nobody listens: a task costs many times what it takes to ask. */
async function heard(trx: Knex, hooks: Hooks, changes: readonly Change[]): Promise<Change[]> {
  const told: Change[] = [];
  for (const [table, those] of Map.groupBy(changes, ({ tap }) => hooks.listenersOf(tap))) {
    if (table === null) {
      told.push(...those);
      continue;
    }
    const asked = [...new Set(those.flatMap(({ organization }) => organization ?? []))];
    // they share a connection
    // oxlint-disable-next-line no-await-in-loop
    const rows = asked.length ? await runPrepared<{ organization: number }>(trx, listening, [table, asked]) : [];
    const listen = new Set<number | null>(rows.map(({ organization }) => organization));
    told.push(...those.filter(({ organization }) => listen.has(organization)));
  }
  return told;
}
