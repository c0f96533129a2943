import type { Actor, Columns } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runBuilt } from '../db/prepared.ts';
import { heldIdsSql, holds, holdsEverywhere, literals, narrow } from './condition.ts';
import { type RoleType, roleTables } from './definitions.ts';
import { sourcesOf } from './implications.ts';
import { heldOn } from './held.ts';
import { type CoreRule, type Ids, connection } from './rules.ts';

/** Rules over object roles. Superusers pass all of them, auditors those that ask for reading. */

async function holdsBy(
  db: Knex | undefined,
  actor: Actor | null,
  type: RoleType,
  field: string,
  row: Columns,
  column: string,
): Promise<boolean> {
  const everywhere = holdsEverywhere(actor, type, field);
  if (everywhere !== undefined || !actor) return everywhere ?? false;
  const record = { type, id: Number(row[column]) };
  const held = await heldOn(connection(db, `${type}.${field}`), actor, record, [field], row);
  return held.role(field);
}

/** The caller holds this role on the row itself. */
export function role(type: RoleType, field: string): CoreRule {
  sourcesOf(type, field);
  return {
    name: `${field} on the ${type}`,
    asks: { type, field, column: 'id' },
    row: async (actor, row, db) =>
      row.id == null ? actor?.is_superuser === true : holdsBy(db, actor, type, field, row, 'id'),
    query: (actor, builder, alias) => narrow(builder, holds(actor, type, field, alias)),
  };
}

/** Of the rows whose `column` holds one of the ids that a statement of ours selects. */
const amongSql = (alias: string, { column, sql, bindings }: Ids) => ({
  sql: `"${alias}"."${column}" in (${sql})`,
  bindings: [...bindings],
});

/**
 * The caller holds the role on the record that `column` points at. Without a value only superusers pass, and auditors
 * where it is about reading; `alsoEmpty` says that without a value there is nothing to check.
 */
export function parent(column: string, type: RoleType, field: string, { alsoEmpty = false } = {}): CoreRule {
  const { paths } = sourcesOf(type, field);
  const { table, kind } = roleTables[type];
  const ids = (actor: Actor | null): Ids | undefined => {
    const held = holds(actor, type, field, 'p');
    if (typeof held === 'boolean') return undefined;
    // records that nothing else gives roles on need not be looked at: the grants name them
    const sql =
      Object.keys(paths).length === 1
        ? heldIdsSql(type, paths.self!)
        : `select "p".id from ${table} "p" where ${kind ? `"p".kind = '${kind}' and ` : ''}${held.sql}`;
    return { column, sql, bindings: held.bindings };
  };
  return {
    name: `${field} on the ${type} by ${column}`,
    asks: { type, field, column },
    row: async (actor, row, db) => {
      if (holdsEverywhere(actor, type, field)) return true;
      if (row[column] == null) return alsoEmpty && actor !== null;
      return holdsBy(db, actor, type, field, row, column);
    },
    query: (actor, builder, alias) => {
      const held = ids(actor);
      if (!held) return narrow(builder, holdsEverywhere(actor, type, field) === true);
      const { sql, bindings } = amongSql(alias, held);
      narrow(builder, { sql: alsoEmpty ? `(${sql} or "${alias}"."${column}" is null)` : sql, bindings });
    },
    ids: alsoEmpty ? undefined : ids,
  };
}

const directOrganizations = (fields: readonly string[]) =>
  `select r.object_id from role_users g join roles r on r.id = g.role_id where g.user_id = ? and r.content_type = 'organization' and r.role_field in (${literals(fields)})`;

/** The caller stands in the member list of one of these roles of the organization itself: what a role or team implies does not count. */
export function direct(column: string, ...fields: string[]): CoreRule {
  const name = `direct ${fields.join(' or ')} of the organization by ${column}`;
  const ids = (actor: Actor): Ids => ({ column, sql: directOrganizations(fields), bindings: [actor.id] });
  return {
    name,
    asks: { type: 'organization', column, directly: fields },
    row: async (actor, row, db) => {
      if (!actor || row[column] == null) return false;
      const record = { type: 'organization', id: Number(row[column]) } as const;
      const held = await heldOn(connection(db, name), actor, record, fields, row);
      return held.directly(fields);
    },
    query: (actor, builder, alias) => narrow(builder, actor !== null && amongSql(alias, ids(actor))),
    ids,
  };
}

/** The caller stands in the member list of one of these roles of any organization. */
export const directAnywhere = (...fields: string[]): CoreRule => ({
  name: `direct ${fields.join(' or ')} of any organization`,
  row: async (actor, _row, db) => {
    if (!actor) return false;
    const known = connection(db, 'any organization');
    return (await runBuilt(known, known.raw(`${directOrganizations(fields)} limit 1`, [actor.id]))).length > 0;
  },
  query: (actor, builder) =>
    narrow(builder, actor !== null && { sql: `exists (${directOrganizations(fields)})`, bindings: [actor.id] }),
});

/** Organizations on which the bound user holds a role that gives `field`, as SQL. */
export const organizationsHeldSql = (field: string) =>
  heldIdsSql('organization', sourcesOf('organization', field).paths.self!);
