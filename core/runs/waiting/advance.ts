import type { Knex } from 'knex';
import { z } from 'zod';
import { runPrepared } from '../../db/prepared.ts';
import type { Queue } from '../../queue/queue.ts';
import type { TaskRequest } from '../../queue/tasks.ts';
import type { RunKinds } from '../kinds.ts';
import { oneLook } from './one-look.ts';

const TASK = 'core:advance-run';
const LOOK = 'core:advance-runs';

/** Has a run look at what came of those that it launched, once the transaction has committed. */
export const followTask = (run: number): TaskRequest => ({ name: TASK, payload: { run }, key: `follow:${run}` });

/** Has a run that only waits for others look at where it stands, once the transaction has committed. */
export const advanceTask = (run: number): TaskRequest => ({
  name: TASK,
  payload: { run, whole: true },
  key: `advance:${run}`,
});

/** The same, so many seconds later; asked for again it takes the place of the one before. */
export const advanceLater = (run: number, seconds: number): TaskRequest => ({
  name: TASK,
  payload: { run, whole: true },
  key: `advance-later:${run}`,
  after_s: seconds,
});

const kindStatement = { name: 'kind of a run', text: 'select kind from runs where id = $1' };

interface AdvanceDeps {
  db: Knex;
  kinds: RunKinds;
  queue: Pick<Queue, 'define' | 'cron' | 'addTasks'>;
}

/**
 * The task that brings runs forward which wait for others. It is asked for in the transaction of whatever they wait for;
 * should one be lost all the same (a backup was restored, a launch was given up), the clock asks each minute for all that may have something to go on with.
 */
export function defineAdvance({ db, kinds, queue }: AdvanceDeps): void {
  const advance = oneLook(async (run, look) => {
    const [row] = await runPrepared<{ kind: string }>(db, kindStatement, [run]);
    await kinds.find(row?.kind)?.advance?.(run, look);
  });
  queue.define(TASK, {
    schema: z.object({ run: z.int().positive(), whole: z.literal(true).optional() }),
    maxAttempts: 10,
    // they wait for the locks of the same runs and templates, and would hold the connections of all others
    lane: 'advance',
    atOnce: 2,
    run: ({ run, whole = false }) => advance(run, { whole }),
  });
  queue.define(LOOK, { schema: z.object({}), run: () => advanceAll({ db, kinds, queue }) });
  queue.cron({ task: LOOK, match: '* * * * *', identifier: LOOK });
}

/** Every run that may have something to go on with. */
async function advanceAll({ db, kinds, queue }: AdvanceDeps): Promise<void> {
  for (const { kind, advance, mayAdvance } of kinds.all()) {
    if (!advance) continue;
    const runs = db('runs as t').where('t.kind', kind).whereIn('t.status', ['pending', 'running']).orderBy('t.id');
    mayAdvance?.(runs);
    // one kind after the other: there are few of them
    // oxlint-disable-next-line no-await-in-loop
    await queue.addTasks(db, (await runs.pluck('t.id')).map(advanceTask));
  }
}
