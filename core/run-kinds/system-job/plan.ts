import { type LaunchTemplate, notFound, type PlanRequest, type RunPlan, ValidationError } from '@tapline/plugin-sdk';
import type { Settings } from '../../settings/settings.ts';
import { readVariables, type Variables } from '../../yaml/variables.ts';
import { readOptions } from './options.ts';

/** No two of them at once. */
const KEY = 'upkeep';

export async function variablesOf({ settings }: { settings: Settings }, sent: unknown): Promise<Variables> {
  if (sent === undefined || sent === null) return {};
  try {
    return await readVariables(sent, { maxLength: Number(settings.get('MAX_VARIABLES_LENGTH')) });
  } catch (error) {
    throw ValidationError.field('extra_vars', (error as Error).message);
  }
}

export async function planCleanup(
  deps: { settings: Settings },
  { db, template: id, prompts, columns }: PlanRequest,
): Promise<RunPlan> {
  const template: LaunchTemplate | undefined = await db('templates').where({ id, kind: 'system_job_template' }).first();
  if (!template) throw notFound('No System job template matches the given query.');
  const variables = await variablesOf(deps, prompts['extra_vars']);
  const { problems } = readOptions(variables);
  return {
    columns: {
      template_id: template.id,
      name: template.name,
      description: template.description,
      job_type: template.job_type,
      extra_vars: JSON.stringify(variables),
      ...columns,
    },
    errors: problems.length ? { extra_vars: problems } : {},
    locks: { holds: [KEY], waitsFor: [KEY] },
    template,
  };
}
