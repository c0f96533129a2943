export type RunStatus = 'new' | 'pending' | 'waiting' | 'running' | 'successful' | 'failed' | 'error' | 'canceled';

export const queuedStatuses: readonly RunStatus[] = ['pending', 'waiting', 'running'];
export const activeStatuses: readonly RunStatus[] = ['new', ...queuedStatuses];
export const failedStatuses: readonly RunStatus[] = ['failed', 'error', 'canceled'];
export const terminalStatuses: readonly RunStatus[] = ['successful', ...failedStatuses];

export const isActive = (status: string): boolean => activeStatuses.includes(status as RunStatus);
export const isTerminal = (status: string): boolean => terminalStatuses.includes(status as RunStatus);

/** contract/jobs.md §11.2; what is missing here never happens, terminal states above all. */
const moves: Record<RunStatus, readonly RunStatus[]> = {
  new: ['pending', 'failed', 'error', 'canceled'],
  pending: ['waiting', 'failed', 'error', 'canceled'],
  // back to pending when the node vanished before it began
  waiting: ['running', 'pending', 'failed', 'error', 'canceled'],
  running: ['successful', 'failed', 'error', 'canceled'],
  successful: [],
  failed: [],
  error: [],
  canceled: [],
};

/** The statuses from which `to` may be reached. */
export const sourcesOf = (to: RunStatus): RunStatus[] =>
  (Object.keys(moves) as RunStatus[]).filter((from) => moves[from].includes(to));
