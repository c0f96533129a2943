import type { Call, View } from '@tapline/plugin-sdk';
import type { Engine } from './compile.ts';
import { variantTypes } from './links.ts';
import type { Model } from './model.ts';

/** A row picked for showing; of a mixed list with what tells its type. */
export interface Found {
  id: number;
  kind?: string;
}

type Shown = Record<string, any>;

export async function representIds(
  engine: Engine,
  model: Model,
  ids: readonly number[],
  call: Call,
  view: View,
): Promise<Shown[]> {
  const kind = variantTypes(engine.models, model)?.column;
  const found =
    kind && ids.length
      ? await engine.db
          .from(model.table)
          .whereRaw('id = any (?)', [ids as number[]])
          .select({ id: 'id', kind })
      : [];
  const kinds = new Map<number, string>(found.map((row: any) => [row.id, row.kind]));
  return representFound(
    engine,
    model,
    ids.map((id) => ({ id, kind: kinds.get(id) })),
    call,
    view,
  );
}

/** In the order given; what is gone since it was picked is left out. A mixed page costs one statement per type on it. */
export async function representFound(
  engine: Engine,
  model: Model,
  found: readonly Found[],
  call: Call,
  view: View,
): Promise<Shown[]> {
  const variants = variantTypes(engine.models, model);
  const byType = Map.groupBy(found, ({ kind }) => (variants ? variants.types.get(kind ?? '')?.type : model.type));
  const parts = await Promise.all(
    [...byType].map(async ([type, rows]) => (type ? showOne(engine, type, rows, call, view) : [])),
  );
  const shown = new Map(parts.flat().map((one) => [one.id, one]));
  return found.map(({ id }) => shown.get(id)).filter((one) => one !== undefined);
}

async function showOne(engine: Engine, type: string, found: Found[], call: Call, view: View): Promise<Shown[]> {
  const { reads, serializer } = engine.type(type);
  const rows = await reads.rows(
    engine.db,
    view,
    found.map(({ id }) => id),
  );
  return serializer.rows(engine.db, rows, call, view);
}
