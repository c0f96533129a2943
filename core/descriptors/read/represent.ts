import type { Call, Shown, View } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../compile.ts';
import { variantTypes } from '../links.ts';
import type { Model } from '../model.ts';

/** A row picked for showing; of a mixed list with what tells its type. */
export interface Found {
  id: number;
  kind?: string;
}

export async function representIds(
  catalog: Catalog,
  model: Model,
  ids: readonly number[],
  call: Call,
  view: View,
): Promise<Shown[]> {
  const kind = variantTypes(catalog.models, model)?.column;
  const found =
    kind && ids.length
      ? await catalog.db
          .from(model.table)
          .whereRaw('id = any (?)', [ids as number[]])
          .select({ id: 'id', kind })
      : [];
  const kinds = new Map<number, string>(found.map(({ id, kind: of }) => [id, of]));
  return representFound(
    catalog,
    model,
    ids.map((id) => ({ id, kind: kinds.get(id) })),
    call,
    view,
  );
}

/** In the order given, read by `db` where a transaction is at hand; what is gone since it was picked is left out. A mixed page costs one statement per type on it. */
export async function representFound(
  catalog: Catalog,
  model: Model,
  found: readonly Found[],
  call: Call,
  view: View,
  db: Knex = catalog.db,
): Promise<Shown[]> {
  const variants = variantTypes(catalog.models, model);
  const byType = Map.groupBy(found, ({ kind }) => (variants ? variants.types.get(kind ?? '')?.type : model.type));
  const parts = await Promise.all(
    [...byType].map(async ([type, rows]) => (type ? showOne(catalog, type, rows, call, view, db) : [])),
  );
  const shown = new Map(parts.flat().map((one) => [one.id, one]));
  return found.map(({ id }) => shown.get(id)).filter((one) => one !== undefined);
}

async function showOne(
  catalog: Catalog,
  type: string,
  found: Found[],
  call: Call,
  view: View,
  db: Knex,
): Promise<Shown[]> {
  const { reads, serializer } = catalog.type(type);
  const rows = await reads.rows(
    db,
    view,
    found.map(({ id }) => id),
  );
  // not in the transaction: what plugins ask for the summaries may fail without ending it
  return serializer.rows(catalog.db, rows, call, view);
}
