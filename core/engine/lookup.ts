import { type Call, forbidden, type Rule } from '@tapline/plugin-sdk';
import type { Compiled, Engine } from './compile.ts';
import type { Proof } from './prepared.ts';
import { namingColumns, splitName } from './naming.ts';
import { alias, ofType } from './sql.ts';
import { noMatch } from './write.ts';

/** The row that the path names, as far as the caller may see it; anything else is 404. */
export async function findRow(engine: Engine, model: Compiled, call: Call, proof?: Proof): Promise<any> {
  const id = await resolveId(engine, model, call.params.id!);
  const row = id === undefined ? undefined : await engine.find(model.type, id, call.actor, proof);
  if (!row) throw noMatch(model.resource);
  return row;
}

export async function requireRule(engine: Engine, rule: Rule | undefined, call: Call, row: any): Promise<void> {
  if (!(await rule?.row(call.actor, row, engine.db))) throw forbidden();
}

/** An id, or a name as the resource's `naming` says: parts joined by `++`, `+` inside a part written `[+]`. */
export async function resolveId(engine: Engine, model: Compiled, text: string): Promise<number | undefined> {
  if (/^[1-9]\d{0,15}$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
  const columns = namingColumns(engine.models, model, alias);
  const parts = splitName(text);
  // the bare name will do where it is enough to tell the row
  if (!columns.length || !text || !text.isWellFormed() || text.includes('\0') || parts.length > columns.length)
    return undefined;
  const builder = engine.db
    .from(`${model.table} as ${alias}`)
    .select(engine.db.raw(`${model.id(alias)} as id`))
    .orderByRaw(model.id(alias))
    .limit(1);
  ofType(model, builder, alias);
  for (const [index, part] of parts.entries())
    builder.whereRaw(part === '' ? `${columns[index]} is null` : `${columns[index]} = ?`, part === '' ? [] : [part]);
  const [row] = await builder;
  return row?.id;
}
