import type { Actor, Rule } from '@tapline/plugin-sdk';
import { runBuilt } from '../db/prepared.ts';
import { type Condition, literals, narrow } from './condition.ts';
import { type RoleType, roleDefinitions } from './definitions.ts';
import { sourcesOf } from './implications.ts';
import { direct, directAnywhere, organizationsHeldSql, parent, role } from './role-rules.ts';
import { type CoreRule, anyOf, auditor, columnIs, connection, owner } from './rules.ts';

export type RoleSetting = 'MANAGE_ORGANIZATION_AUTH' | 'ORG_ADMINS_CAN_SEE_ALL_USERS';
export interface RoleSettings {
  get(key: RoleSetting): boolean;
}

/** A rule that only SQL over the stored row can say; the row form asks the same of one row. */
const stored = (name: string, table: string, condition: (actor: Actor, alias: string) => Condition): CoreRule => ({
  name,
  row: async (actor, row, db) => {
    const held = actor !== null && row['id'] != null && condition(actor, 'x');
    if (typeof held === 'boolean') return held;
    const text = `select 1 from ${table} x where x.id = ? and ${held.sql}`;
    const known = connection(db, table);
    return (await runBuilt(known, known.raw(text, [Number(row['id']), ...held.bindings]))).length > 0;
  },
  query: (actor, builder, alias) => narrow(builder, actor !== null && condition(actor, alias)),
});

const settingOn = (settings: RoleSettings, key: RoleSetting, rule: Rule): Rule => ({
  name: `${rule.name} (${key})`,
  row: async (actor, row, db) => settings.get(key) && rule.row(actor, row, db),
  query: (actor, builder, alias) =>
    void (settings.get(key) ? rule.query(actor, builder, alias) : builder.whereRaw('false')),
});

const colleague = stored('direct member of an organization that the caller reads', 'users', (actor, alias) => ({
  sql: `"${alias}".id in (select g.user_id from role_users g join roles r on r.id = g.role_id where r.content_type = 'organization' and r.role_field = 'member_role' and r.object_id in (${organizationsHeldSql('read_role')}))`,
  bindings: [actor.id],
}));

/** Whoever administers or audits an organization may know how its members log in. */
export const keptMember = stored(
  'direct member of an organization that the caller administers or audits',
  'users',
  (actor, alias) => ({
    sql: `"${alias}".id in (select g.user_id from role_users g join roles r on r.id = g.role_id where r.content_type = 'organization' and r.role_field = 'member_role' and (r.object_id in (${organizationsHeldSql('admin_role')}) or r.object_id in (${organizationsHeldSql('auditor_role')})))`,
    bindings: [actor.id, actor.id],
  }),
);

/** Who sees a user. */
export const userVisible = (settings: RoleSettings): CoreRule =>
  anyOf(
    auditor,
    owner('id'),
    columnIs('is_superuser', true),
    columnIs('is_system_auditor', true),
    colleague,
    settingOn(settings, 'ORG_ADMINS_CAN_SEE_ALL_USERS', directAnywhere('admin_role', 'auditor_role')),
  );

/** Who sees a team. */
export const teamVisible = (settings: RoleSettings): CoreRule =>
  anyOf(
    auditor,
    role('team', 'read_role'),
    parent('organization_id', 'organization', 'member_role'),
    settingOn(settings, 'ORG_ADMINS_CAN_SEE_ALL_USERS', directAnywhere('admin_role', 'auditor_role')),
  );

/** Direct administration or audit of the row's organization. */
export const organizationKeeper = (column = 'organization_id') => direct(column, 'admin_role', 'auditor_role');

const implications = (() => {
  const rows: string[] = [];
  for (const type of Object.keys(roleDefinitions) as RoleType[]) {
    for (const field of Object.keys(roleDefinitions[type])) {
      for (const [path, fields] of Object.entries(sourcesOf(type, field).paths)) {
        for (const above of fields)
          rows.push(`(${literals([type, field, path, path === 'self' ? type : 'organization', above])})`);
      }
    }
  }
  return `(values ${rows.join(', ')}) as i (type, field, path, above_type, above_field)`;
})();

/** The bound user holds the role under `alias`, whatever record it belongs to. */
const holdsRoleSql = (alias: string) => `exists (
  select 1 from held_roles h join ${implications} on i.above_type = h.content_type and i.above_field = h.role_field
  where h.user_id = ? and i.type = "${alias}".content_type and i.field = "${alias}".role_field and h.object_id = case i.path
    when 'self' then "${alias}".object_id
    when 'inventory.organization' then (select n.organization_id from templates o join inventories n on n.id = o.inventory_id where o.id = "${alias}".object_id)
    else case i.type
      when 'team' then (select o.organization_id from teams o where o.id = "${alias}".object_id)
      when 'inventory' then (select o.organization_id from inventories o where o.id = "${alias}".object_id)
      when 'credential' then (select o.organization_id from credentials o where o.id = "${alias}".object_id)
      else (select o.organization_id from templates o where o.id = "${alias}".object_id) end end)`;

const memberships = (alias: string, more: string) =>
  `exists (select 1 from role_users g join roles r on r.id = g.role_id where g.user_id = "${alias}".id and r.content_type = 'organization' and r.role_field in ('admin_role', 'member_role')${more})`;

/**
 * The caller administers the user: is admin of every organization the user is in. A user in none is nobody's but the
 * superuser's; with `orphans`, an organization's admin who holds every role that user holds may take it in or remove it.
 */
export const administers = (settings: RoleSettings, { orphans = false } = {}): CoreRule =>
  stored(`administers the user${orphans ? ', who may be in no organization' : ''}`, 'users', (actor, alias) => {
    if (actor.is_superuser) return true;
    if (!settings.get('MANAGE_ORGANIZATION_AUTH')) return false;
    const elsewhere = memberships(alias, ` and r.object_id not in (${organizationsHeldSql('admin_role')})`);
    const beyond = `exists (select 1 from role_users g join roles r on r.id = g.role_id where g.user_id = "${alias}".id and not ${holdsRoleSql('r')})`;
    return {
      sql: `(not "${alias}".is_superuser and not "${alias}".is_system_auditor and not ${elsewhere} and (${memberships(alias, '')}${orphans ? ` or (exists (${organizationsHeldSql('admin_role')}) and not ${beyond})` : ''}))`,
      bindings: orphans ? [actor.id, actor.id, actor.id] : [actor.id],
    };
  });

/** Who may say who is in which organization and team. */
export const managing = (settings: RoleSettings): Rule => ({
  name: 'MANAGE_ORGANIZATION_AUTH, or superuser',
  row: async (actor) => actor !== null && (actor.is_superuser || settings.get('MANAGE_ORGANIZATION_AUTH')),
  query: (actor, builder) =>
    narrow(builder, actor !== null && (actor.is_superuser || settings.get('MANAGE_ORGANIZATION_AUTH'))),
});
