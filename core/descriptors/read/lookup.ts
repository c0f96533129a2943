import { type Call, type Columns, forbidden, type Row, type Rule } from '@tapline/plugin-sdk';
import type { Compiled, Catalog } from '../compile.ts';
import { namingColumns, splitName } from '../naming.ts';
import { alias, type Extent, ofType } from './sql.ts';
import { noMatch } from '../write/write.ts';

/** The row that the path names, as far as the caller may see it; anything else is 404. */
export async function findRow(catalog: Catalog, model: Compiled, call: Call, extent?: Extent): Promise<Row> {
  const id = await resolveId(catalog, model, call.params.id!);
  const row = id === undefined ? undefined : await catalog.find(model.type, id, call.actor, extent);
  if (!row) throw noMatch(model.resource);
  return row;
}

/** Resolves to the row. */
export async function requireRule<R extends Columns | undefined>(
  catalog: Catalog,
  rule: Rule | undefined,
  call: Call,
  row: R,
): Promise<R> {
  if (!rule || !(await passes(catalog, rule, call, row))) throw forbidden();
  return row;
}

/** Routes of their own and actions of lists have no row, so that no rule of theirs may look at one. */
export const passes = ({ db }: Catalog, rule: Pick<Rule, 'row'>, { actor }: Call, row: Columns | undefined) =>
  rule.row(actor, row!, db);

/**
 * An id, or a name as the resource's `naming` says: parts joined by `++` or `+`, a `+` inside a part written `[+]`. An empty part says
 * nothing of its relation; where several records are left, one without it comes first, then the oldest.
 */
export async function resolveId(catalog: Catalog, model: Compiled, text: string): Promise<number | undefined> {
  if (/^[1-9]\d{0,15}$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
  const columns = namingColumns(catalog.models, model, alias);
  const parts = splitName(text);
  // the bare name will do where it is enough to tell the row
  if (!columns.length || !parts[0] || !text.isWellFormed() || text.includes('\0') || parts.length > columns.length)
    return undefined;
  const builder = catalog.db
    .from(`${model.table} as ${alias}`)
    .select(catalog.db.raw(`${model.id(alias)} as id`))
    .limit(1);
  ofType(model, builder, alias);
  for (const [index, part] of parts.entries())
    if (part === '') builder.orderByRaw(`${columns[index]} is null desc`);
    else builder.whereRaw(`${columns[index]} = ?`, [part]);
  const [row] = await builder.orderByRaw(model.id(alias));
  return row?.id;
}
