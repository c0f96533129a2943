import type { NamedRecord, ProjectOfRun } from '@tapline/plugin-sdk';
import { underEachPrefix } from '../../config/named-alike.ts';

export interface RunContext {
  run: { id: number; launch_type: string; scm_revision?: string; scm_branch?: string | null; execution_node?: unknown };
  template?: NamedRecord | null;
  project?: Pick<ProjectOfRun, 'scm_branch'> | null;
  inventory?: NamedRecord | null;
  /** who started it */
  user?: { id: number; username: string; email: string | null; first_name: string; last_name: string } | null;
  schedule?: NamedRecord | null;
  /** the run that it is a part of */
  workflow?: (NamedRecord & { launch_type: string; schedule: NamedRecord | null }) | null;
}

/** What every run is told about itself, under our prefix and the two that existing playbooks know (contract §8.2). */
export function injectedVariables({
  run,
  template,
  project,
  inventory,
  user,
  schedule,
  workflow,
}: RunContext): Record<string, unknown> {
  const values: Record<string, unknown> = {
    job_id: run.id,
    job_launch_type: run.launch_type,
    ...(template && { job_template_id: template.id, job_template_name: template.name }),
    ...(run.scm_revision && { project_revision: run.scm_revision }),
    ...(project?.scm_branch && { project_scm_branch: project.scm_branch }),
    ...(run.scm_branch && { job_scm_branch: run.scm_branch }),
    ...(inventory && { inventory_id: inventory.id, inventory_name: inventory.name }),
    ...(run.execution_node ? { execution_node: run.execution_node } : {}),
    ...(user && {
      user_id: user.id,
      user_name: user.username,
      user_email: user.email,
      user_first_name: user.first_name,
      user_last_name: user.last_name,
    }),
    ...(schedule && { schedule_id: schedule.id, schedule_name: schedule.name }),
    ...(workflow && {
      workflow_job_id: workflow.id,
      workflow_job_name: workflow.name,
      workflow_job_launch_type: workflow.launch_type,
      ...(workflow.schedule && {
        parent_job_schedule_id: workflow.schedule.id,
        parent_job_schedule_name: workflow.schedule.name,
      }),
    }),
  };
  return underEachPrefix(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? ''])));
}
