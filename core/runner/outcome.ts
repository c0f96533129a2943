import { isNotStarted } from './explain.ts';
import type { ExecStatus } from './executor.ts';

/** How a run ended, once everything it said is stored. */
export interface RunOutcome {
  status: 'successful' | 'failed' | 'error' | 'canceled';
  explanation: string;
  traceback: string;
  host_status_counts: Record<string, number> | null;
  play_count: number;
  task_count: number;
  /** a marker text where the statistics were set under no_log */
  artifacts: Record<string, unknown> | string;
  /** changed facts: consecutive pairs of hashes */
  facts: FactsPair[];
}

export interface FactsPair {
  host_id: number;
  old_hash: string | null;
  new_hash: string;
}

/** Why the run ended: `failed` = the play failed or ran out of time, `error` = it could not be carried out (decisions §9). */
export function judgeExit(
  status: Exclude<ExecStatus, { state: 'running' }>,
): Pick<RunOutcome, 'status' | 'explanation'> {
  if (status.state === 'lost')
    return {
      status: 'error',
      explanation: `The run was lost: ${status.detail || 'its process is gone and left no result'}.`,
    };
  const { rc, signal, reason, detail } = status.exit;
  switch (reason) {
    case 'canceled':
      return { status: 'canceled', explanation: detail };
    case 'timeout':
      return { status: 'failed', explanation: detail || 'The run took longer than its timeout and was ended.' };
    case 'limit':
      return { status: 'failed', explanation: detail };
    case 'disk_full':
      return { status: 'error', explanation: detail || 'The disk that holds the output of runs is full.' };
    case 'start_failed':
      return { status: 'error', explanation: detail || 'The engine could not be started.' };
    case 'killed':
      return { status: 'error', explanation: detail || `The engine was killed${signal ? ` by ${signal}` : ''}.` };
    default:
      if (isNotStarted(rc)) return { status: 'error', explanation: detail || 'The engine could not be started.' };
      return rc === 0 ? { status: 'successful', explanation: '' } : { status: 'failed', explanation: detail };
  }
}
