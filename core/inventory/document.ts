import type { Knex } from 'knex';
import { runPrepared } from '../engine/prepared.ts';
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

/** The inventory as the engine reads it (contract §2.1), in one statement at any size. */
export async function inventoryDocument(
  db: Knex,
  inventoryId: number,
  options: DocumentOptions = {},
): Promise<InventoryDocument> {
  const { inventory, hosts, groups, group_hosts, group_children } = await readContents(db, inventoryId, options);
  const grouped = new Set(group_hosts.map(([, host]) => host));
  const members = namesByGroup(group_hosts, hosts);
  const children = namesByGroup(group_children, groups);
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

interface Contents {
  inventory: { variables: string } | null;
  /** by name, as the groups */
  hosts: HostRow[];
  groups: { id: number; name: string; variables: string }[];
  group_hosts: Edge[];
  group_children: Edge[];
}

const list = (items: string, from: string) => `coalesce((select json_agg(${items}) from ${from}), '[]')`;
const pairs = (table: string, group: string, member: string) =>
  list(
    `json_build_array(l.${group}, l.${member})`,
    `groups g join ${table} l on l.${group} = g.id where g.inventory_id = $1`,
  );

const contents = {
  name: 'inventory contents',
  text: `select
    (select json_build_object('variables', i.variables) from inventories i where i.id = $1) as inventory,
    ${list(
      `json_build_object('id', h.id, 'name', h.name, 'enabled', h.enabled, 'variables', case when $3 then h.variables else '' end) order by h.name`,
      'hosts h where h.inventory_id = $1 and (h.enabled or $2)',
    )} as hosts,
    ${list(
      `json_build_object('id', g.id, 'name', g.name, 'variables', g.variables) order by g.name`,
      'groups g where g.inventory_id = $1',
    )} as groups,
    ${pairs('group_hosts', 'group_id', 'host_id')} as group_hosts,
    ${pairs('group_children', 'parent_id', 'child_id')} as group_children`,
};

async function readContents(
  db: Knex,
  inventoryId: number,
  { all = false, hostvars = false, slice }: DocumentOptions,
): Promise<Contents> {
  const [found]: Contents[] = await runPrepared(db, contents, [inventoryId, all, hostvars]);
  const { hosts } = found!;
  return {
    ...found!,
    hosts: slice ? hosts.filter((_, index) => index % slice.count === slice.number - 1) : hosts,
  };
}

/** Each text once, one after the other: an inventory never has more than one of the threads for long ones. */
async function readAll(
  rows: ({ variables: string } | null)[],
): Promise<(row: { variables: string } | null) => Variables> {
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
