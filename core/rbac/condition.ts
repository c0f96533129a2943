import type { Actor, Builder } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { RoleType } from './definitions.ts';
import { type Path, sourcesOf } from './implications.ts';

/** true: every row; false: none; else a condition over the row's columns. */
export type Condition = boolean | { sql: string; bindings: Knex.RawBinding[] };

/** Constants of ours (role fields, type names), never input. */
export const literals = (values: Iterable<string>) => [...values].map((value) => `'${value}'`).join(', ');

/** Ids of the records of a kind on which the bound user was given one of these roles, directly or with a team. */
export const heldIdsSql = (type: string, fields: Iterable<string>) =>
  `select held_ids(?, '${type}', '{${[...fields].join(',')}}')`;

const pathSql: Record<Path, (alias: string, type: RoleType, fields: Iterable<string>) => string> = {
  self: (alias, type, fields) => `"${alias}".id in (${heldIdsSql(type, fields)})`,
  organization: (alias, _type, fields) => `"${alias}".organization_id in (${heldIdsSql('organization', fields)})`,
  'inventory.organization': (alias, _type, fields) =>
    `"${alias}".inventory_id in (select i.id from inventories i where i.organization_id in (${heldIdsSql('organization', fields)}))`,
};

/** Whether the actor holds `field` on every record of `type`, or on none; undefined where the record decides. */
export function holdsEverywhere(actor: Actor | null, type: RoleType, field: string): boolean | undefined {
  if (!actor) return false;
  if (actor.is_superuser) return true;
  if (!actor.is_system_auditor) return undefined;
  // an auditor reads what no organization owns, too
  return field === 'read_role' || sourcesOf(type, field).system.has('system_auditor') || undefined;
}

/** Which records of `type` under `alias` the actor holds `field` on, by any path. */
export function holds(actor: Actor | null, type: RoleType, field: string, alias: string): Condition {
  const everywhere = holdsEverywhere(actor, type, field);
  if (everywhere !== undefined || !actor) return everywhere ?? false;
  const { paths } = sourcesOf(type, field);
  const parts = Object.entries(paths).map(([path, fields]) => pathSql[path as Path](alias, type, fields));
  return { sql: parts.length === 1 ? parts[0]! : `(${parts.join(' or ')})`, bindings: parts.map(() => actor.id) };
}

export function narrow(builder: Builder, condition: Condition): void {
  if (condition === true) return;
  if (condition === false) builder.whereRaw('false');
  else builder.whereRaw(condition.sql, condition.bindings);
}
