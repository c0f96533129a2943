import type { Knex } from 'knex';

interface Around {
  organization: { id: number };
  project: { id: number };
  inventory: { id: number };
  creator?: { id: number };
}

/** One row of every type of a workflow, ended and with a step that somebody approved, by the names of their types. */
export async function workflowRows(
  db: Knex,
  { organization, project, inventory, creator }: Around,
): Promise<Record<string, any>> {
  const insert = async (table: string, row: object) => (await db(table).insert(row).returning('*'))[0];
  const suffix = Math.random().toString(36).slice(2, 8);
  const asking = await insert('templates', {
    kind: 'job_template',
    name: `asking ${suffix}`,
    organization_id: organization.id,
    project_id: project.id,
    inventory_id: inventory.id,
    playbook: 'site.yml',
    ask_credential_on_launch: true,
    ask_labels_on_launch: true,
    ask_instance_groups_on_launch: true,
  });
  const template = await insert('templates', {
    kind: 'workflow_job_template',
    name: `workflow ${suffix}`,
    organization_id: organization.id,
  });
  const approval = await insert('templates', {
    kind: 'workflow_approval_template',
    name: 'Shall we?',
    name_scope: `node:${suffix}`,
    workflow_id: template.id,
    data: '{"required_approvals":1,"on_timeout":"deny","context_template":""}',
  });
  const node = (identifier: string, unified_job_template_id: number) =>
    insert('workflow_job_template_nodes', {
      workflow_job_template_id: template.id,
      identifier,
      unified_job_template_id,
    });
  const ended = {
    status: 'successful',
    organization_id: organization.id,
    finished: '2026-01-01',
    needs: 'nobody',
    created_by_id: creator?.id ?? null,
  };
  const run = await insert('runs', { ...ended, kind: 'workflow_job', name: 'workflow', template_id: template.id });
  const decided = await insert('runs', {
    ...ended,
    kind: 'workflow_approval',
    name: 'Shall we?',
    template_id: approval.id,
    workflow_id: template.id,
    parent_id: run.id,
    data: '{"required_approvals":1,"on_timeout":"deny","timed_out":false,"context_message":""}',
  });
  return {
    workflow_job_template: template,
    workflow_job_template_node: await node('first', asking.id),
    following_node: await node('second', asking.id),
    workflow_approval_template: approval,
    workflow_job: run,
    workflow_job_node: await insert('workflow_job_nodes', {
      run_id: run.id,
      identifier: 'first',
      unified_job_template_id: approval.id,
      job_id: decided.id,
      outcome: 'successful',
    }),
    workflow_approval: decided,
    workflow_approval_vote: await insert('workflow_approval_votes', {
      run_id: decided.id,
      username: 'somebody',
      vote: 'approve',
    }),
  };
}
