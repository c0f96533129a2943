import type { Actor } from '@tapline/plugin-sdk';
import type { RoleRow } from './roles.ts';
import { type Condition, literals, narrow } from './condition.ts';
import { type RoleType, roleDefinitions, roleTables } from './definitions.ts';
import { type Path, sourcesOf } from './implications.ts';
import { role } from './role-rules.ts';
import { type CoreRule, connection } from './rules.ts';

const types = Object.keys(roleDefinitions) as RoleType[];

const readablePath: Record<Path, (ids: string) => string> = {
  self: (ids) => `o.id in (${ids})`,
  organization: (ids) => `o.organization_id in (${ids})`,
  'inventory.organization': (ids) =>
    `o.inventory_id in (select i.id from inventories i where i.organization_id in (${ids}))`,
};

/** The records of a kind that the holder of `held` reads. */
function readableSql(type: RoleType): string {
  const { table, kind } = roleTables[type];
  const paths = Object.entries(sourcesOf(type, 'read_role').paths).map(([path, fields]) =>
    readablePath[path as Path](
      `select h.object_id from held h where h.content_type = '${path === 'self' ? type : 'organization'}' and h.role_field in (${literals(fields)})`,
    ),
  );
  const owned = sourcesOf(type, 'read_role').paths.organization;
  return `select '${type}' as type, o.id, ${owned ? 'o.organization_id' : 'null::bigint as organization_id'} from ${table} o where ${kind ? `o.kind = '${kind}' and ` : ''}(${paths.join(' or ')})`;
}

const aboveRows = types.flatMap((type) =>
  [...(sourcesOf(type, 'read_role').paths.organization ?? [])].map((field) => `('${type}', '${field}')`),
);

/**
 * Roles that a caller may see: those it holds and what they imply, and every role above those — on the same record, on its
 * organization, and the member lists of teams that were given one. Every role of a record implies reading it, so both
 * halves come down to which records the caller reads. One statement with the grants fetched once: eight kinds
 * asked one by one through the view took eighty milliseconds to plan.
 */
const visibleSql = `
  with held as materialized (select content_type, role_field, object_id from held_roles where user_id = ?),
  readable as materialized (${types.map(readableSql).join(' union all ')}),
  seen as materialized (
    select r.id from readable d join roles r on r.content_type = d.type and r.object_id = d.id
    union
    select r.id from readable d join (values ${aboveRows.join(', ')}) as a (type, field) on a.type = d.type
    join roles r on r.content_type = 'organization' and r.object_id = d.organization_id and r.role_field = a.field
  )
  select id from seen
  union all select id from roles where singleton_name is not null
  union all
  select r.id from roles r where r.content_type = 'team' and r.role_field in ('admin_role', 'member_role')
    and r.object_id in (select g.team_id from role_teams g where g.role_id in (select id from seen))`;

const visible = (actor: Actor | null, alias: string): Condition =>
  actor !== null &&
  (actor.is_superuser || actor.is_system_auditor || { sql: `"${alias}".id in (${visibleSql})`, bindings: [actor.id] });

export const roleVisible: CoreRule = {
  name: 'holds the role, one above it or one below it',
  row: async (actor, row: RoleRow, db) => {
    const condition = visible(actor, 'r');
    if (typeof condition === 'boolean') return condition;
    const { content_type: type, object_id: id } = row;
    if (!type || id === null) return true;
    // the common case, without the whole set
    if (await role(type, 'read_role').row(actor, { id }, db)) return true;
    return (
      await connection(db, 'roles').raw(`select ?::bigint in (${visibleSql}) as ok`, [row.id, ...condition.bindings])
    ).rows[0].ok;
  },
  query: (actor, builder, alias) => narrow(builder, visible(actor, alias)),
};
