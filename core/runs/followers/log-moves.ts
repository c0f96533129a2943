import type { MovedRun } from '@tapline/plugin-sdk';
import { afterCommit } from '../../db/after-commit.ts';
import { cutText } from '../../db/safe-text.ts';
import type { Log } from '../../observe/log.ts';
import { isTerminal } from '../states.ts';
import type { Follower } from '../status.ts';

/** The whole of an explanation stands with the run. */
const mostReason = 300;

export const aboutRun = ({
  id,
  kind,
  name,
  template_id: template,
}: Pick<MovedRun, 'id' | 'kind' | 'name' | 'template_id'>) => ({
  run: id,
  kind,
  name,
  template,
});

/** A line for the start and for the end of each run. */
export const logMoves = (log: Pick<Log, 'info'>): Follower => ({
  writes: () => false,
  async follow(trx, moved, to) {
    if (to !== 'running' && !isTerminal(to)) return;
    afterCommit(trx, () => {
      for (const run of moved)
        if (to === 'running') log.info({ ...aboutRun(run), node_of_run: run.execution_node }, 'run started');
        else log.info({ ...aboutRun(run), status: to, ...endOf(run) }, 'run ended');
    });
  },
});

function endOf({ started, finished, actor_id: user_id, job_explanation: why }: MovedRun) {
  const elapsed = started && finished ? (Date.parse(finished) - Date.parse(started)) / 1000 : 0;
  return { user_id, elapsed_s: elapsed, ...(why ? { why: cutText(why, mostReason) } : {}) };
}
