import type { PlanRequest, RunPlan } from '@tapline/plugin-sdk';
import { impactOf } from '../../execution/impact.ts';
import { mergeVariables, type Variables } from '../../../yaml/variables.ts';
import type { PromptValues } from '../../../runs/prompts/prompt.ts';
import type { LaunchTemplate } from './load.ts';
import { jobPrompts } from './prompts.ts';
import { secretNames, storedPrompts } from '../../../runs/prompts/secret-answers.ts';
import { hideVariables } from '../../../secrets/secret-variables.ts';

const copied = [
  'execution_environment_id',
  'organization_id',
  'project_id',
  'inventory_id',
  'job_type',
  'playbook',
  'scm_branch',
  'limit',
  'job_tags',
  'skip_tags',
  'start_at_task',
  'forks',
  'verbosity',
  'force_handlers',
  'use_fact_cache',
  'allow_simultaneous',
  'diff_mode',
  'become_enabled',
  'timeout',
  'job_slice_pinned_hosts',
];

export interface JobInput {
  accepted: PromptValues;
  /** of survey questions that nobody answered */
  defaults?: Variables;
  /** what the launch brings besides its prompts */
  given: Pick<PlanRequest, 'variables' | 'columns' | 'secretVariables'>;
}

/** The columns of a job: the template's values with the accepted prompts over them, and what the caller gives. */
export function jobColumns(
  template: LaunchTemplate,
  { accepted, defaults = {}, given }: JobInput,
): Required<Pick<RunPlan, 'columns' | 'secretVariables'>> & { shown: Variables } {
  const columns: Record<string, unknown> = {
    template_id: template.id,
    name: template['name'],
    description: template['description'],
  };
  for (const name of copied) columns[name] = template[name];
  for (const { name, column } of jobPrompts)
    if (column && accepted[name] !== undefined) columns[column] = accepted[name];
  const named = mergeVariables(accepted.extra_vars ?? {}, given.variables ?? {}, given.secretVariables ?? {});
  const secret = secretNames(template, given.secretVariables);
  const { shown, hidden } = hideVariables(mergeVariables(template.variables, defaults, named), secret);
  columns['extra_vars'] = JSON.stringify(shown);
  const labels = [...(template.labels ?? []).map(({ id }) => id), ...(accepted.labels ?? [])];
  if (labels.length) columns['label_ids'] = [...new Set(labels)];
  if (accepted['instance_groups']) columns['places'] = placesOf(accepted['instance_groups'] as number[]);
  columns['impact'] = impactOf(Number(columns['forks']));
  columns['prompts'] = JSON.stringify(storedPrompts(accepted, hideVariables(named, secret)));
  return { columns: { ...columns, ...given.columns }, secretVariables: hidden, shown };
}

/** None named is none wished for. */
const placesOf = (groups: readonly number[]) => (groups.length ? groups : null);
