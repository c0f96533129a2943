import type { PlanRequest } from '@tapline/plugin-sdk';
import type { PromptValues } from '../../../runs/prompts/prompt.ts';
import type { LaunchProject, LaunchTemplate } from './load.ts';

interface Around {
  inventory: LaunchTemplate['inventory'];
  ahead: PlanRequest['ahead'];
  /** into how many runs it is cut */
  slices: number | undefined;
}

/** What must be there before anything can start, by field. */
export function resourceProblems(
  template: LaunchTemplate,
  accepted: PromptValues,
  { inventory, ahead, slices }: Around,
): Record<string, unknown> {
  const errors: Record<string, unknown> = {};
  const missing = [
    ...(template.project ? [] : ['The template has no project.']),
    ...(inventory ? [] : ['The template has no inventory and none was given.']),
  ];
  if (missing.length) errors['resources_needed_to_start'] = missing;
  if (!template.project) errors['project'] = ['A project is required to run a job.'];
  else if (!ahead && unusable(template.project))
    errors['playbook'] = [
      `Project "${template.project.name}" has no usable revision: its last update ended ${template.project.status}.`,
    ];
  if (inventory?.pending_deletion) errors['inventory'] = ['The inventory is being deleted.'];
  if (accepted['scm_branch'] !== undefined && template.project && !template.project.allow_override) {
    errors['scm_branch'] = ['The project does not allow another branch.'];
  }
  if (!ahead && Number(accepted['job_slice_count'] ?? 1) > 1 && slices === 1)
    errors['job_slice_count'] = ['The inventory cannot be cut into more than one slice.'];
  return errors;
}

const unusable = (project: LaunchProject) =>
  ['failed', 'error'].includes(project.status) &&
  !project.scm_update_on_launch &&
  !project.scm_revision &&
  project.scm_type !== '';
