import { isActive, pageOf, statusLabel, t } from '@tapline/console-kit';
import { approvalWord } from '../../approvals/words.ts';
import type { GraphNode } from '../../workflow/graph.ts';

/** What a node launched, as the API sums it up. */
interface NodeJob {
  id: number;
  type: string;
  status: string;
  elapsed?: number;
  timed_out?: boolean;
}

export const jobOf = ({ row }: GraphNode): NodeJob | undefined => row.summary_fields['job'];

/** How a node of a run is: the status that gives the colour, and the word for it. */
export function nodeStatus(node: GraphNode, run: { status: string }): { status: string; label: string } {
  const job = jobOf(node);
  if (job) return { status: job.status, label: wordOf(job) };
  if (node.row['explanation']) return { status: 'failed', label: t`Not launched` };
  if (node.row['prior_run_succeeded']) return { status: 'successful', label: t`Successful before` };
  const over = node.row['do_not_run'] === true || !isActive(run);
  return { status: 'new', label: over ? t`Not run` : t`Not started yet` };
}

const wordOf = (job: NodeJob) => (job.type === 'workflow_approval' ? approvalWord(job) : statusLabel(job.status));

/** The page of what the node launched. */
export function runPageOf(node: GraphNode): string | null {
  const job = jobOf(node);
  return job ? pageOf(job.type, job.id) : null;
}
