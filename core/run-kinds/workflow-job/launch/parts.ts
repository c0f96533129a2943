import type { NamedRecord, PlannedPart, RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

/**
 * From the run's own nodes, which stand with it before anybody decides about it, down through the workflows that they launch.
 * Each node once however many ways lead to it, which ends workflows that lie within each other, too. A branch is handed down
 * as `spawn` hands it: what the run says over what the node says, where the template asks for it.
 */
const partsSql = `with recursive reached as (
    select n.identifier, null::bigint as workflow_id, t.id as template_id,
      coalesce(case when t.ask_scm_branch_on_launch or r.is_sliced_job then coalesce(r.scm_branch, n.scm_branch) end, t.scm_branch) as scm_branch
    from runs r join workflow_job_nodes n on n.run_id = r.id join templates t on t.id = n.unified_job_template_id
    where r.id = ? and n.outcome is null and not n.do_not_run
    union
    select n.identifier, w.template_id, t.id,
      coalesce(case when t.ask_scm_branch_on_launch then coalesce(w.scm_branch, n.scm_branch) end, t.scm_branch)
    from reached w join workflow_job_template_nodes n on n.workflow_job_template_id = w.template_id join templates t on t.id = n.unified_job_template_id
  )
  select p.identifier as node, p.workflow_id, w.name as workflow_name, t.id, t.name, t.kind, t.project_id, t.playbook, coalesce(p.scm_branch, '') as scm_branch
  from reached p join templates t on t.id = p.template_id left join templates w on w.id = p.workflow_id
  limit ?`;

interface PartRow extends NamedRecord, Pick<PlannedPart, 'node' | 'kind' | 'project_id' | 'playbook' | 'scm_branch'> {
  workflow_id: number | null;
  workflow_name: string | null;
}

/** All that a run which is about to begin will launch, and what that will. */
export async function partsOf(db: Knex, { id: run }: Pick<RunRow, 'id'>, most: number): Promise<PlannedPart[]> {
  const { rows } = await db.raw<{ rows: PartRow[] }>(partsSql, [run, most + 1]);
  return rows.map(({ workflow_id: workflow, workflow_name, id, name, ...part }) => ({
    ...part,
    workflow: workflow === null ? null : { id: workflow, name: workflow_name! },
    template: { id, name },
  }));
}
