import type { Knex } from 'knex';
import { type Graph, drawGraph } from './oracle.ts';
import { type Island, drawIsland } from './random-graph.ts';

/** Types by their table, and by what tells their rows in it. */
export const tables: Record<string, [table: string, where?: Record<string, string>]> = {
  organization: ['organizations'],
  user: ['users'],
  team: ['teams'],
  role: ['roles'],
  role_definition: ['role_definitions'],
  role_user_assignment: ['role_user_assignments'],
  role_team_assignment: ['role_team_assignments'],
  inventory: ['inventories'],
  constructed_inventory: ['inventories', { kind: 'constructed' }],
  federated_inventory: ['inventories', { kind: 'federated' }],
  host: ['hosts'],
  group: ['groups'],
  project: ['templates', { kind: 'project' }],
  job_template: ['templates', { kind: 'job_template' }],
  inventory_source: ['templates', { kind: 'inventory_source' }],
  workflow_job_template: ['templates', { kind: 'workflow_job_template' }],
  unified_job_template: ['templates'],
  job: ['runs', { kind: 'job' }],
  workflow_job: ['runs', { kind: 'workflow_job' }],
  workflow_job_template_node: ['workflow_job_template_nodes'],
  workflow_job_node: ['workflow_job_nodes'],
  workflow_approval_template: ['templates', { kind: 'workflow_approval_template' }],
  workflow_approval: ['runs', { kind: 'workflow_approval' }],
  workflow_approval_vote: ['workflow_approval_votes'],
  schedule: ['schedules'],
  project_update: ['runs', { kind: 'project_update' }],
  inventory_update: ['runs', { kind: 'inventory_update' }],
  unified_job: ['runs'],
  job_event: ['run_events'],
  project_update_event: ['run_events'],
  system_job_template: ['templates', { kind: 'system_job_template' }],
  system_job: ['runs', { kind: 'system_job' }],
  system_job_event: ['run_events'],
  execution_environment: ['execution_environments'],
  ad_hoc_command: ['runs', { kind: 'ad_hoc_command' }],
  ad_hoc_command_event: ['run_events'],
  inventory_update_event: ['run_events'],
  job_host_summary: ['job_host_summaries'],
  credential: ['credentials'],
  credential_input_source: ['credential_input_sources'],
  credential_type: ['credential_types'],
  instance_group: ['instance_groups'],
  label: ['labels'],
  instance: ['instances'],
  o_auth2_application: ['applications'],
  o_auth2_access_token: ['tokens'],
  activity_stream: ['activity_stream'],
  hook_trace: ['hook_traces'],
  host_metric: ['host_metrics'],
  host_metric_summary_monthly: ['host_metric_months'],
  audit_event: ['audit_events'],
  notification_template: ['notification_templates'],
  notification: ['notifications'],
};

const linkTables = [
  'group_hosts',
  'group_children',
  'instance_group_instances',
  'template_credentials',
  'run_credentials',
  'run_dependencies',
  'organization_instance_groups',
  'inventory_instance_groups',
  'inventory_inputs',
  'template_instance_groups',
  'template_labels',
  'inventory_labels',
  'organization_galaxy_credentials',
  'activity_objects',
  'role_teams',
  'template_notifications',
  'organization_notifications',
  ...(['schedule', 'workflow_node', 'workflow_job_node'] as const).flatMap(
    (lists) => [`${lists}_credentials`, `${lists}_labels`, `${lists}_instance_groups`] as const,
  ),
  'workflow_node_links',
  'workflow_job_node_links',
] as const;

/** Everything there is, as it was when the graph was drawn. */
export interface Facts {
  graph: Graph;
  rows: Record<string, any[]>;
  byId: (type: string, id: number | null) => any | undefined;
  /** rows of a table of links by one of their columns */
  links: (table: (typeof linkTables)[number], column: string, id: number) => any[];
}

/** Draws graphs side by side into one database: that takes a fraction of the time of a database, or a transaction, for each. */
export async function drawIslands(db: Knex, seeds: readonly number[]): Promise<Island[]> {
  await db('credential_types').insert({ name: 'Test', kind: 'cloud' });
  const islands: Island[] = [];
  await db.transaction(async (trx) => {
    const lastOnes = async () => (await trx.raw(lastIds)).rows[0];
    let before = await lastOnes();
    for (const seed of seeds) {
      const drawn = await drawIsland(trx, seed);
      const last = await lastOnes();
      islands.push({ ...drawn, ids: [before, last] });
      before = last;
    }
  });
  await db.raw('analyze');
  return islands;
}

const keyed = [...new Set(Object.values(tables).map(([table]) => table))].filter((table) => table !== 'run_events');
const lastIds = `select ${keyed.map((table) => `coalesce((select max(id) from ${table}), 0) as ${table}`).join(', ')}`;

/** The rows of one island. */
export function rowsOf({ rows }: Facts, { ids: [before, last] }: Island, type: string): any[] {
  const [table] = tables[type]!;
  const [key, column] = table === 'run_events' ? ['runs', 'run_id'] : [table, 'id'];
  return rows[type]!.filter((row) => row[column] > before[key]! && row[column] <= last[key]!);
}

export async function readFacts(db: Knex): Promise<Facts> {
  const rows: Facts['rows'] = {};
  for (const [type, [table, where = {}]] of Object.entries(tables)) {
    const events = table === 'run_events';
    rows[type] = await db(table)
      .where(where)
      .orderBy(events ? ['run_id', 'counter'] : ['id']);
    if (!events) continue;
    const kinds = new Map((await db('runs').select('id', 'kind')).map(({ id, kind }) => [id, kind]));
    rows[type] = rows[type]!.map((row) => ({
      ...row,
      id: row.run_id * 2 ** 24 + row.counter,
      run_kind: kinds.get(row.run_id),
    })).filter(({ run_kind }) => run_kind === type.replace('_event', ''));
  }
  const ids = Object.fromEntries(
    Object.entries(rows).map(([type, all]) => [type, new Map(all.map((row) => [row.id, row]))]),
  );
  const links: Record<string, any[]> = {};
  for (const table of linkTables) links[table] = await db(table);
  const indexes = new Map<string, Map<number, any[]>>();
  return {
    graph: await drawGraph(db),
    rows,
    byId: (type, id) => (id === null ? undefined : ids[type]!.get(id)),
    links: (table, column, id) => {
      const key = `${table} ${column}`;
      if (!indexes.has(key))
        indexes.set(
          key,
          Map.groupBy(links[table]!, (link) => link[column]),
        );
      return indexes.get(key)!.get(id) ?? [];
    },
  };
}

/** Does the work for each, some at a time: the database answers one while another one is being compared. */
export async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
