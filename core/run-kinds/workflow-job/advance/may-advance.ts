import type { Builder } from '@tapline/plugin-sdk';

const settled = (node: string) => `(${node}.do_not_run or ${node}.outcome is not null)`;
const parents = (which: string) =>
  `exists (select from workflow_job_node_links l join workflow_job_nodes p on p.id = l.parent_id where l.child_id = n.id and ${which})`;

/** What an advance may decide of one node (decide.ts), told without its links' kinds: it may be tried again, or what comes before it is settled. */
const movable = `case
  when n.do_not_run then false
  when n.outcome is not null then n.outcome in ('failed', 'error') and n.retry_attempts < n.max_retries
  when n.job_id is not null then false
  else not ${parents(`not ${settled('p')}`)} or (n.all_parents_must_converge and ${parents(settled('p'))})
end`;

/**
 * Narrows runs to those that may have something to go on with: a node that can be decided, nothing left to decide, or a cancel.
 * One too many costs a look; one too few would wait for ever if the task that was to bring it forward is lost.
 */
export const mayAdvance = (runs: Builder): void =>
  void runs.where('t.status', 'running').whereRaw(`(t.canceled_on is not null
    or exists (select from workflow_job_nodes n where n.run_id = t.id and ${movable})
    or not exists (select from workflow_job_nodes n where n.run_id = t.id and not ${settled('n')}))`);
