import type { Knex } from 'knex';
import { type RoleType, roleDefinitions, roleTables, systemRoles } from '../definitions.ts';
import { contentTypeOf, fullName, permissionsOf } from './permission-names.ts';

/** Where the name of a role is not what clients call its definition. */
const names: Record<string, string> = {
  'organization.auditor_role': 'Organization Audit',
  'organization.approval_role': 'Organization Approval',
  'organization.workflow_admin_role': 'Organization WorkflowJobTemplate Admin',
  'organization.notification_admin_role': 'Organization NotificationTemplate Admin',
  'inventory.adhoc_role': 'Inventory Adhoc',
};

/** `JobTemplate Execute`, `Organization ExecutionEnvironment Admin` */
function nameOf(type: RoleType, field: string): string {
  const known = names[`${type}.${field}`];
  if (known) return known;
  const words = roleDefinitions[type][field]!.name.split(' ');
  const [last, model] = [words.at(-1)!, words.slice(0, -1).join('')];
  return [roleTables[type].label.replaceAll(' ', ''), model, last].filter(Boolean).join(' ');
}

/** A definition for each role of each kind of record, and for the two of the whole system. */
export const managedDefinitions = [
  ...(Object.keys(roleDefinitions) as RoleType[]).flatMap((type) =>
    Object.entries(roleDefinitions[type]).map(([field, { description }]) => ({
      name: nameOf(type, field),
      description,
      content_type: contentTypeOf(type),
      record_type: type,
      permissions: [...permissionsOf(type, field)].map(fullName).toSorted(),
      role_fields: [field],
    })),
  ),
  ...Object.entries(systemRoles).map(([field, { name, description }]) => ({
    name,
    description,
    content_type: null,
    record_type: null,
    permissions: [] as string[],
    role_fields: [field],
  })),
];

/** Brings the managed definitions in the database up to this version's. Safe to run by many nodes at once. */
export async function ensureManagedDefinitions(db: Knex): Promise<void> {
  await db.raw(
    `insert into role_definitions as d (name, description, managed, content_type, record_type, permissions, role_fields)
     select m.name, m.description, true, m.content_type, m.record_type, m.permissions, m.role_fields
     from jsonb_to_recordset(?::jsonb) as m (name text, description text, content_type text, record_type text, permissions jsonb, role_fields text[])
     on conflict on constraint role_definitions_name do update
       set description = excluded.description, permissions = excluded.permissions, modified = now()
     where d.managed and (d.description, d.permissions) is distinct from (excluded.description, excluded.permissions)`,
    [JSON.stringify(managedDefinitions)],
  );
}
