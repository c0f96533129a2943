import { kindLabels } from '../graph.ts';

/** What a node may launch, by the kind of run that comes of it. */
export interface NodeKind {
  kind: string;
  label: string;
  /** where its templates are listed; null for approvals, which belong to their node */
  list: string | null;
  /** it says at `launch/` what it asks for */
  asks: boolean;
}

const of = (kind: string, list: string | null, asks = false): NodeKind => ({
  kind,
  label: kindLabels[kind] ?? kind,
  list,
  asks,
});

export const nodeKinds: readonly NodeKind[] = [
  of('job', 'job_templates/', true),
  of('workflow_job', 'workflow_job_templates/', true),
  of('project_update', 'projects/?not__scm_type='),
  of('inventory_update', 'inventory_sources/'),
  of('workflow_approval', null),
  of('system_job', 'system_job_templates/'),
];

export const nodeKindOf = (kind: string): NodeKind => nodeKinds.find((one) => one.kind === kind) ?? nodeKinds[0]!;

/** What a template may ask for at launch → the field of a node that answers it. */
const answers: Record<string, string> = {
  ask_inventory_on_launch: 'inventory',
  ask_limit_on_launch: 'limit',
  ask_variables_on_launch: 'extra_data',
  ask_scm_branch_on_launch: 'scm_branch',
  ask_job_type_on_launch: 'job_type',
  ask_tags_on_launch: 'job_tags',
  ask_skip_tags_on_launch: 'skip_tags',
  ask_verbosity_on_launch: 'verbosity',
  ask_diff_mode_on_launch: 'diff_mode',
  ask_forks_on_launch: 'forks',
  ask_job_slice_count_on_launch: 'job_slice_count',
  ask_timeout_on_launch: 'timeout',
  ask_execution_environment_on_launch: 'execution_environment',
};

/** The fields in which a node may answer, by what `launch/` of its template says; a survey is answered by variables. */
export function askedFields(info: Record<string, unknown>): string[] {
  const asked = Object.entries(answers).filter(
    ([flag]) => info[flag] === true || (flag === 'ask_variables_on_launch' && info['survey_enabled'] === true),
  );
  return asked.map(([, field]) => field);
}
