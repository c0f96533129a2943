import type { Knex } from 'knex';
import { type Variables, readStored } from './variables.ts';

export interface DocumentOptions {
  /** adds `_meta.hostvars` */
  hostvars?: boolean;
  /** with hostvars: tells each host's id and whether it is enabled */
  towervars?: boolean;
  /** disabled hosts too */
  all?: boolean;
  /** the `number`-th of `count` round-robin slices of the hosts by name */
  slice?: { number: number; count: number };
}

interface HostRow {
  id: number;
  name: string;
  enabled: boolean;
  variables: string;
}

export type InventoryDocument = Record<string, any>;

/** The inventory as the engine reads it (contract §2.1), in four queries at any size. */
export async function inventoryDocument(
  db: Knex,
  inventoryId: number,
  options: DocumentOptions = {},
): Promise<InventoryDocument> {
  const [inventory, hosts, groups, edges] = await Promise.all([
    db('inventories').select('variables').where({ id: inventoryId }).first(),
    readHosts(db, inventoryId, options),
    db('groups').select('id', 'name', 'variables').where({ inventory_id: inventoryId }).orderBy('name'),
    readEdges(db, inventoryId),
  ]);
  const grouped = new Set(edges.hosts.map(([, host]) => host));
  const members = namesByGroup(edges.hosts, hosts);
  const children = namesByGroup(edges.children, groups);
  const variables = await readAll([inventory, ...groups, ...(options.hostvars ? hosts : [])]);

  const entries: [string, unknown][] = [
    [
      'all',
      compact({
        hosts: hosts.filter((host) => !grouped.has(host.id)).map((host) => host.name),
        children: groups.map((group) => group.name),
        vars: variables(inventory),
      }),
    ],
  ];
  for (const group of groups) {
    const content = compact({
      hosts: members.get(group.id)?.toSorted() ?? [],
      children: children.get(group.id)?.toSorted() ?? [],
      vars: variables(group),
    });
    if (Object.keys(content).length) entries.push([group.name, content]);
  }
  if (options.hostvars)
    entries.push([
      '_meta',
      { hostvars: Object.fromEntries(hosts.map((host) => [host.name, withTowervars(host, variables(host), options)])) },
    ]);
  // fromEntries, since a group may be called __proto__
  return Object.fromEntries(entries);
}

type Edge = [group: number, member: number];

/** Whom each group holds; what was not read (a disabled host) is nobody. */
function namesByGroup(edges: Edge[], rows: { id: number; name: string }[]) {
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const found = new Map<number, string[]>();
  for (const [group, member] of edges) {
    const name = names.get(member);
    if (name === undefined) continue;
    const list = found.get(group);
    if (list) list.push(name);
    else found.set(group, [name]);
  }
  return found;
}

async function readHosts(db: Knex, inventoryId: number, { all, hostvars, slice }: DocumentOptions): Promise<HostRow[]> {
  const query = db('hosts')
    .select('id', 'name', 'enabled', ...(hostvars ? ['variables'] : []))
    .where({ inventory_id: inventoryId })
    .orderBy('name');
  const rows: HostRow[] = await (all ? query : query.where({ enabled: true }));
  return slice ? rows.filter((_, index) => index % slice.count === slice.number - 1) : rows;
}

/** One statement for both kinds of edges. */
async function readEdges(db: Knex, inventoryId: number): Promise<{ hosts: Edge[]; children: Edge[] }> {
  const { rows } = await db.raw(
    `
    select gh.group_id as parent, gh.host_id as child, true as host from groups g join group_hosts gh on gh.group_id = g.id where g.inventory_id = :id
    union all
    select gc.parent_id, gc.child_id, false from groups g join group_children gc on gc.parent_id = g.id where g.inventory_id = :id`,
    { id: inventoryId },
  );
  const edges = (host: boolean) =>
    rows.filter((row: any) => row.host === host).map((row: any) => [row.parent, row.child]);
  return { hosts: edges(true), children: edges(false) };
}

/** Each text once, one after the other: an inventory never has more than one of the threads for long ones. */
async function readAll(
  rows: ({ variables: string } | undefined)[],
): Promise<(row?: { variables: string }) => Variables> {
  const read = new Map<string, Variables>();
  for (const text of new Set(rows.map((row) => row?.variables ?? '')))
    // oxlint-disable-next-line no-await-in-loop
    read.set(text, await readStored(text));
  return (row) => read.get(row?.variables ?? '')!;
}

export const hostVariables = async (host: HostRow, options: TowerVariables = {}): Promise<Variables> =>
  withTowervars(host, await readStored(host.variables), options);

type TowerVariables = Pick<DocumentOptions, 'towervars'>;

function withTowervars(host: HostRow, variables: Variables, { towervars }: TowerVariables): Variables {
  if (!towervars) return variables;
  const enabled = String(host.enabled);
  return {
    ...variables,
    remote_host_enabled: enabled,
    remote_host_id: host.id,
    remote_tower_enabled: enabled,
    remote_tower_id: host.id,
  };
}

/** Empty lists and mappings are left out. */
const compact = (content: Record<string, object>) =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => Object.keys(value).length > 0));
