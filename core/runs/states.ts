import type { RunStatus } from '@tapline/plugin-sdk';

export const queuedStatuses: readonly RunStatus[] = ['pending', 'waiting', 'running'];
export const activeStatuses: readonly RunStatus[] = ['new', ...queuedStatuses];
export const failedStatuses: readonly RunStatus[] = ['failed', 'error', 'canceled'];
export const terminalStatuses: readonly RunStatus[] = ['successful', ...failedStatuses];

/** SQL: whether the run `alias` is active. */
export const activeSql = (alias: string): string =>
  `${alias}.status in (${activeStatuses.map((status) => `'${status}'`).join(', ')})`;

export const isActive = (status: string): boolean => activeStatuses.includes(status as RunStatus);
export const isFailed = (status: string): boolean => failedStatuses.includes(status as RunStatus);
export const isTerminal = (status: string): boolean => terminalStatuses.includes(status as RunStatus);

/** contract/jobs.md §11.2; what is missing here never happens, terminal states above all. */
const moves: Record<RunStatus, readonly RunStatus[]> = {
  new: ['pending', 'failed', 'error', 'canceled'],
  // straight to running, or to an end, only those that need nobody
  pending: ['waiting', 'running', 'successful', 'failed', 'error', 'canceled'],
  // back to pending when the node vanished before it began
  waiting: ['running', 'pending', 'failed', 'error', 'canceled'],
  running: ['successful', 'failed', 'error', 'canceled'],
  successful: [],
  failed: [],
  error: [],
  canceled: [],
};

const onlyWithoutPlace: readonly RunStatus[] = ['running', 'successful'];

/** SQL: whether the run `alias` may move to `to`. */
export function maySql(alias: string, to: RunStatus): string {
  const sources = (Object.keys(moves) as RunStatus[]).filter((from) => moves[from].includes(to));
  const listed = `${alias}.status in (${sources.map((from) => `'${from}'`).join(', ')})`;
  return onlyWithoutPlace.includes(to)
    ? `${listed} and (${alias}.status <> 'pending' or ${alias}.needs = 'nobody')`
    : listed;
}
