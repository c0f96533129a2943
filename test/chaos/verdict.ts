import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from './ledger.ts';
import { floodLines, lines, type Play, type PlayName, playOf, secrets } from './plays.ts';
import type { Stage } from './stage.ts';

/** A run as the database has it. */
export interface StoredRun {
  id: number;
  kind: string;
  play: PlayName | null;
  status: string;
  job_explanation: string;
  launch_type: string;
  mark: string | null;
  started: Date | null;
  finished: Date | null;
  artifacts: Record<string, unknown>;
  event_count: number;
  /** whether its events bear the numbers 1…event_count */
  whole: boolean;
  /** events of steps that left a line outside */
  steps: number;
  begins: number;
  ends: number;
  summaries: number;
  /** statuses of what had to be run first, and of what it ran itself */
  needed: string[];
  /** of a workflow: nodes that did not succeed and have nothing after them that runs all the same */
  unhandled: string[];
  /** of a workflow: nodes that neither came to anything nor were left out */
  open: string[];
  stdout: string;
}

const runsSql = `
  select r.id::int, r.kind, t.name as play, r.status, r.job_explanation, r.launch_type, r.started, r.finished, r.artifacts, r.event_count,
    nullif(r.extra_vars, '')::jsonb ->> 'chaos_mark' as mark,
    coalesce(e.count, 0) = r.event_count and coalesce(e.last, 0) = r.event_count as whole,
    coalesce(e.steps, 0) as steps, coalesce(e.begins, 0) as begins, coalesce(e.ends, 0) as ends, coalesce(e.stdout, '') as stdout,
    (select count(*)::int from job_host_summaries s where s.run_id = r.id) as summaries,
    (select coalesce(array_agg(d.status), '{}') from runs d where d.parent_id = r.id
      or d.id in (select depends_on from run_dependencies n where n.run_id = r.id)) as needed,
    (select coalesce(array_agg(n.identifier || ' ' || n.outcome order by n.id), '{}') from workflow_job_nodes n
      where n.run_id = r.id and n.outcome <> 'successful'
        and not exists (select from workflow_job_node_links l where l.parent_id = n.id and l.kind in ('failure', 'always'))) as unhandled,
    (select coalesce(array_agg(n.identifier order by n.id), '{}') from workflow_job_nodes n
      where n.run_id = r.id and n.outcome is null and not n.do_not_run) as open
  from runs r left join templates t on t.id = r.template_id and t.kind = 'job_template'
  left join (select run_id, count(*)::int, max(counter) as last,
      coalesce(nullif(count(*) filter (where task = 'append' and event = 'runner_item_on_ok'), 0),
        count(*) filter (where task = 'append' and event = 'runner_on_ok'))::int as steps,
      count(*) filter (where event = 'playbook_on_start')::int as begins, count(*) filter (where event = 'playbook_on_stats')::int as ends,
      string_agg(stdout, E'\\n' order by counter) as stdout
    from run_events group by run_id) e on e.run_id = r.id
  order by r.id`;

export const storedRuns = (stage: Stage): Promise<StoredRun[]> => stage.query(runsSql);

type Scene = Pick<Stage, 'proof' | 'struck'>;

const isRun = (numbers: readonly number[]) => numbers.every((value, index) => value === index + 1);

/** The lines that a job left outside, as numbers. */
export function written(proof: string, id: number): number[] {
  const file = join(proof, String(id));
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}

/** What is wrong with one run; an empty list when nothing is. */
export function problemsOf(run: StoredRun, stage: Scene, ledger: Ledger): string[] {
  const outside = written(stage.proof, run.id);
  const problems: string[] = [];
  if (!run.whole) problems.push('its events have gaps or doubles, or are not all stored');
  if (Object.values(secrets).some((secret) => run.stdout.includes(secret))) problems.push('its output shows a secret');
  if (!isRun(outside)) problems.push(`its lines are ${outside.join(',')}: a step ran twice or was lost`);
  if (run.steps > outside.length) problems.push(`${run.steps} steps are stored, but only ${outside.length} happened`);
  if (run.kind === 'workflow_job') problems.push(...ofWorkflow(run));
  problems.push(...(endsAsItShould(run) ? incomplete(run, outside.length) : excused(run, stage, ledger)));
  return problems.map((text) => `${run.kind} ${run.id} (${run.play}, ${run.status}): ${text}`);
}

const endsAsItShould = ({ play, status }: StoredRun) => status === (play ? playOf(play).ends : 'successful');

/** How a workflow ended is what its nodes came to, whatever was struck: it has no process of its own. */
function ofWorkflow({ status, unhandled, open }: StoredRun): string[] {
  const problems: string[] = [];
  if (status === 'successful' && unhandled.length) problems.push(`nobody handled ${unhandled.join(', ')}`);
  if (status === 'failed' && !unhandled.length) problems.push('none of its nodes made it fail');
  if (['successful', 'failed'].includes(status) && open.length) problems.push(`it left ${open.join(', ')} undone`);
  return problems;
}

/** Why one did not end as its playbook would. */
function excused(run: StoredRun, { struck }: Scene, ledger: Ledger): string[] {
  const { id, status, job_explanation: explanation, needed } = run;
  if (status === 'canceled') return ledger.runs.get(id)?.cancelAsked ? [] : ['nobody canceled it'];
  if (!['failed', 'error'].includes(status)) return ['it has not ended'];
  if (!explanation.trim()) return ['nothing explains its end'];
  // judged by its nodes
  if (run.kind === 'workflow_job' && status === 'failed') return [];
  if (status === 'failed' && needed.some((one) => one !== 'successful')) return [];
  if (!struck.has(id)) return [`its process survived, and it says: ${explanation}`];
  return status === 'error' ? [] : [`its process was killed, and it says: ${explanation}`];
}

/** What is missing of a run that ended by itself. */
function incomplete(run: StoredRun, outside: number): string[] {
  const problems: string[] = [];
  const once = { playbook_on_start: run.begins, playbook_on_stats: run.ends, summaries: run.summaries };
  if (run.kind === 'ad_hoc_command' && outside !== lines) problems.push(`${outside} of ${lines} lines were written`);
  if (!run.play) return problems;
  const play: Play = playOf(run.play);
  for (const [what, times] of Object.entries(once)) if (times !== 1) problems.push(`${what}: stored ${times} times`);
  if (outside !== play.lines) problems.push(`${outside} of ${play.lines} lines were written`);
  if (run.steps !== play.lines) problems.push(`${run.steps} of ${play.lines} steps are stored`);
  if (!run.stdout.includes('PLAY RECAP')) problems.push('its recap is missing');
  if (run.play === 'stats' && String(run.artifacts['chaos_job']) !== String(run.id))
    problems.push(`its artifacts are ${JSON.stringify(run.artifacts)}`);
  if (play.credentials && !run.stdout.includes('told $encrypted$ and $encrypted$'))
    problems.push('its secrets are not hidden');
  if (run.play === 'flood') {
    const printed = (run.stdout.match(/line-\d+/g) ?? []).map((text) => Number(text.slice(5)));
    if (printed.length !== floodLines || !isRun(printed))
      problems.push(`${printed.length} of ${floodLines} printed lines are stored, or not in order`);
  }
  return problems;
}
