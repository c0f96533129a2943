import { runKey, templateKey } from '../jobs/release.ts';
import { isTerminal } from '../jobs/states.ts';
import { type NodeLoad, placeFor } from './capacity.ts';

/** A pending run that nothing is known to block. */
export interface Candidate {
  id: number;
  kind: string;
  name: string;
  template_id: number | null;
  project_id: number | null;
  allow_simultaneous: boolean;
  impact: number;
  /** ISO 8601 */
  created: string;
  dependencies: Dependency[];
  project: DispatchProject | null;
}

export interface Dependency {
  id: number;
  kind: string;
  name: string;
  status: string;
}

export interface DispatchProject {
  id: number;
  scm_type: string;
  scm_update_on_launch: boolean;
  scm_update_cache_timeout: number;
  last_update: { status: string; finished: string | null } | null;
}

/** A run that stands in the way of others. */
export interface Active {
  id: number;
  kind: string;
  template_id: number | null;
  status: string;
}

export interface Reason {
  code: string;
  /** for a person, at once */
  text: string;
  /** as clients know it from `job_explanation`, shown there after 30 s */
  explanation?: string;
}

export type Decision =
  | { run: number; do: 'assign'; node: NodeLoad }
  | { run: number; do: 'block'; on: string; reason: Reason }
  | { run: number; do: 'wait'; reason: Reason }
  | { run: number; do: 'fail' | 'cancel'; explanation: string }
  | { run: number; do: 'update'; project: number };

export interface Situation {
  candidates: readonly Candidate[];
  active: readonly Active[];
  nodes: readonly NodeLoad[];
  now: number;
}

/** contract/jobs.md §11.4, over one snapshot: what becomes of each candidate, in their order. */
export function decide({ candidates, active, nodes, now }: Situation): Decision[] {
  const room = nodes.map((node) => ({ ...node }));
  const taken = active.filter(({ status }) => status === 'waiting' || status === 'running').map((run) => ({ ...run }));
  return candidates.map((candidate): Decision => {
    const obstacle = dependencyOf(candidate) ?? neededUpdate(candidate, active, now) ?? conflictOf(candidate, taken);
    if (obstacle) return obstacle;
    const node = placeFor(room, candidate.impact);
    if (!node) return { run: candidate.id, do: 'wait', reason: capacityReason(candidate, room) };
    node.consumed += candidate.impact;
    taken.push({ id: candidate.id, kind: candidate.kind, template_id: candidate.template_id, status: 'waiting' });
    return { run: candidate.id, do: 'assign', node };
  });
}

function dependencyOf({ id, dependencies }: Candidate): Decision | undefined {
  const bad = dependencies.find(({ status }) => ['failed', 'error', 'canceled'].includes(status));
  if (bad) {
    const json = JSON.stringify({ job_type: bad.kind, job_name: bad.name, job_id: String(bad.id) });
    return bad.status === 'canceled'
      ? { run: id, do: 'cancel', explanation: `Previous Task Canceled: ${json}` }
      : { run: id, do: 'fail', explanation: `Previous Task Failed: ${json}` };
  }
  const open = dependencies.find(({ status }) => !isTerminal(status));
  return open && { run: id, do: 'block', on: runKey(open.id), reason: waitsFor(open, 'dependency') };
}

/** A run's own update is in its dependencies; once that is there no other is asked for. */
function neededUpdate(
  { id, kind, dependencies, project }: Candidate,
  active: readonly Active[],
  now: number,
): Decision | undefined {
  if (kind !== 'job' || !project?.scm_type || !project.scm_update_on_launch || dependencies.length) return undefined;
  const running = active.find((run) => run.kind === 'project_update' && run.template_id === project.id);
  if (!running && isFresh(project, now)) return undefined;
  return { run: id, do: 'update', project: project.id };
}

function isFresh({ last_update: last, scm_update_cache_timeout: seconds }: DispatchProject, now: number): boolean {
  return last?.status === 'successful' && last.finished !== null && Date.parse(last.finished) + seconds * 1000 > now;
}

function conflictOf(
  { id, kind, template_id: template, project_id: project, allow_simultaneous: simultaneous }: Candidate,
  taken: readonly Active[],
): Decision | undefined {
  const same = (run: Active) => run.kind === kind && run.template_id === template && template !== null;
  const update = taken.find((run) => run.kind === 'project_update' && run.template_id === project && project !== null);
  if (kind === 'job' && update)
    return { run: id, do: 'block', on: runKey(update.id), reason: waitsFor(update, 'project_update') };
  const other = kind === 'project_update' || (kind === 'job' && !simultaneous) ? taken.find(same) : undefined;
  return other && { run: id, do: 'block', on: templateKey(template!), reason: waitsFor(other, 'concurrency') };
}

const waitsFor = (run: { id: number; kind: string; status: string }, code: string): Reason => ({
  code,
  text:
    code === 'concurrency'
      ? `Another run of the same template is ${run.status} (${run.kind} ${run.id}); it does not allow simultaneous runs.`
      : `Waiting for ${run.kind} ${run.id} to finish.`,
  explanation: `waiting for ${run.kind}-${run.id} to finish`,
});

function capacityReason({ impact }: Candidate, nodes: readonly NodeLoad[]): Reason {
  const explanation = 'This job is not ready to start because there is not enough available capacity.';
  if (!nodes.length) return { code: 'no_node', text: 'No enabled node is alive.', explanation };
  const most = Math.max(...nodes.map(({ capacity, consumed }) => capacity - consumed));
  return {
    code: 'capacity',
    text: `Needs ${impact} units of capacity; the freest of ${nodes.length} nodes has ${Math.max(0, most)} left.`,
    explanation,
  };
}
