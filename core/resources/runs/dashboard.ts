import type { Actor, PluginRoute, Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { integer, record, text } from '../../descriptors/describe/json-schema.ts';
import { inventorySourceCounts, isSource } from '../../inventory/counts.ts';
import { authenticated } from '../../rbac/rules.ts';
import type { Visible } from '../../runs/access.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import { jobsGraph } from './dashboard-graph.ts';

interface Deps {
  db: Knex;
  visible: Visible;
  kinds: RunKinds;
}

export type Seen = (type: string, actor: Actor | null) => Knex.QueryBuilder | undefined;

/** The rows of a type that a caller sees, under the alias `t`; undefined where nobody serves the type. */
function seenBy({ db, visible }: Deps, resources: readonly Resource[]): Seen {
  return (type, actor) => {
    const found = resources.find((resource) => resource.type === type);
    if (!found) return undefined;
    const { table, where, listed } = found;
    const rows = db.from(`${table} as t`);
    for (const [column, value] of Object.entries(where ?? {})) rows.where(`t.${column}`, value);
    visible(type).query(actor, rows, 't');
    listed?.(rows, 't');
    return rows;
  };
}

const v2 = (path: string) => `/api/v2/${path}`;
const sourceControl = { git: 'Git', svn: 'Subversion', archive: 'Remote Archive' } as const;
const lastRunFailed = 't.last_job_failed';
const hostFailed = 'exists (select 1 from job_host_summaries s where s.id = t.last_job_host_summary_id and s.failed)';
/** Those of constructed inventories are the same machines once more (contract, conventions §16.5). */
const originalHost = `not exists (select 1 from inventories i where i.id = t.inventory_id and i.kind = 'constructed')`;
const inventoryFailed =
  'exists (select 1 from hosts h join job_host_summaries s on s.id = h.last_job_host_summary_id where h.inventory_id = t.id and s.failed)';

const hasSource = inventorySourceCounts.has_inventory_sources.replaceAll('{alias}', 't');
const ofFailedSource =
  'exists (select 1 from source_groups g join templates s on s.id = g.source_id where g.group_id = t.id and s.last_job_failed)';

/** What is counted: the type, and a further condition on its rows. */
const counted: Record<string, [type: string, condition?: string]> = {
  inventories: ['inventory'],
  inventories_failed: ['inventory', inventoryFailed],
  inventories_with_source: ['inventory', hasSource],
  inventory_updates_failed: ['inventory_source', `${isSource('t')} and ${lastRunFailed}`],
  sources: ['inventory_source', `t.source = 'ec2'`],
  sources_failed: ['inventory_source', `t.source = 'ec2' and ${lastRunFailed}`],
  groups: ['group'],
  groups_failed: ['group', ofFailedSource],
  hosts: ['host', originalHost],
  hosts_failed: ['host', `${originalHost} and ${hostFailed}`],
  projects: ['project'],
  projects_failed: ['project', lastRunFailed],
  ...Object.fromEntries(
    Object.keys(sourceControl).flatMap((type) => [
      [type, ['project', `t.scm_type = '${type}'`]],
      [`${type}_failed`, ['project', `t.scm_type = '${type}' and ${lastRunFailed}`]],
    ]),
  ),
  users: ['user'],
  organizations: ['organization'],
  teams: ['team'],
  credentials: ['credential'],
  job_templates: ['job_template'],
};

/** All of it in one statement. */
async function count(db: Knex, seen: Seen, actor: Actor | null): Promise<Record<string, number>> {
  const columns = Object.entries(counted).map(([name, [type, condition]]) => {
    const rows = seen(type, actor);
    if (!rows) return [name, db.raw('0')];
    if (condition) rows.whereRaw(condition);
    return [name, db.raw('?', [rows.count('*')])];
  });
  const [row] = await db.select(Object.fromEntries(columns));
  return row;
}

const failing = (n: Record<string, number>, name: string, path: string, failures: string) => ({
  url: v2(path),
  failures_url: v2(failures),
  total: n[name],
  failed: n[`${name}_failed`],
});

function shown(n: Record<string, number>): Record<string, unknown> {
  const plain = ['users', 'organizations', 'teams', 'credentials', 'job_templates'];
  return {
    related: { jobs_graph: v2('dashboard/graphs/jobs/') },
    inventories: {
      url: v2('inventories/'),
      total: n.inventories,
      total_with_inventory_source: n.inventories_with_source,
      job_failed: n.inventories_failed,
      inventory_failed: n.inventory_updates_failed,
    },
    inventory_sources: {
      ec2: {
        label: 'Amazon EC2',
        ...failing(n, 'sources', 'inventory_sources/?source=ec2', 'inventory_sources/?source=ec2&last_job_failed=True'),
      },
    },
    groups: { url: v2('groups/'), total: n.groups, inventory_failed: n.groups_failed },
    hosts: failing(n, 'hosts', 'hosts/', 'hosts/?has_active_failures=True'),
    projects: failing(n, 'projects', 'projects/', 'projects/?last_job_failed=True'),
    scm_types: Object.fromEntries(
      Object.entries(sourceControl).map(([type, label]) => {
        const list = `projects/?scm_type=${type}`;
        return [type, { label, ...failing(n, type, list, `${list}&last_job_failed=True`) }];
      }),
    ),
    ...Object.fromEntries(plain.map((name) => [name, { url: v2(`${name}/`), total: n[name] }])),
  };
}

const counts = record({ url: text, total: integer });
const withFailures = { url: text, failures_url: text, total: integer, failed: integer };
const labelled = record({ label: text, ...withFailures });
const answer = record({
  related: record({ jobs_graph: text }),
  inventories: record({
    url: text,
    total: integer,
    total_with_inventory_source: integer,
    job_failed: integer,
    inventory_failed: integer,
  }),
  inventory_sources: record({ ec2: labelled }),
  groups: record({ url: text, total: integer, inventory_failed: integer }),
  hosts: record(withFailures),
  projects: record(withFailures),
  scm_types: record({ git: labelled, svn: labelled, archive: labelled }),
  users: counts,
  organizations: counts,
  teams: counts,
  credentials: counts,
  job_templates: counts,
});

/** What older web clients show first: how much there is of what the caller sees, and how jobs went. */
export function dashboardRoutes(deps: Deps, resources: readonly Resource[]): PluginRoute[] {
  const seen = seenBy(deps, resources);
  return [
    {
      path: v2('dashboard/'),
      root: 'dashboard',
      summary: 'How much there is of what the caller sees',
      access: { GET: authenticated },
      answers: { GET: { schema: answer } },
      deprecated: { since: '2026-11-22T00:00:00Z', why: 'count by the lists themselves.' },
      handler: async ({ actor }) => ({
        status: 200,
        body: shown(await count(deps.db, seen, actor)),
      }),
    },
    jobsGraph(deps, seen),
  ];
}
