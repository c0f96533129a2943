import type { PlanRequest, RunPlan } from '@tapline/plugin-sdk';

/** Columns that a run of slices takes over from the run that it stands for. */
const copied = [
  'template_id',
  'name',
  'description',
  'organization_id',
  'inventory_id',
  'limit',
  'job_tags',
  'skip_tags',
  'scm_branch',
  'extra_vars',
  'prompts',
  'label_ids',
  'allow_simultaneous',
  'webhook_service',
  'webhook_guid',
  'webhook_credential_id',
  'data',
];

/**
 * A run that is cut into slices (contract/jobs.md §9): a node for each, with nothing between them. What was asked for at
 * the launch stands with the run, and every slice is launched with that.
 */
export function splitRun({ template, columns: given = {} }: PlanRequest, plan: RunPlan): RunPlan {
  const { columns, slices = 1, passwords = {}, locks } = plan;
  const line = `template:${template}`;
  const simultaneous = !locks?.waitsFor.includes(line);
  const asked = Object.keys(passwords).length > 0;
  return {
    ...plan,
    columns: {
      ...Object.fromEntries(copied.filter((name) => name in columns).map((name) => [name, columns[name]])),
      // what launched it finds it by these: the node of a workflow, a time of a schedule
      ...given,
      is_sliced_job: true,
    },
    errors: {
      ...plan.errors,
      ...(asked ? { job_slice_count: ['Slices cannot be launched with passwords that are asked for.'] } : {}),
    },
    credentials: [],
    passwords: {},
    updatesFirst: [],
    locks: { holds: [line], waitsFor: simultaneous ? [] : [line] },
    write: (trx, run) =>
      trx.raw(
        `insert into workflow_job_nodes (run_id, unified_job_template_id, identifier, columns)
         select ?, ?, 'slice ' || n, jsonb_build_object('job_slice_number', n, 'job_slice_count', ?::integer,
           'allow_simultaneous', true, 'shown_by_template', false) from generate_series(1, ?::integer) n order by n`,
        [run.id, template, slices, slices],
      ),
  };
}
