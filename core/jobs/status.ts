import type { Knex } from 'knex';
import type { Bus, BusMessages } from './bus.ts';
import { type Part, runPrepared, together } from '../engine/prepared.ts';
import type { Queue } from './queue.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { hookTasks } from '../hooks/queue-tasks.ts';
import { isTerminal, sourcesOf, type RunStatus } from './states.ts';
import { releaseWaiters } from './release.ts';
import { followActive, followFinished } from './template-status.ts';

export interface StatusDeps {
  bus: Bus;
  hooks: Hooks;
  queue: Pick<Queue, 'addTasks'>;
}

export interface Move {
  id: number;
  /** Columns that change with the status: explanation, handle, counts … */
  fields?: Record<string, unknown>;
}

export type MovedRun = Record<string, any> & {
  id: number;
  kind: string;
  template_id: number | null;
  status: RunStatus;
  from_status: RunStatus;
};

/**
 * The only writer of `runs.status`, but for the first. Everything that follows from a change happens in the same
 * transaction: the template's own status, who waited for it, messages, hook tasks.
 *
 * Locks are always taken in the order run, template, waiting runs (and those only where free), so two
 * changes never wait for each other in a circle.
 */
export function createStatuses(deps: StatusDeps) {
  return {
    /** Resolves to the changed row, or null when the run was not in a status that allows the move. */
    async setStatus(
      trx: Knex,
      run: { id: number },
      to: RunStatus,
      fields: Record<string, unknown> = {},
    ): Promise<MovedRun | null> {
      const [row] = await moveAll(trx, deps, to, [{ id: run.id, fields }]);
      return row ?? null;
    },
    /** For the statement that inserts a run as `pending`: its template shows it, and who listens is told. */
    opening: () => opening(deps),
    /** The rest of what follows from that. */
    async opened(trx: Knex, run: Record<string, any>): Promise<void> {
      await enqueueHooks(trx, deps, 'pending', [{ ...run, from_status: 'new' } as MovedRun]);
    },
    /**
     * Many runs to one status in a fixed number of statements; the ones that may not move, or are in other hands, are left out.
     * @param reading what the rows tell besides: SQL over `run`, with a leading comma
     */
    setStatuses: (trx: Knex, to: RunStatus, moves: readonly Move[], reading = '') =>
      moveAll(trx, deps, to, moves, { locked: 'skip locked', reading }),
  };
}

export type Statuses = ReturnType<typeof createStatuses>;

interface How {
  locked?: 'skip locked';
  reading?: string;
}

async function moveAll(
  trx: Knex,
  deps: StatusDeps,
  to: RunStatus,
  moves: readonly Move[],
  how: How = {},
): Promise<MovedRun[]> {
  if (!moves.length) return [];
  const rows = await updateRuns(trx, deps, to, moves, how);
  if (!rows.length) return [];
  if (isTerminal(to)) await followFinished(trx, rows);
  const released = isTerminal(to) ? await releaseWaiters(trx, rows) : 0;
  // a finished run frees capacity even where nobody waited for it by name
  if (isTerminal(to) && (released || rows.some((row) => row['instance_id'] !== null)))
    await deps.bus.notify(trx, 'dispatch', {});
  await enqueueHooks(trx, deps, to, rows);
  return rows;
}

/** What was given at launch is kept until the run has it, or needs it no more. */
async function updateRuns(
  trx: Knex,
  { bus }: StatusDeps,
  to: RunStatus,
  moves: readonly Move[],
  { locked, reading = '' }: How,
): Promise<MovedRun[]> {
  const columns = [...new Set(moves.flatMap(({ fields = {} }) => Object.keys(fields)))];
  const set = columns.map((column) => `"${column}" = coalesce(given."${column}", runs."${column}")`);
  const times = [
    ...(to === 'running' ? ['started = now()'] : []),
    ...(isTerminal(to) ? ['finished = now()', "pending_reasons = '[]'", 'blocked_on = null'] : []),
    ...(to === 'waiting' ? ["pending_reasons = '[]'"] : []),
    ...(to === 'canceled' ? ['canceled_on = coalesce(runs.canceled_on, now())'] : []),
    ...(to === 'pending' ? ['instance_id = null', "execution_node = ''", "controller_node = ''", 'handle = null'] : []),
  ];
  // spelled out, or Postgres would plan it anew each time
  const sources = sourcesOf(to).map((from) => `'${from}'`);
  const move: Part = {
    values: [JSON.stringify(moves.map(({ id, fields = {} }) => ({ id, fields })))],
    sql: (first) => `
      input as (select * from jsonb_to_recordset($${first}::jsonb) as i(id bigint, fields jsonb)),
      old as (select runs.id, runs.status, runs.blocked_on from runs join input using (id) where runs.status in (${sources.join(', ')}) order by runs.id for no key update of runs ${locked ?? ''}),
      moved as (
        update runs set status = '${to}', status_seq = runs.status_seq + 1, modified = now()${[...times, ...set].map((item) => `, ${item}`).join('')}
        from input cross join lateral jsonb_populate_record(null::runs, input.fields) given, old where runs.id = input.id and runs.id = old.id
        returning runs.*, old.status as from_status, old.blocked_on as was_blocked_on)
      ${isTerminal(to) ? '' : `, followed as (${followActive})`}
      ${isTerminal(to) || to === 'running' ? ', forgotten as (delete from run_secrets using moved where run_id = moved.id)' : ''}`,
  };
  return runPrepared(trx, ...together([move, telling(bus, to)], `run.*${reading}`, 'moved run'));
}

const opening = ({ bus }: StatusDeps): Part => {
  const { sql, ...told } = telling(bus, 'pending');
  return { ...told, sql: (first) => `moved as (select * from run), followed as (${followActive}), ${sql(first)}` };
};

const statusMessage = `jsonb_build_object('run', id, 'kind', kind, 'status', status, 'seq', status_seq, 'template', template_id,
  'project', project_id, 'inventory', inventory_id, 'finished', to_char(finished at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`;

/** Tells whoever listens of every row of `moved`, and of a pending one those who look for work. */
function telling(bus: Bus, to: RunStatus): Part {
  const messages: [keyof BusMessages, sql: string][] = [['status', statusMessage]];
  if (to === 'pending') messages.push(['dispatch', `jsonb_build_object('run', id)`]);
  const notified = (place: number, sql: string) =>
    `count(pg_notify($${place}, jsonb_set($${place + 1}::jsonb, '{m}', ${sql})::text))`;
  return {
    values: messages.flatMap(([name]) => bus.parcel(name, {} as never)),
    sql: (first) =>
      `told as materialized (select ${messages.map(([, sql], index) => notified(first + 2 * index, sql)).join(' + ')} from moved)`,
    read: 'told',
  };
}

type AnyMessage = { [C in keyof BusMessages]: [C, BusMessages[C]] }[keyof BusMessages];

export async function notifyAll(
  trx: Knex,
  bus: Bus & { notifyAll?: (trx: Knex, messages: readonly AnyMessage[]) => Promise<void> },
  messages: readonly AnyMessage[],
): Promise<void> {
  if (!messages.length) return;
  if (bus.notifyAll) return bus.notifyAll(trx, messages);
  for (const [channel, message] of messages) await bus.notify(trx, channel, message as never);
}

async function enqueueHooks(
  trx: Knex,
  { hooks, queue }: StatusDeps,
  to: RunStatus,
  rows: readonly MovedRun[],
): Promise<void> {
  const tasks = rows.flatMap((row) => [
    ...(row.from_status === 'new' && isTerminal(to) && to !== 'failed'
      ? []
      : hookTasks(hooks, 'onStatusChange', {
          run_id: row.id,
          kind: row.kind,
          template_id: row.template_id,
          seq: row.status_seq,
          from: row.from_status,
          to,
          at: row.modified,
        })),
    ...(isTerminal(to) ? hookTasks(hooks, 'afterFinish', { run: publicRun(row) }) : []),
  ]);
  await queue.addTasks(trx, tasks);
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
]);

/** The snapshot that hooks are given: the row without what only the core may see. */
export const publicRun = (row: Record<string, any>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !internal.has(key)));
