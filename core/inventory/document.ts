import { SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { AnswerTooLargeError } from '../db/answers.ts';
import { runPrepared } from '../db/prepared.ts';
import { loopIn, shownNames } from './import/loops.ts';
import { levelsOf, mostLevels, tooDeep } from './groups/nesting.ts';
import { isStoredJson, mergeVariables, storedJson, storedVariables, type Variables } from '../yaml/variables.ts';

/** What inventories, groups and hosts have stored. */
export const inventoryVariables = (text: string): Promise<Variables> =>
  storedVariables(text, { engineTags: true, patient: true });

export interface DocumentOptions {
  /** adds `_meta.hostvars` */
  hostvars?: boolean;
  /** with hostvars: tells each host's id and whether it is enabled */
  towervars?: boolean;
  /** disabled hosts too */
  all?: boolean;
  /** the `number`-th of `count` round-robin slices of the hosts by name, and those that are in every slice */
  slice?: { number: number; count: number; pinned?: readonly string[] };
  /** that its variables may have together */
  mostBytes?: number;
  /** ids of its hosts, where it holds none itself */
  hosts?: readonly number[] | undefined;
  /** ids of the inventories that it shows, where it holds nothing itself: of what several say, the last counts */
  inputs?: readonly number[] | undefined;
}

interface HostRow extends Named, Stored {
  enabled: boolean;
}

/** The engine's dynamic form: groups by name, and `_meta.hostvars`. */
export type InventoryDocument = Record<string, unknown>;

/**
 * The inventory as the engine reads it (contract §2.1), in one statement at any size.
 * @throws SpecError where it is larger than an inventory may be
 */
export async function inventoryDocument(
  db: Knex,
  inventoryId: number,
  options: DocumentOptions = {},
): Promise<InventoryDocument> {
  const contents = await readContents(db, inventoryId, options);
  const entries = await groupEntries(contents);
  if (options.hostvars) {
    const variables = await readAll(contents.hosts);
    const told = contents.hosts.map((host) => [host.name, withTowervars(host, variables(host), options)]);
    entries.push(['_meta', { hostvars: Object.fromEntries(told) }]);
  }
  // fromEntries, since a group may be called __proto__
  return Object.fromEntries(entries);
}

/**
 * The same as JSON. What hosts have stored as JSON stands in it as it is: to read and to write it all takes longer than to ask for it.
 * @throws SpecError where the inventory is larger than one may be
 */
export async function inventoryText(db: Knex, inventoryId: number, options: DocumentOptions): Promise<string> {
  const contents = await readContents(db, inventoryId, options);
  const groups = JSON.stringify(Object.fromEntries(await groupEntries(contents)));
  if (!options.hostvars) return groups;
  const texts: string[] = [];
  for (const host of contents.hosts) {
    // oxlint-disable-next-line no-await-in-loop
    const variables = rawVariables(host, options) ?? JSON.stringify(await hostVariables(host, options));
    texts.push(`${JSON.stringify(host.name)}:${variables}`);
  }
  return `${groups.slice(0, -1)},"_meta":{"hostvars":{${texts.join(',')}}}}`;
}

const rawVariables = ({ variables }: HostRow, { towervars }: DocumentOptions): string | undefined =>
  !towervars && isStoredJson(variables) ? variables : undefined;

/** `all` and the groups that hold something, by name. */
async function groupEntries({ inventories, hosts, groups, all }: Contents): Promise<[string, unknown][]> {
  const hostNames = namesOf(all.hosts, hosts);
  const groupNames = namesOf(all.groups, groups);
  const members = groups.map((group) => hostNames(group.hosts));
  const below = groups.map((group) => groupNames(group.children));
  assertNotDeep(groups.flatMap(({ name }, at) => below[at]!.map((child) => ({ parent_id: name, child_id: child }))));
  const grouped = new Set(members.flat());
  const variables = await readAll([...inventories, ...all.groups]);
  const ofGroup = Map.groupBy(all.groups, ({ name }) => name);
  const together = (rows: readonly Stored[] = []): Variables => mergeVariables(...rows.map(variables));

  const entries: [string, unknown][] = [
    [
      'all',
      compact({
        hosts: hosts.filter(({ name }) => !grouped.has(name)).map(({ name }) => name),
        children: groups.map((group) => group.name),
        vars: together(inventories),
      }),
    ],
  ];
  for (const [at, group] of groups.entries()) {
    const content = compact({
      hosts: members[at]!,
      children: below[at]!,
      vars: together(ofGroup.get(group.name)),
    });
    if (Object.keys(content).length) entries.push([group.name, content]);
  }
  return entries;
}

/** @throws SpecError */
function assertNotDeep(edges: Parameters<typeof levelsOf>[0]): void {
  if (levelsOf(edges) > mostLevels) throw new SpecError(tooDeep);
}

interface Named {
  id: number;
  name: string;
}

/**
 * The names of those that are taken, in their order, by the ids of all that were read: a disabled host is nobody.
 * Places are sorted, not names: with ids as JSON that takes a twelfth of the CPU time off the script of 10,000 hosts.
 */
function namesOf(all: readonly Named[], taken: readonly Named[]): (ids: number[] | null) => string[] {
  const placeOfName = new Map(taken.map(({ name }, place) => [name, place]));
  const places = new Map(all.map(({ id, name }) => [id, placeOfName.get(name)]));
  return (ids) => {
    const found = new Set<number>();
    for (const id of ids ?? []) {
      const place = places.get(id);
      if (place !== undefined) found.add(place);
    }
    return Array.from(Uint32Array.from(found).toSorted(), (place) => taken[place]!.name);
  };
}

interface Stored {
  variables: string;
}

interface GroupRow extends Named, Stored {
  hosts: number[] | null;
  children: number[] | null;
}

interface Contents {
  /** the last of them is the inventory itself */
  inventories: Stored[];
  /** by name, each name once, as the groups */
  hosts: HostRow[];
  groups: GroupRow[];
  /** those of the same names, too */
  all: { hosts: HostRow[]; groups: GroupRow[] };
}

type ContentRow = { kind: 'inventory' | 'group' | 'host'; place?: number } & GroupRow & HostRow;

interface Where {
  inventories: string;
  hosts: string;
  groups: string;
  /** by which those of one name are ordered: what counts comes last */
  place?: (inventory: string) => string;
}

/**
 * Row by row: what it all comes to need not fit into one text. Ids come as JSON, which is read faster than
 * arrays are. The rows are put in order here: with their variables they are more than Postgres sorts in memory.
 */
const contentsOf = (name: string, { inventories, hosts, groups, place }: Where) => {
  const placed = (inventory: string) => (place ? `, ${place(inventory)} as place` : '');
  return {
    name,
    text: `select 'inventory' as kind, i.id, '' as name, true as enabled, i.variables, null::json as hosts,
      null::json as children${placed('i.id')} from inventories i where ${inventories}
    union all select 'host', h.id, h.name, h.enabled, case when $3 then h.variables else '' end, null, null${placed('h.inventory_id')}
      from hosts h where ${hosts} and (h.enabled or $2)
    union all select 'group', g.id, g.name, true, g.variables,
      (select json_agg(l.host_id) from group_hosts l where l.group_id = g.id),
      (select json_agg(l.child_id) from group_children l where l.parent_id = g.id)${placed('g.inventory_id')}
      from groups g where ${groups}`,
  };
};
const own = {
  inventories: 'i.id = $1',
  hosts: 'h.inventory_id = $1',
  groups: 'g.inventory_id = $1',
};
const ownContents = contentsOf('inventory contents', own);
const foreignContents = contentsOf('inventory contents, hosts of others', {
  ...own,
  hosts: 'h.id = any ($4::bigint[])',
});
const inputContents = contentsOf('inventory contents, of its inputs', {
  inventories: 'i.id = $1 or i.id = any ($4::bigint[])',
  hosts: 'h.inventory_id = any ($4::bigint[])',
  groups: 'g.inventory_id = any ($4::bigint[])',
  place: (inventory) => `coalesce(array_position($4::bigint[], ${inventory}), cardinality($4::bigint[]) + 1)`,
});

/** Of those of one name the enabled, of several inputs the last, comes last: it is what counts. */
function inOrder(one: ContentRow, other: ContentRow): number {
  if (one.name !== other.name) return one.name < other.name ? -1 : 1;
  return Number(one.enabled) - Number(other.enabled) || (one.place ?? 0) - (other.place ?? 0);
}

async function readContents(
  db: Knex,
  inventoryId: number,
  { all = false, hostvars = false, slice, mostBytes, hosts: foreign, inputs }: DocumentOptions,
): Promise<Contents> {
  const elsewhere = inputs ?? foreign;
  const contents = inputs ? inputContents : foreign ? foreignContents : ownContents;
  const statement = { ...contents, mostAnswered: mostBytes };
  const values = [inventoryId, all, hostvars, ...(elsewhere ? [elsewhere] : [])];
  const rows = await runPrepared<ContentRow>(db, statement, values).catch((error: unknown) => {
    if (!(error instanceof AnswerTooLargeError)) throw error;
    throw new SpecError(
      `The inventory is larger than the ${error.most} bytes of INVENTORY_MAX_BYTES: shorten the variables of its hosts and groups, or divide it.`,
    );
  });
  const of = Map.groupBy(rows.toSorted(inOrder), ({ kind }) => kind);
  const read = { hosts: of.get('host') ?? [], groups: of.get('group') ?? [] };
  const hosts = inputs ? [...new Map(read.hosts.map((host) => [host.name, host])).values()] : read.hosts;
  return {
    inventories: of.get('inventory') ?? [],
    groups: inputs ? mergedGroups(read.groups) : read.groups,
    hosts: slice ? sliced(hosts, slice) : hosts,
    all: read,
  };
}

function sliced<Host extends { name: string }>(
  hosts: readonly Host[],
  { number, count, pinned = [] }: NonNullable<DocumentOptions['slice']>,
): Host[] {
  const everywhere = new Set(pinned);
  let shared = 0;
  return hosts.filter(({ name }) => everywhere.has(name) || shared++ % count === number - 1);
}

/**
 * Groups of one name are one: with the members of all.
 * @throws SpecError where together they contain each other: the engine would end for it without a word of which
 */
function mergedGroups(rows: readonly GroupRow[]): GroupRow[] {
  const merged = [...Map.groupBy(rows, ({ name }) => name).values()].map((same) => ({
    ...same.at(-1)!,
    hosts: same.flatMap(({ hosts }) => hosts ?? []),
    children: same.flatMap(({ children }) => children ?? []),
  }));
  const ofName = new Map(merged.map(({ id, name }) => [name, id]));
  const ofRow = new Map(rows.map(({ id, name }) => [id, ofName.get(name)!]));
  const loop = loopIn(
    merged.flatMap(({ id, children }) => children.map((child) => ({ parent_id: id, child_id: ofRow.get(child)! }))),
  );
  if (loop) {
    const names = merged.filter(({ id }) => loop.includes(id)).map(({ name }) => name);
    throw new SpecError(
      `The groups ${shownNames(names)} of the input inventories contain each other. Rename one of them.`,
    );
  }
  return merged;
}

/** Each text once, one after the other: an inventory never has more than one of the threads for long ones. */
async function readAll(rows: readonly Stored[]): Promise<(row: Stored) => Variables> {
  const read = new Map<string, Variables>();
  for (const { variables: text } of rows)
    // oxlint-disable-next-line no-await-in-loop
    if (!read.has(text)) read.set(text, storedJson(text) ?? (await inventoryVariables(text)));
  return (row) => read.get(row.variables)!;
}

export const hostVariables = async (host: HostRow, options: TowerVariables = {}): Promise<Variables> =>
  withTowervars(host, await inventoryVariables(host.variables), options);

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
