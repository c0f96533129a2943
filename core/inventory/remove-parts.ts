import type { Call, Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../descriptors/compile.ts';

const atOnce = 1000;

/** Hosts or groups that go with something else: guards are asked and the activity stream is told as if each were deleted by itself. */
export async function removeParts(
  trx: Knex,
  { catalog, call }: { catalog: Catalog; call: Call },
  type: 'host' | 'group',
  ids: readonly number[],
): Promise<void> {
  const model = catalog.type(type);
  const sorted = ids.toSorted((a, b) => a - b);
  for (let from = 0; from < sorted.length; from += atOnce) {
    const some = sorted.slice(from, from + atOnce);
    // a batch after the other: each entry holds a whole row
    // oxlint-disable-next-line no-await-in-loop
    const rows: Row[] = await trx(`${type}s`).whereRaw('id = any (?)', [some]).orderBy('id').forUpdate();
    // oxlint-disable-next-line no-await-in-loop
    if (rows.length) await catalog.doors?.check(type, 'delete', { trx, actor: call.actor, rows });
    const sides = rows.map((row) => ({ model, row }));
    // oxlint-disable-next-line no-await-in-loop
    await catalog.activity?.together(trx, catalog, call, 'delete', sides);
    // oxlint-disable-next-line no-await-in-loop
    await trx(`${type}s`).whereRaw('id = any (?)', [some]).delete();
  }
}
