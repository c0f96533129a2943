import type { Knex } from 'knex';

export type HolderType = 'user' | 'team';

/** The record of an assignment `a`, and a role `r` of it. */
const sameRecord = `own.id = a.role_id and r.content_type = own.content_type and r.object_id = own.object_id`;

/** Some assignment gives the grant under `alias`; `beside` leaves those of one definition out. */
export const coveredSql = (holder: HolderType, alias: string, beside = '') => `exists (
  select from role_assignments a join roles own on own.id = a.role_id join role_definitions d on d.id = a.role_definition_id
  join roles r on r.id = ${alias}.role_id and r.content_type = own.content_type and r.object_id = own.object_id
  where a.${holder}_id = ${alias}.${holder}_id and r.role_field = any (d.role_fields)${beside})`;

const holders: readonly HolderType[] = ['user', 'team'];
const lock = (trx: Knex) => trx.raw('select lock_team_membership()');

/** After a definition was changed: whoever has it gets the roles that it gained, and loses those that it lost. */
export async function followDefinition(
  trx: Knex,
  id: number,
  { gained, lost }: { gained: readonly string[]; lost: readonly string[] },
): Promise<void> {
  await lock(trx);
  for (const holder of holders) {
    // a constant number of them
    // oxlint-disable-next-line no-await-in-loop
    await trx.raw(
      `insert into role_${holder}s (role_id, ${holder}_id, assigned)
       select r.id, a.${holder}_id, true from role_assignments a join roles own on own.id = a.role_id
       join roles r on ${sameRecord} and r.role_field = any (?)
       where a.role_definition_id = ? and a.${holder}_id is not null on conflict do nothing`,
      [[...gained], id],
    );
    // oxlint-disable-next-line no-await-in-loop
    await trx.raw(
      `delete from role_${holder}s g using role_assignments a, roles own, roles r
       where a.role_definition_id = ? and ${sameRecord} and r.role_field = any (?)
         and g.role_id = r.id and g.${holder}_id = a.${holder}_id and g.assigned and not ${coveredSql(holder, 'g')}`,
      [id, [...lost]],
    );
  }
}

/** Before a definition goes: what it gave, and nothing else does, goes with it. */
export async function endDefinition(trx: Knex, id: number, fields: readonly string[]): Promise<void> {
  await lock(trx);
  for (const holder of holders)
    // oxlint-disable-next-line no-await-in-loop
    await trx.raw(
      `with ended as (delete from role_assignments where role_definition_id = ? and ${holder}_id is not null returning *)
       delete from role_${holder}s g using ended a, roles own, roles r
       where ${sameRecord} and r.role_field = any (?)
         and g.role_id = r.id and g.${holder}_id = a.${holder}_id and g.assigned and not ${coveredSql(holder, 'g', ' and a.role_definition_id <> ?')}`,
      [id, [...fields], id],
    );
}

export const isGivenToTeams = async (trx: Knex, id: number): Promise<boolean> =>
  (await trx('role_assignments').where('role_definition_id', id).whereNotNull('team_id').first('id')) !== undefined;
