import type { Call } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { isRoleType, roleDefinitions, type RoleType } from '../../rbac/definitions.ts';
import { missingRights } from '../../rbac/rights.ts';

/** What a copy may name: where there is a role for using it that role is needed, else that it is seen, as whoever attaches one needs it. */
const isUsedByRole = (type: string): type is RoleType =>
  isRoleType(type) && Object.hasOwn(roleDefinitions[type], 'use_role');

async function unusable(trx: Knex, call: Call, type: string, ids: readonly number[]): Promise<number[]> {
  if (!ids.length) return [];
  if (isUsedByRole(type)) {
    const asked = ids.map((id) => ({ type, field: 'use_role', id }));
    return (await missingRights(trx, call.actor, asked)).map(({ id }) => id);
  }
  const seen = await call.visible(type, ids);
  return ids.filter((id) => !seen.has(id));
}

/** Empties the column of these rows where it names what the caller may not use. */
export async function clearUnusable(trx: Knex, call: Call, rows: Knex.QueryBuilder, column: string, type: string) {
  const bad = await unusable(trx, call, type, await rows.clone().whereNotNull(column).distinct().pluck(column));
  if (bad.length)
    await rows
      .clone()
      .whereIn(column, bad)
      .update({ [column]: null });
}

/** The same of rows that only link to it: they go. */
export async function unlinkUnusable(trx: Knex, call: Call, links: Knex.QueryBuilder, type: string) {
  const column = `${type}_id`;
  const bad = await unusable(trx, call, type, await links.clone().distinct().pluck(column));
  if (bad.length) await links.clone().whereIn(column, bad).delete();
}
