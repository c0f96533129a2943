import type { Add, Ground } from './random-parts.ts';

/** What saved launches hold, each pair as likely as not. */
async function drawSaved(
  add: Add,
  { random, credentials, group }: Ground,
  { lists, key, rows, labels }: { lists: string; key: string; rows: any[]; labels: any[] },
): Promise<void> {
  const pairs = (children: any[], child: string) =>
    rows.flatMap(({ id }) => children.filter(() => random.chance(0.5)).map((one) => ({ [key]: id, [child]: one.id })));
  await add(`${lists}_credentials`, pairs(credentials, 'credential_id'));
  await add(`${lists}_labels`, pairs(labels, 'label_id'));
  await add(`${lists}_instance_groups`, pairs([group], 'instance_group_id'));
}

/** What is launched by the clock: a template of every kind that has an organization, some of them twice. */
export const drawSchedules = (
  add: Add,
  { random, prefix, projects, templates, records }: Ground,
  { sources }: { sources: any[] },
): Promise<any[]> => {
  const workflows = records.filter(([type]) => type === 'workflow_job_template').map(([, row]) => row);
  const launched = [...projects, ...templates, ...workflows, ...sources].flatMap(({ id }) =>
    random.chance(0.3) ? [id, id] : [id],
  );
  return add(
    'schedules',
    launched.map((id, index) => ({
      name: `${prefix}schedule ${index}`,
      unified_job_template_id: id,
      rrule: 'DTSTART:20300115T120000Z RRULE:FREQ=DAILY;INTERVAL=1',
    })),
  );
};

export const drawSavedOfSchedules = (add: Add, ground: Ground, rows: any[], labels: any[]): Promise<void> =>
  drawSaved(add, ground, { lists: 'schedule', key: 'schedule_id', rows, labels });

/** Nodes that follow each other, as likely as not, in any of the ways. */
async function drawNodes(
  add: Add,
  ground: Ground,
  { table, lists, rows, labels }: { table: string; lists: string; rows: object[]; labels: any[] },
): Promise<void> {
  const { random } = ground;
  const nodes = await add(table, rows as Record<string, unknown>[]);
  const links = nodes.flatMap((one) =>
    nodes
      .filter((other) => other.id > one.id && (other.run_id ?? 0) === (one.run_id ?? 0) && random.chance(0.7))
      .map((other) => ({
        parent_id: one.id,
        child_id: other.id,
        kind: random.pick(['success', 'failure', 'always', 'condition']),
        artifact_key: 'made',
      })),
  );
  await add(`${lists}_links`, links);
  await drawSaved(add, ground, { lists, key: 'node_id', rows: nodes, labels });
}

const ended = { status: 'successful', finished: '2026-01-01', needs: 'nobody' };
const decision = '{"required_approvals":1,"on_timeout":"deny","timed_out":false,"context_message":""}';

/** A workflow with nodes, one of which asks people, and runs: of the workflow, of slices, and of many at once, which has no template. */
export async function drawWorkflows(
  add: Add,
  ground: Ground,
  { labels, told }: { labels: any[]; told: any[] },
): Promise<{ flows: any[]; approvals: any[] }> {
  const { random, prefix, records, templates, organizations, people } = ground;
  const workflow = records.find(([type]) => type === 'workflow_job_template')![1];
  const [asks] = await add('templates', [
    {
      kind: 'workflow_approval_template',
      name: `${prefix}asks`,
      name_scope: `${prefix}asks`,
      workflow_id: workflow.id,
      data: '{"required_approvals":1,"on_timeout":"deny","context_template":""}',
    },
  ]);
  await drawNodes(add, ground, {
    table: 'workflow_job_template_nodes',
    lists: 'workflow_node',
    labels,
    rows: [...templates, asks].map(({ id }, index) => ({
      workflow_job_template_id: workflow.id,
      identifier: `node ${index}`,
      unified_job_template_id: id,
    })),
  });
  const run = (name: string, more: object) => ({
    ...ended,
    name: `${prefix}${name}`,
    kind: 'workflow_job',
    organization_id: random.chance(0.15) ? null : random.pick(organizations).id,
    created_by_id: random.pick(people).id,
    label_ids: labels.filter(() => random.chance(0.5)).map(({ id }) => id),
    ...more,
  });
  const flows = await add('runs', [
    run('flow', { template_id: workflow.id }),
    run('slices', { template_id: templates[0].id, is_sliced_job: true }),
    run('many at once', { template_id: null }),
  ]);
  const approvals = await add('runs', [
    {
      ...ended,
      kind: 'workflow_approval',
      name: `${prefix}asks`,
      template_id: asks.id,
      workflow_id: workflow.id,
      parent_id: flows[0].id,
      data: decision,
    },
  ]);
  await drawNodes(add, ground, {
    table: 'workflow_job_nodes',
    lists: 'workflow_job_node',
    labels,
    rows: flows.flatMap(({ id }) =>
      [templates[0], templates[1]].map((template, index) => ({
        run_id: id,
        identifier: `node ${index}`,
        unified_job_template_id: template.id,
      })),
    ),
  });
  await add('workflow_approval_votes', [
    { run_id: approvals[0].id, user_id: random.pick(people).id, username: 'somebody', vote: 'approve' },
  ]);
  const notifying = { notification_type: 'msteams', event: 'success', subject: 'told', status: 'successful' };
  await add(
    'notifications',
    [...flows, ...approvals].map(({ id }) => ({
      ...notifying,
      run_id: id,
      notification_template_id: random.pick(told).id,
    })),
  );
  return { flows, approvals };
}
