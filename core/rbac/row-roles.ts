import type { Actor, Rule } from '@tapline/plugin-sdk';
import { holdsEverywhere } from './condition.ts';
import { type RoleType, isRoleType, roleTables } from './definitions.ts';
import { type Path, sourcesOf } from './implications.ts';
import type { CoreRule } from './rules.ts';

/**
 * What a caller was given on the records that one row names, fetched along with the row: rules about it then ask the
 * database nothing more. It is kept beside the row and not in it, so that it ends with it and is never copied to another.
 */

/** A column that rules look through for roles, and the kind of record it names. */
export interface RoleColumn {
  type: RoleType;
  column: string;
  /** the roles that they ask about */
  fields: ReadonlySet<string>;
}

/** `[number of the reach, role field, given to the caller itself]` of each grant; the last is null where only a team has it. */
type Fetched = [reach: number, field: string, direct: boolean | null][];

interface Given {
  path: Path;
  field: string;
  direct: boolean;
}

interface Memo {
  actorId: number;
  /** by type and column; with the id that the column held */
  records: Map<string, { id: unknown; asked: RoleColumn; given: Given[] }>;
}

const memos = new WeakMap<object, Memo>();
const keyOf = (type: string, column: string) => `${type} ${column}`;

/** The columns that these rules look through. */
export function roleColumns(rules: Iterable<Rule | undefined>): RoleColumn[] {
  const found = new Map<string, RoleColumn>();
  const add = (type: string, column: string, fields: readonly string[]) => {
    if (!isRoleType(type)) return;
    const known = found.get(keyOf(type, column))?.fields ?? [];
    found.set(keyOf(type, column), { type, column, fields: new Set([...known, ...fields]) });
  };
  const walk = (rule: Rule | undefined): void => {
    const anatomy = (rule as CoreRule | undefined)?.anatomy;
    if (anatomy?.kind === 'any' || anatomy?.kind === 'all') anatomy.rules.forEach(walk);
    else if (anatomy?.kind === 'not') walk(anatomy.rule);
    else if (anatomy?.kind === 'role') add(anatomy.type, anatomy.column, [anatomy.field]);
    else if (anatomy?.kind === 'direct') add('organization', anatomy.column, anatomy.fields);
  };
  for (const rule of rules) walk(rule);
  return [...found.values()];
}

type Judgement = boolean | undefined;

/**
 * What the rule says where the caller, the row and what is remembered of it decide; undefined where the database must be
 * asked. Nothing here waits: what a rule would have to wait for is not known.
 */
export function judge(rule: Rule, row: any, actor: Actor): Judgement {
  const { anatomy } = rule as CoreRule;
  switch (anatomy?.kind) {
    case 'own':
      return atOnce(rule.row(actor, row));
    case 'any':
      return judgeAll(anatomy.rules, row, actor, true);
    case 'all':
      return judgeAll(anatomy.rules, row, actor, false);
    case 'not': {
      const found = judge(anatomy.rule, row, actor);
      return found === undefined ? undefined : !found;
    }
    case 'role': {
      const { type, field, column } = anatomy as { type: RoleType; field: string; column: string };
      if (row[column] == null) return atOnce(rule.row(actor, row));
      return holdsEverywhere(actor, type, field) ?? recallRole(actor, type, field, row, column);
    }
    case 'direct':
      return row[anatomy.column] == null ? false : recallDirect(actor, anatomy.fields, row, anatomy.column);
    default:
      return undefined;
  }
}

const atOnce = (found: boolean | Promise<boolean>): Judgement => (typeof found === 'boolean' ? found : undefined);

/** One rule that says `decisive` is enough, whatever the others would say. */
function judgeAll(rules: readonly Rule[], row: any, actor: Actor, decisive: boolean): Judgement {
  let open = false;
  for (const rule of rules) {
    const found = judge(rule, row, actor);
    if (found === decisive) return decisive;
    open ||= found === undefined;
  }
  return open ? undefined : !decisive;
}

/** A record whose roles reach the one that a column names, and which of its roles matter. */
interface Reach {
  of: RoleColumn;
  path: Path;
  fields: ReadonlySet<string>;
}

/** In the order in which the statement numbers them. */
function reachesOf(columns: readonly RoleColumn[]): Reach[] {
  return columns.flatMap((of) => {
    const paths = new Map<Path, Set<string>>();
    for (const field of of.fields) {
      for (const [path, names] of Object.entries(sourcesOf(of.type, field).paths) as [Path, ReadonlySet<string>][])
        paths.set(path, new Set([...(paths.get(path) ?? []), ...names]));
    }
    return [...paths].map(([path, fields]) => ({ of, path, fields }));
  });
}

/** The id of the record at the end of the path. */
function reachedSql({ of: { type, column }, path }: Reach, alias: string): string {
  const { table, kind } = roleTables[type];
  const id = `"${alias}"."${column}"`;
  if (path === 'self') return id;
  const at = `o.id = ${id}${kind ? ` and o.kind = '${kind}'` : ''}`;
  if (path === 'organization') return `(select o.organization_id from ${table} o where ${at})`;
  return `(select i.organization_id from ${table} o join inventories i on i.id = o.inventory_id where ${at})`;
}

/**
 * A JSON list of what the caller was given on each of the columns' records: a few key lookups, however many grants there are.
 * `offset 0` and single values keep it so: as a join or as `exists`, Postgres may read all roles, or all grants of the caller.
 */
export function givenSql(columns: readonly RoleColumn[], alias: string, caller: string): string {
  const reaches = reachesOf(columns).map((reach, index) => {
    const type = reach.path === 'self' ? reach.of.type : 'organization';
    return `(${index}, '${type}', ${reachedSql(reach, alias)}, '{${[...reach.fields].join(',')}}'::text[])`;
  });
  if (!reaches.length) return `'[]'::json`;
  return `(
    select coalesce(json_agg(json_build_array(g.reach, g.role_field, g.direct)), '[]') from (
      select a.reach, r.role_field,
        (select true from role_users u where u.role_id = r.id and u.user_id = ${caller}) as direct,
        (select true from role_teams m join team_users u on u.team_id = m.team_id and u.user_id = ${caller} and (u.is_admin or not m.for_admins)
         where m.role_id = r.id limit 1) as by_team
      from (values ${reaches.join(', ')}) a (reach, type, id, fields)
      cross join lateral (
        select r.id, r.role_field from roles r
        where r.content_type = a.type and r.object_id = a.id and r.role_field = any (a.fields) offset 0
      ) r offset 0
    ) g where g.direct or g.by_team)`;
}

const named = new WeakMap<readonly RoleColumn[], { key: string; path: Path }[]>();

/** The column and path that each number of a reach stands for. */
function namesOf(columns: readonly RoleColumn[]): { key: string; path: Path }[] {
  let names = named.get(columns);
  if (!names) {
    names = reachesOf(columns).map(({ of, path }) => ({ key: keyOf(of.type, of.column), path }));
    named.set(columns, names);
  }
  return names;
}

/** @param fetched what `givenSql` says of the same columns */
export function remember(
  row: any,
  actor: Actor,
  columns: readonly RoleColumn[],
  fetched: Fetched | null | undefined,
): void {
  const names = namesOf(columns);
  const records: Memo['records'] = new Map();
  for (const asked of columns)
    records.set(keyOf(asked.type, asked.column), { id: row[asked.column], asked, given: [] });
  for (const [reach, field, direct] of fetched ?? []) {
    const { key, path } = names[reach]!;
    records.get(key)!.given.push({ path, field, direct: direct === true });
  }
  memos.set(row, { actorId: actor.id, records });
}

/** undefined: not fetched, or fetched for another caller or another value of the column. */
function recall(actor: Actor, type: string, row: any, column: string) {
  const memo = memos.get(row);
  const record = memo?.actorId === actor.id ? memo.records.get(keyOf(type, column)) : undefined;
  return record && record.id === row[column] ? record : undefined;
}

/** Whether the caller holds the role on the record under `column`, by any path; undefined where that is not remembered. */
export function recallRole(actor: Actor, type: RoleType, field: string, row: any, column: string): boolean | undefined {
  const record = recall(actor, type, row, column);
  if (!record?.asked.fields.has(field)) return undefined;
  const { paths } = sourcesOf(type, field);
  return record.given.some((given) => paths[given.path]?.has(given.field));
}

/** Whether the caller itself stands in the list of one of these roles of the organization under `column`. */
export function recallDirect(actor: Actor, fields: readonly string[], row: any, column: string): boolean | undefined {
  const record = recall(actor, 'organization', row, column);
  if (!record || !fields.every((field) => record.asked.fields.has(field))) return undefined;
  return record.given.some(({ path, field, direct }) => path === 'self' && direct && fields.includes(field));
}
