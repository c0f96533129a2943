import type { Actor, Columns, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared, type Statement, statement } from '../db/prepared.ts';
import { type RoleType, isRoleType, roleDefinitions, roleTables } from './definitions.ts';
import { type Path, sourcesOf } from './implications.ts';
import type { CoreRule } from './rules.ts';

/** Which roles a caller holds on one record, by any path. */
export interface Held {
  role: (field: string) => boolean;
  /** the caller itself stands in the member list of one of these roles of the record */
  directly: (fields: readonly string[]) => boolean;
}

interface RoleRecord {
  type: RoleType;
  id: number;
}

/** A role that was given on one of the records asked about, or on the organization above it. */
export interface Grant {
  record: number;
  path: Path;
  field: string;
  /** null where only a team has it */
  direct: boolean | null;
}

/** The roles that give any of these roles of a record of this type, by where they are given. */
function sourcesOfAny(type: RoleType, fields: Iterable<string>): Map<Path, Set<string>> {
  const all = new Map<Path, Set<string>>();
  for (const field of fields)
    for (const [path, sources] of Object.entries(sourcesOf(type, field).paths) as [Path, ReadonlySet<string>][])
      all.set(path, new Set([...(all.get(path) ?? []), ...sources]));
  return all;
}

/** The id of the record at the end of the path from the one that `id` names. */
function reachedSql(type: RoleType, path: Path, id: string): string {
  const { table, kind } = roleTables[type];
  const at = `o.id = ${id}${kind ? ` and o.kind = '${kind}'` : ''}`;
  if (path === 'self') return id;
  if (path === 'organization') return `(select o.organization_id from ${table} o where ${at})`;
  return `(select i.organization_id from ${table} o join inventories i on i.id = o.inventory_id where ${at})`;
}

/** Records to ask about: their types, where the statement finds their ids, and the roles in question. */
type Asked = readonly { type: RoleType; id: string; fields: Iterable<string> }[];

/**
 * A few key lookups, however many grants there are. `offset 0` and single values keep it so: as a join or as `exists`,
 * Postgres may read all roles, or all grants of the caller.
 */
function grantsSql(asked: Asked, caller: string): string {
  const reached = asked.flatMap(({ type, id, fields: roles }, record) =>
    [...sourcesOfAny(type, roles)].map(
      ([path, fields]) =>
        `(${record}, '${path}', '${path === 'self' ? type : 'organization'}', ${reachedSql(type, path, id)}, '{${[...fields].join(',')}}'::text[])`,
    ),
  );
  return `
    select g.record, g.path, g.field, g.direct from (
      select a.record, a.path, r.role_field as field,
        (select true from role_users u where u.role_id = r.id and u.user_id = ${caller}) as direct,
        (select true from role_teams m join team_users u
           on u.team_id = m.team_id and u.user_id = ${caller} and (u.is_admin or not m.for_admins)
         where m.role_id = r.id limit 1) as by_team
      from (values ${reached.join(', ')}) a (record, path, type, id, fields)
      cross join lateral (
        select r.id, r.role_field from roles r
        where r.content_type = a.type and r.object_id = a.id and r.role_field = any (a.fields) offset 0
      ) r offset 0
    ) g where g.direct or g.by_team`;
}

function heldBy({ type }: { type: RoleType }, grants: readonly Grant[]): Held {
  return {
    role(field) {
      const { paths } = sourcesOf(type, field);
      return grants.some((grant) => paths[grant.path]?.has(grant.field));
    },
    directly: (fields) => grants.some(({ path, field, direct }) => path === 'self' && direct && fields.includes(field)),
  };
}

const statements = new Map<RoleType, Statement>();

/** Asks about every role of a record of this type. */
function statementOf(type: RoleType): Statement {
  let known = statements.get(type);
  if (!known) {
    const fields = Object.keys(roleDefinitions[type]);
    statements.set(type, (known = statement(grantsSql([{ type, id: '$1::bigint', fields }], '$2'))));
  }
  return known;
}

const ask = async (db: Knex, actor: Actor, { type, id }: RoleRecord): Promise<Held> =>
  heldBy({ type }, await runPrepared(db, statementOf(type), [id, actor.id]));

/** A column that rules look through for roles, what kind of record it names, and which of its roles they ask about. */
export interface RoleColumn {
  type: RoleType;
  column: string;
  fields: Set<string>;
}

/** The columns that these rules look through. */
export function roleColumns(rules: Iterable<Rule | undefined>): RoleColumn[] {
  const columns = new Map<string, RoleColumn>();
  const walk = (rule: Rule | undefined): void => {
    const { asks, parts } = (rule ?? {}) as CoreRule;
    if (asks && isRoleType(asks.type)) {
      const { type, column, field, directly = [] } = asks;
      const known = columns.get(`${type} ${column}`) ?? { type, column, fields: new Set() };
      for (const one of field === undefined ? directly : [field]) known.fields.add(one);
      columns.set(`${type} ${column}`, known);
    }
    if (parts && parts.of !== 'via') parts.rules.forEach(walk);
  };
  for (const rule of rules) walk(rule);
  return [...columns.values()];
}

/** What `keepBeside` takes, as a column of a statement that reads a row under `alias`. */
export const besideSql = (columns: readonly RoleColumn[], alias: string, caller: string): string =>
  `(select coalesce(json_agg(b), '[]') from (${grantsSql(
    columns.map(({ type, column, fields }) => ({ type, id: `"${alias}"."${column}"`, fields })),
    caller,
  )}) b)`;

const keyOf = ({ type, id }: RoleRecord) => `${type} ${id}`;

interface Beside {
  actorId: number;
  /** with the roles that were asked about: of others it tells nothing */
  held: Map<string, { held: Held; fields: ReadonlySet<string> }>;
}

const beside = new WeakMap<object, Beside>();

/** Keeps what came along with a row: its rules ask the database no more about these roles of this caller, until the row is let go. */
export function keepBeside(row: Columns, actor: Actor, columns: readonly RoleColumn[], grants: readonly Grant[]): void {
  const held: Beside['held'] = new Map();
  for (const [index, { type, column, fields }] of columns.entries()) {
    const given = grants.filter(({ record }) => record === index);
    held.set(keyOf({ type, id: Number(row[column]) }), { held: heldBy({ type }, given), fields });
  }
  beside.set(row, { actorId: actor.id, held });
}

export const hasBeside = (row: object): boolean => beside.has(row);

/**
 * What the caller holds on a record, asked for the sake of these of its roles; `row` is the one that the rule is about. What is kept beside it spares a detail, and each
 * list below one record, a statement: without it such lists miss their reach (9 of 8), and an ordinary user's job takes
 * 0.89 of the requests per second, 0.37 where its capabilities are asked for by query forms (`bench api`).
 */
export async function heldOn(
  db: Knex,
  actor: Actor,
  record: RoleRecord,
  fields: readonly string[],
  row: object,
): Promise<Held> {
  const known = beside.get(row);
  const along = known?.actorId === actor.id ? known.held.get(keyOf(record)) : undefined;
  return along && fields.every((field) => along.fields.has(field)) ? along.held : ask(db, actor, record);
}
