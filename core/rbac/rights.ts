import { type Actor, type Columns, type WriteContext, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { holds } from './condition.ts';
import { type RoleType, roleTables } from './definitions.ts';

/** A role that the caller needs on a record which a body names. */
export interface NeededRight {
  type: RoleType;
  field: string;
  id: number;
}

/** The needed rights that the actor does not have, asked for in one statement. */
export async function missingRights(
  db: Knex,
  actor: Actor | null,
  needed: readonly NeededRight[],
): Promise<NeededRight[]> {
  const open = needed
    .map((right) => ({ right, condition: holds(actor, right.type, right.field, 'x') }))
    .filter(({ condition }) => condition !== true);
  const asked = open.flatMap(({ right, condition }) => {
    if (typeof condition === 'boolean') return [];
    const { table, kind } = roleTables[right.type];
    return {
      right,
      sql: `exists (select 1 from ${table} x where x.id = ?${kind ? ` and x.kind = '${kind}'` : ''} and ${condition.sql})`,
      bindings: [right.id, ...condition.bindings],
    };
  });
  const met = new Set<NeededRight>();
  if (asked.length) {
    const { rows } = await db.raw(
      `select array[${asked.map(({ sql }) => sql).join(', ')}] as met`,
      asked.flatMap(({ bindings }) => bindings),
    );
    for (const [index, ok] of rows[0].met.entries()) if (ok) met.add(asked[index]!.right);
  }
  return open.map(({ right }) => right).filter((right) => !met.has(right));
}

/** @throws ApiError 403 naming the first record on which a needed role is missing */
export async function assertRights(db: Knex, actor: Actor | null, needed: readonly NeededRight[]): Promise<void> {
  const [missing] = await missingRights(db, actor, needed);
  if (missing)
    throw forbidden(
      `You do not have the ${missing.field.replace(/_role$/, '').replaceAll('_', ' ')} right on ${roleTables[missing.type].label} ${missing.id}.`,
    );
}

/** Rights on the record a link named before and on the one it names now; both are needed to move it. */
export function rightsOfLink(
  type: RoleType,
  field: string,
  column: string,
  before: Columns | undefined,
  input: Columns,
): NeededRight[] {
  if (!(column in input) || (before && before[column] === input[column])) return [];
  const ids = new Set([before?.[column], input[column]].filter((id): id is number => id != null));
  return [...ids].map((id) => ({ type, field, id }));
}

/** Column of a record, and the role needed on what it names. */
export type LinkRight = readonly [column: string, type: RoleType, field: string];

/**
 * Moving a record, or giving it something else to use, needs rights on both ends. What belongs to an organization can
 * be left without one by superusers only.
 */
export async function assertLinks(
  { trx, call, input, before }: WriteContext,
  links: readonly LinkRight[],
): Promise<void> {
  for (const [column, type] of links)
    if (type === 'organization' && before?.[column] != null && input[column] === null && !call.actor?.is_superuser)
      throw forbidden();
  await assertRights(
    trx,
    call.actor,
    links.flatMap(([column, type, field]) => rightsOfLink(type, field, column, before, input)),
  );
}

/** Columns that say where a record's credential is shown, with the names of their fields where those are others. */
export type Address = Readonly<Record<string, string>>;

/**
 * A credential that stays is shown to whatever the record names next, so that naming something else is using it: whoever
 * may only edit the record could else have it sent to a server of their own.
 * @throws ApiError 403
 */
export async function assertUseWhereItGoes(
  { trx, call, input, before }: WriteContext,
  address: Address,
): Promise<void> {
  const credential = before?.['credential_id'];
  if (typeof credential !== 'number') return;
  const differs = (column: string) => column in input && (input[column] ?? null) !== (before![column] ?? null);
  const changed = Object.keys(address).filter(differs);
  if (!changed.length) return;
  const missing = await missingRights(trx, call.actor, [{ type: 'credential', field: 'use_role', id: credential }]);
  if (missing.length)
    throw forbidden(
      `${changed.map((column) => address[column]).join(', ')}: what is changed there says where credential ${credential} is sent, and you do not have the right to use it.`,
    );
}
