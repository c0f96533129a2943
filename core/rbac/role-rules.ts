import type { Actor } from '@tapline/plugin-sdk';
import { heldIdsSql, holds, holdsEverywhere, literals, narrow } from './condition.ts';
import { type RoleType, roleTables } from './definitions.ts';
import { sourcesOf } from './implications.ts';
import { missingRights } from './rights.ts';
import { recallDirect, recallRole } from './row-roles.ts';
import { type CoreRule, connection } from './rules.ts';
import { type SettlingRule, amongIds, either, single } from './settle.ts';

/** Rules over object roles. Superusers pass all of them, auditors those that ask for reading. */

/** At once where it is known without asking the database. */
function holdsBy(
  db: any,
  actor: Actor | null,
  type: RoleType,
  field: string,
  row: any,
  column: string,
): boolean | Promise<boolean> {
  const known = holdsEverywhere(actor, type, field) ?? recallRole(actor!, type, field, row, column);
  if (known !== undefined) return known;
  const needed = [{ type, field, id: row[column] }];
  return missingRights(connection(db, `${type}.${field}`), actor, needed).then(({ length }) => length === 0);
}

/** The caller holds this role on the row itself. */
export function role(type: RoleType, field: string): CoreRule {
  sourcesOf(type, field);
  return {
    name: `${field} on the ${type}`,
    anatomy: { kind: 'role', type, field, column: 'id' },
    row: (actor, row, db) =>
      row.id == null ? actor?.is_superuser === true : holdsBy(db, actor, type, field, row, 'id'),
    query: (actor, builder, alias) => narrow(builder, holds(actor, type, field, alias)),
  };
}

/**
 * The caller holds the role on the record that `column` points at. Without a value only superusers pass, and auditors
 * where it is about reading; `alsoEmpty` says that without a value there is nothing to check.
 */
export function parent(column: string, type: RoleType, field: string, { alsoEmpty = false } = {}): SettlingRule {
  const { paths } = sourcesOf(type, field);
  const { table, kind } = roleTables[type];
  const always = (actor: Actor | null) => holdsEverywhere(actor, type, field) === true;
  /** records that nothing else gives roles on need not be looked at: the grants name them */
  const direct = Object.keys(paths).length === 1;
  const idsSql = (inner: string, alias: string) =>
    direct
      ? heldIdsSql(type, paths.self!)
      : `select "${alias}".id from ${table} "${alias}" where ${kind ? `"${alias}".kind = '${kind}' and ` : ''}${inner}`;
  return {
    name: `${field} on the ${type} by ${column}`,
    anatomy: { kind: 'role', type, field, column },
    row: (actor, row, db) => {
      if (always(actor)) return true;
      if (row[column] == null) return alsoEmpty && actor !== null;
      return holdsBy(db, actor, type, field, row, column);
    },
    query: (actor, builder, alias) => {
      const inner = holds(actor, type, field, `${alias}_p`);
      if (typeof inner === 'boolean') return narrow(builder, inner);
      const ids = `"${alias}"."${column}" in (${idsSql(inner.sql, `${alias}_p`)})`;
      narrow(builder, {
        sql: alsoEmpty ? `(${ids} or "${alias}"."${column}" is null)` : ids,
        bindings: inner.bindings,
      });
    },
    settled: async (settling) => {
      const { actor, alias } = settling;
      const inner = holds(actor, type, field, `${alias}_p`);
      if (typeof inner === 'boolean') return single(inner);
      const among = await amongIds(settling, column, idsSql(inner.sql, `${alias}_p`), inner.bindings);
      return alsoEmpty ? single(either(among.whole, { sql: `"${alias}"."${column}" is null`, bindings: [] })) : among;
    },
  };
}

const directOrganizations = (fields: readonly string[]) =>
  `select r.object_id from role_users g join roles r on r.id = g.role_id where g.user_id = ? and r.content_type = 'organization' and r.role_field in (${literals(fields)})`;

/** The caller stands in the member list of one of these roles of the organization itself: what a role or team implies does not count. */
export function direct(column: string, ...fields: string[]): SettlingRule {
  const name = `direct ${fields.join(' or ')} of the organization by ${column}`;
  const condition = (actor: Actor) => ({ sql: directOrganizations(fields), bindings: [actor.id] });
  return {
    name,
    anatomy: { kind: 'direct', fields, column },
    row: (actor, row, db) => {
      if (!actor || row[column] == null) return false;
      const known = recallDirect(actor, fields, row, column);
      if (known !== undefined) return known;
      const { sql, bindings } = condition(actor);
      const asked = connection(db, name).raw(`select ?::bigint in (${sql}) as ok`, [row[column], ...bindings]);
      return asked.then(({ rows }: { rows: { ok: boolean }[] }) => rows[0]!.ok);
    },
    query: (actor, builder, alias) => {
      if (!actor) return narrow(builder, false);
      const { sql, bindings } = condition(actor);
      narrow(builder, { sql: `"${alias}"."${column}" in (${sql})`, bindings });
    },
    settled: async (settling) => {
      if (!settling.actor) return single(false);
      const { sql, bindings } = condition(settling.actor);
      return amongIds(settling, column, sql, bindings);
    },
  };
}

/** The caller stands in the member list of one of these roles of any organization. */
export const directAnywhere = (...fields: string[]): CoreRule => ({
  name: `direct ${fields.join(' or ')} of any organization`,
  row: async (actor, _row, db) =>
    actor !== null &&
    (await connection(db, 'any organization').raw(`select exists (${directOrganizations(fields)}) as ok`, [actor.id]))
      .rows[0].ok,
  query: (actor, builder) =>
    narrow(builder, actor !== null && { sql: `exists (${directOrganizations(fields)})`, bindings: [actor.id] }),
});

/** Organizations on which the bound user holds a role that gives `field`, as SQL. */
export const organizationsHeldSql = (field: string) =>
  heldIdsSql('organization', sourcesOf('organization', field).paths.self!);
