import type { CoreRunRow, MovedRun, RunRow, RunStatus } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type Part, runPrepared, together } from '../db/prepared.ts';
import { safeJson } from '../db/safe-text.ts';
import { isTerminal, maySql } from './states.ts';

export interface Move {
  id: number;
  /** Columns that change with the status: explanation, handle, counts … */
  fields?: Record<string, unknown>;
}

/** What core itself does when runs move, in the transaction of the change. */
export interface Follower {
  /** @param moved rows as they are now */
  follow(trx: Knex, moved: readonly MovedRun[], to: RunStatus): Promise<void>;
  /** Whether it has anything to write when such a run moves: where nobody has, the statement that moves it needs no transaction. */
  writes(run: MovingRun, to: RunStatus): boolean;
}

/** Columns of a run that may not be stored yet. */
export type MovingRun = Readonly<Record<string, unknown>> & { kind: string };

/**
 * What follows within the very statement that moves the runs: named queries over `moved`, their rows as they are now
 * (MovedRun). Each would be a trip to the database else, and a launch makes five of them: as statements of their own
 * they took a third off the launches that are accepted per second (`npm run bench -- start`).
 */
export type Along = (to: RunStatus) => Part | undefined;

export interface Following {
  along: readonly Along[];
  /** after the statement, in this order */
  followers: readonly Follower[];
}

/**
 * The only writer of `runs.status`, but for the first. Everything that follows from a change happens in the same
 * transaction, within the statement or after it (followers.ts).
 *
 * Locks are always taken in the order run, keys (locks.ts), template, so two changes never wait for each other in a circle.
 */
export function createStatuses({ along, followers }: Following) {
  const following = (to: RunStatus): Part[] => along.flatMap((part) => part(to) ?? []);
  const follow = async (trx: Knex, rows: readonly MovedRun[], to: RunStatus) => {
    // one after the other: they share a connection, and the order counts
    // oxlint-disable-next-line no-await-in-loop
    if (rows.length) for (const follower of followers) await follower.follow(trx, rows, to);
  };
  const run = async (trx: Knex, to: RunStatus, parts: readonly Part[]): Promise<MovedRun[]> => {
    const rows = await runPrepared<MovedRun>(trx, ...together([...parts, ...following(to)], 'moved.*', 'moved'));
    await follow(trx, rows, to);
    return rows;
  };
  return {
    /**
     * For runs that come into being as `pending`, because nobody decides about them: `stored` begins with what inserts
     * them as `moved`, with the status that they come from. What follows from a move follows from this too.
     */
    insertPending: (trx: Knex, stored: readonly Part[]): Promise<MovedRun[]> => run(trx, 'pending', stored),
    /** Whether more follows than goes with the statement. */
    writesAfter: (moving: MovingRun, to: RunStatus): boolean => followers.some(({ writes }) => writes(moving, to)),
    /**
     * Resolves to the changed row, or null when the run was not in a status that allows the move.
     * @param more what else is to happen within the statement
     */
    async setStatus(
      trx: Knex,
      { id }: { id: number },
      to: RunStatus,
      fields: Record<string, unknown> = {},
      more: readonly Part[] = [],
    ): Promise<MovedRun | null> {
      return (await run(trx, to, [moveRuns(to, [{ id, fields }], false), ...more]))[0] ?? null;
    },
    /** Many runs to one status in a fixed number of statements; the ones that may not move, or are in other hands, are left out. */
    setStatuses: async (trx: Knex, to: RunStatus, moves: readonly Move[]): Promise<MovedRun[]> =>
      moves.length ? run(trx, to, [moveRuns(to, moves, true)]) : [],
  };
}

export type Statuses = ReturnType<typeof createStatuses>;

/** Columns that every move to a status sets. */
const setBy: Partial<Record<RunStatus, readonly string[]>> = {
  pending: [
    'instance_id = null',
    "execution_node = ''",
    "controller_node = ''",
    'instance_group_id = null',
    'handle = null',
  ],
  waiting: ["pending_reasons = '[]'"],
  running: ['started = now()', "pending_reasons = '[]'"],
};
// the secrets of a handle were for masking what the run says
const setByEnd = ['finished = now()', "pending_reasons = '[]'", 'blocked_on = null', "handle = runs.handle - 'mask'"];
const setByCancel = [...setByEnd, 'canceled_on = coalesce(runs.canceled_on, now())'];

const settingOf = (to: RunStatus): readonly string[] =>
  to === 'canceled' ? setByCancel : isTerminal(to) ? setByEnd : (setBy[to] ?? []);

function moveRuns(to: RunStatus, moves: readonly Move[], skipLocked: boolean): Part {
  const columns = [...new Set(moves.flatMap(({ fields = {} }) => Object.keys(fields)))].toSorted();
  const set = [
    ...settingOf(to),
    ...columns.map((column) => `"${column}" = coalesce(given."${column}", runs."${column}")`),
  ];
  // what was given at launch is kept until the run has it, or needs it no more: a task may be done anew by another process
  const forget = isTerminal(to) ? 'true' : to === 'running' ? `moved.needs <> 'task'` : undefined;
  return {
    values: [safeJson(moves.map(({ id, fields = {} }) => ({ id, fields })))],
    sql: (first) => `
    input as (
      select * from jsonb_to_recordset($${first}::jsonb) as i(id bigint, fields jsonb)
    ), old as (
      select runs.id, runs.status, runs.blocked_on from runs join input using (id)
      where ${maySql('runs', to)} order by runs.id for no key update of runs ${skipLocked ? 'skip locked' : ''}
    ), moved as (
      update runs set status = '${to}', status_seq = runs.status_seq + 1, modified = now()${set.map((item) => `, ${item}`).join('')}
      from input cross join lateral jsonb_populate_record(null::runs, input.fields) given, old
      where runs.id = input.id and runs.id = old.id
      returning runs.*, old.status as from_status, old.blocked_on as was_blocked_on
    )${forget ? `, forgotten as (delete from run_secrets using moved where run_id = moved.id and ${forget})` : ''}`,
  };
}

const internal = new Set([
  'handle',
  'prompts',
  'event_offset',
  'stdout_offset',
  'blocked_on',
  'from_status',
  'was_blocked_on',
  'job_env',
  'job_args',
  'survey_passwords',
  'decision_record',
  'needs',
  'holds',
  'waits_for',
  'updates_first',
]);

/** The snapshot that hooks are given: the row without what only the core may see. */
export const publicRun = (row: RunRow): CoreRunRow =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !internal.has(key))) as unknown as CoreRunRow;
