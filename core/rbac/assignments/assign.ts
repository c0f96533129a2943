import { type Actor, ValidationError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { RoleType } from '../definitions.ts';
import { changeGrant } from '../grants.ts';
import type { RoleSettings } from '../people.ts';
import { roleVisible } from '../role-visibility.ts';
import { findRole, type RoleRow } from '../roles.ts';
import { coveredSql, type HolderType } from './follow-definition.ts';

export interface Holder {
  type: HolderType;
  id: number;
}

/** What a change of assignments works with. */
export interface Assigning {
  trx: Knex;
  actor: Actor | null;
  settings: RoleSettings;
  /** asks guards and tells the activity stream of each role that was given or taken */
  tell(role: RoleRow, holder: Holder, detach: boolean): Promise<void>;
}

export interface DefinitionRow {
  id: number;
  managed: boolean;
  record_type: RoleType | null;
  role_fields: string[];
}

/**
 * Gives the roles that a definition stands for; what was given before is there already. Resolves to the id of the assignment.
 * @throws ValidationError where the caller sees no such record; ApiError as `changeGrant` does
 */
export async function assign(
  deps: Assigning,
  definition: DefinitionRow,
  objectId: number | null,
  holder: Holder,
): Promise<number> {
  const { trx, actor } = deps;
  await lockMembership(trx, definition);
  const roles = await rolesOf(trx, definition, objectId);
  const [first] = roles;
  if (!first || !(await roleVisible.row(actor, first, trx)))
    throw ValidationError.field('object_id', `Invalid pk "${objectId}" - object does not exist.`);
  for (const role of roles)
    // each by the checks of its own
    // oxlint-disable-next-line no-await-in-loop
    await change(deps, role, holder, { assigned: !definition.managed });
  return definition.managed ? grantId(trx, first, holder) : keep(deps, definition, objectId!, holder);
}

/** The lock that changes of who is in which team wait for, before any row of an assignment is. */
async function lockMembership(trx: Knex, { record_type: type }: DefinitionRow): Promise<void> {
  if (type === 'team' || type === 'organization') await trx.raw('select lock_team_membership()');
}

const rolesOf = (trx: Knex, { record_type: type, role_fields }: DefinitionRow, id: number | null): Promise<RoleRow[]> =>
  trx('roles')
    .where(type === null ? { singleton_name: role_fields[0] } : { content_type: type, object_id: id })
    .whereRaw('role_field = any (?)', [role_fields])
    .orderBy('id');

async function change(
  { trx, actor, settings, tell }: Assigning,
  role: RoleRow,
  holder: Holder,
  how: { assigned?: boolean; revoke?: boolean },
): Promise<void> {
  const { changed } = await changeGrant(trx, {
    actor,
    settings,
    roleId: role.id,
    ...(holder.type === 'user' ? { userId: holder.id } : { teamId: holder.id }),
    ...how,
  });
  if (changed) await tell(role, holder, how.revoke === true);
}

const grantId = async (trx: Knex, role: RoleRow, { type, id }: Holder): Promise<number> =>
  (
    await trx(`role_${type}s`)
      .where({ role_id: role.id, [`${type}_id`]: id })
      .orderBy('id')
      .first('id')
  ).id;

async function keep(
  { trx, actor }: Assigning,
  { id: definition, record_type: type }: DefinitionRow,
  objectId: number,
  holder: Holder,
): Promise<number> {
  const anchor = await findRole(trx, type!, objectId, 'read_role');
  const { rows } = await trx.raw(
    `insert into role_assignments as a (role_definition_id, role_id, ${holder.type}_id, created_by_id) values (?, ?, ?, ?)
     on conflict on constraint role_assignments_once do update set created = a.created returning id`,
    [definition, anchor!.id, holder.id, actor && actor.id > 0 ? actor.id : null],
  );
  return rows[0].id;
}

export interface AssignmentRow {
  id: number;
  role_definition_id: number;
  role_id: number;
  record_id: number | null;
}

/** Takes away what the assignment gave; a role that another assignment gives as well stays. */
export async function unassign(deps: Assigning, row: AssignmentRow, holder: Holder): Promise<void> {
  const { trx } = deps;
  const definition: DefinitionRow = await trx('role_definitions').where('id', row.role_definition_id).first();
  await lockMembership(trx, definition);
  const roles = await rolesOf(trx, definition, row.record_id);
  const table = `role_${holder.type}s`;
  if (!definition.managed && !(await trx('role_assignments').where('id', row.id).delete())) return;
  for (const role of roles) {
    const grant = { role_id: role.id, [`${holder.type}_id`]: holder.id };
    // oxlint-disable-next-line no-await-in-loop
    const { rows } = await trx.raw(
      `select g.assigned, ${coveredSql(holder.type, 'g')} as covered from ${table} g where g.role_id = ? and g.${holder.type}_id = ? order by g.id limit 1`,
      [role.id, holder.id],
    );
    const [found] = rows as { assigned: boolean; covered: boolean }[];
    if (found?.covered) {
      // oxlint-disable-next-line no-await-in-loop
      if (definition.managed) await trx(table).where(grant).update({ assigned: true });
    } else if (found && found.assigned !== definition.managed)
      // oxlint-disable-next-line no-await-in-loop
      await change(deps, role, holder, { revoke: true });
  }
}
