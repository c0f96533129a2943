import type { Actor, Rule } from '@tapline/plugin-sdk';
import { type RoleType, isRoleType, roleDefinitions, roleTables } from './definitions.ts';
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
}

/** `[path, role field, given to the caller itself]` of each grant. */
type Given = [path: Path, field: string, direct: boolean][];

interface Memo {
  actorId: number;
  /** by type and column; with the id that the column held */
  records: Map<string, { id: unknown; given: Given }>;
}

const memos = new WeakMap<object, Memo>();
const keyOf = (type: string, column: string) => `${type} ${column}`;

/** The columns that these rules look through. */
export function roleColumns(rules: Iterable<Rule | undefined>): RoleColumn[] {
  const found = new Map<string, RoleColumn>();
  const add = (type: string, column: string) => {
    if (isRoleType(type)) found.set(keyOf(type, column), { type, column });
  };
  const walk = (rule: Rule | undefined): void => {
    const anatomy = (rule as CoreRule | undefined)?.anatomy;
    if (anatomy?.kind === 'any' || anatomy?.kind === 'all') anatomy.rules.forEach(walk);
    else if (anatomy?.kind === 'not') walk(anatomy.rule);
    else if (anatomy?.kind === 'role') add(anatomy.type, anatomy.column);
    else if (anatomy?.kind === 'direct') add('organization', anatomy.column);
  };
  for (const rule of rules) walk(rule);
  return [...found.values()];
}

/** What the rule says where the caller, the row and what is remembered of it decide; undefined where the database must be asked. */
export async function judge(rule: Rule, row: any, actor: Actor): Promise<boolean | undefined> {
  const { anatomy } = rule as CoreRule;
  switch (anatomy?.kind) {
    case 'own':
      return rule.row(actor, row);
    case 'any':
      return judgeAll(anatomy.rules, row, actor, true);
    case 'all':
      return judgeAll(anatomy.rules, row, actor, false);
    case 'not': {
      const found = await judge(anatomy.rule, row, actor);
      return found === undefined ? undefined : !found;
    }
    case 'role':
    case 'direct': {
      const type = anatomy.kind === 'role' ? anatomy.type : 'organization';
      const known = row[anatomy.column] == null || recall(actor, type, row, anatomy.column) !== undefined;
      return known ? rule.row(actor, row) : undefined;
    }
    default:
      return undefined;
  }
}

/** One rule that says `decisive` is enough, whatever the others would say. */
async function judgeAll(
  rules: readonly Rule[],
  row: any,
  actor: Actor,
  decisive: boolean,
): Promise<boolean | undefined> {
  let open = false;
  for (const rule of rules) {
    const found = await judge(rule, row, actor);
    if (found === decisive) return decisive;
    open ||= found === undefined;
  }
  return open ? undefined : !decisive;
}

const pathsOf = (type: RoleType): Set<string> =>
  new Set(Object.keys(roleDefinitions[type]).flatMap((field) => Object.keys(sourcesOf(type, field).paths)));

/** The records whose roles reach the one under `id`. */
function reachSql(type: RoleType, id: string): string {
  const { table, kind } = roleTables[type];
  const paths = pathsOf(type);
  const at = `x.id = ${id}${kind ? ` and x.kind = '${kind}'` : ''}`;
  const parts = [`select 'self' as path, '${type}' as type, ${id} as id`];
  if (paths.has('organization'))
    parts.push(`select 'organization', 'organization', x.organization_id from ${table} x where ${at}`);
  if (paths.has('inventory.organization'))
    parts.push(
      `select 'inventory.organization', 'organization', i.organization_id from ${table} x join inventories i on i.id = x.inventory_id where ${at}`,
    );
  return parts.join(' union all ');
}

/** A JSON object of what the caller was given on each of the columns' records: a few key lookups, however many grants there are. */
export function givenSql(columns: readonly RoleColumn[], alias: string, caller: string): string {
  const entries = columns.map(
    ({ type, column }) => `'${keyOf(type, column)}', (
      select coalesce(json_agg(json_build_array(o.path, r.role_field, g.direct)), '[]')
      from (${reachSql(type, `"${alias}"."${column}"`)}) o join roles r on r.content_type = o.type and r.object_id = o.id
      cross join lateral (
        select true as direct from role_users u where u.role_id = r.id and u.user_id = ${caller}
        union all
        select false from role_teams m join team_users u on u.team_id = m.team_id and u.user_id = ${caller} and (u.is_admin or not m.for_admins)
        where m.role_id = r.id
      ) g)`,
  );
  return `json_build_object(${entries.join(', ')})`;
}

export function remember(
  row: any,
  actor: Actor,
  columns: readonly RoleColumn[],
  given: Record<string, Given> | null,
): void {
  const records = columns.map(({ type, column }) => {
    const key = keyOf(type, column);
    return [key, { id: row[column], given: given?.[key] ?? [] }] as const;
  });
  memos.set(row, { actorId: actor.id, records: new Map(records) });
}

/** undefined: not fetched, or fetched for another caller or another value of the column. */
function recall(actor: Actor, type: string, row: any, column: string): Given | undefined {
  const memo = memos.get(row);
  const record = memo?.actorId === actor.id ? memo.records.get(keyOf(type, column)) : undefined;
  return record && record.id === row[column] ? record.given : undefined;
}

/** Whether the caller holds the role on the record under `column`, by any path; undefined where that is not remembered. */
export function recallRole(actor: Actor, type: RoleType, field: string, row: any, column: string): boolean | undefined {
  const { paths } = sourcesOf(type, field);
  return recall(actor, type, row, column)?.some(([path, name]) => paths[path]?.has(name));
}

/** Whether the caller itself stands in the list of one of these roles of the organization under `column`. */
export function recallDirect(actor: Actor, fields: readonly string[], row: any, column: string): boolean | undefined {
  return recall(actor, 'organization', row, column)?.some(([, name, direct]) => direct && fields.includes(name));
}
