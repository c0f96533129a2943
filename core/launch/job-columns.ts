import { mergeVariables, type Variables } from './variables.ts';

/** An engine without `forks` uses five. */
const ENGINE_FORKS = 5;

/** Units of capacity: one for the engine itself, one per fork. */
export const impactOf = (forks: number): number => (forks || ENGINE_FORKS) + 1;

const copied = [
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
  'webhook_service',
];
const prompted = [
  'job_type',
  'scm_branch',
  'limit',
  'job_tags',
  'skip_tags',
  'forks',
  'verbosity',
  'diff_mode',
  'timeout',
];

/** The columns of a job: the template's values with the accepted prompts over them. */
export function jobColumns(
  template: Record<string, any>,
  own: Variables,
  accepted: Record<string, any>,
): Record<string, unknown> {
  const columns: Record<string, unknown> = {
    kind: 'job',
    template_id: template['id'],
    name: template['name'],
    description: template['description'],
  };
  for (const name of copied) columns[name] = template[name];
  for (const name of prompted) if (accepted[name] !== undefined) columns[name] = accepted[name];
  if (accepted['inventory'] !== undefined) columns['inventory_id'] = accepted['inventory'];
  columns['extra_vars'] = JSON.stringify(mergeVariables(own, (accepted['extra_vars'] ?? {}) as Variables));
  const labels = [...(template['labels'] ?? []).map(({ id }: { id: number }) => id), ...(accepted['labels'] ?? [])];
  if (labels.length) columns['label_ids'] = [...new Set(labels)];
  columns['impact'] = impactOf(Number(columns['forks']));
  columns['pending_reasons'] = JSON.stringify([{ code: 'queued', text: 'Waiting for the dispatcher.' }]);
  columns['prompts'] = JSON.stringify(storedPrompts(accepted));
  return columns;
}

/** Variables as text: they may hold what jsonb refuses (NUL, lone surrogates). */
const storedPrompts = (accepted: Record<string, any>) => ({
  ...accepted,
  ...(accepted['extra_vars'] === undefined ? {} : { extra_vars: JSON.stringify(accepted['extra_vars']) }),
});
