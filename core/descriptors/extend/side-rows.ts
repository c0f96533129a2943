import type { Actor, Field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Compiled, Catalog } from '../compile.ts';
import { comparable } from '../write/activity-changes.ts';
import { defaultOf } from '../write/field-values.ts';
import type { ModelField } from '../model.ts';
import { seal } from '../write/sealed.ts';
import { masked } from '../../secrets/masked.ts';
import type { SideTable } from './side-field.ts';

type Values = Record<string, unknown>;
type SideModelField = ModelField & Required<Pick<ModelField, 'side' | 'storedSql'>>;

const fieldsIn = (model: Compiled, table?: SideTable): SideModelField[] =>
  [...model.fields.values()].filter(
    (field): field is SideModelField => field.side !== undefined && (!table || field.side.table === table.table),
  );

/** What is stored beside the row, secrets as they are stored, as further columns of a select from the type's table. */
export const sideColumns = (model: Compiled, trx: Knex): Knex.Raw[] =>
  fieldsIn(model).map(({ name, storedSql }) => trx.raw(`${storedSql(model.table)} as ??`, [name]));

/**
 * Stores what the input says of the fields that plugins added; a row whose fields all have their defaults needs no side row.
 * One statement for each plugin whose fields change. Resolves to the values of all of them as they are now.
 */
export async function writeSides(
  catalog: Catalog,
  model: Compiled,
  trx: Knex,
  id: number,
  input: Values,
  before?: Values,
): Promise<Values> {
  const now: Values = {};
  for (const table of model.sides) {
    const fields = fieldsIn(model, table);
    const current = valuesOf(fields, (field) => (before ? before[field.name] : defaultOf(field.field)));
    const changed = valuesOf(
      fields.filter(
        (field) => Object.hasOwn(input, field.name) && differs(field, input[field.name], current[field.name]),
      ),
      (field) => sealed(catalog, field, input[field.name], id),
    );
    Object.assign(now, current, changed);
    if (!Object.keys(changed).length) continue;
    const columns = (values: Values) =>
      Object.fromEntries(
        fields
          .filter(({ name }) => name in values)
          .map((field) => [field.side.column, asColumn(field, values[field.name])]),
      );
    // oxlint-disable-next-line no-await-in-loop -- one for each plugin, not for each row
    await trx(table.table)
      .insert({ [table.key]: id, ...columns({ ...current, ...changed }) })
      .onConflict(table.key)
      .merge(columns(changed));
  }
  return now;
}

/** What a client set of `from` holds for its copy too. */
export async function copySides(
  catalog: Catalog,
  model: Compiled,
  trx: Knex,
  actor: Actor | null,
  { from, to }: { from: number; to: number },
): Promise<void> {
  if (!model.sides.length) return;
  const read = (id: number) =>
    trx(model.table)
      .where({ id })
      .first(`${model.table}.*`, ...sideColumns(model, trx));
  const [row, copy] = [await read(from), await read(to)];
  if (!row || !copy) return;
  const kept = fieldsIn(model).filter(({ field }) => field.mode !== 'ro');
  const hidden = await Promise.all(kept.map(({ field }) => wouldShow(field, actor, trx, row, copy)));
  const fields = kept.filter((_, index) => !hidden[index]);
  const input = valuesOf(fields, ({ name, field, side }) => {
    if (!field.secret || !row[name]) return row[name];
    return catalog.keyRing!.decrypt(row[name], { table: side.table, column: side.column, id: from });
  });
  await writeSides(catalog, model, trx, to, input);
}

/** Whether the copy would tell the actor what the original does not: whoever copies a row may well own the copy. */
async function wouldShow({ read }: Field, actor: Actor | null, trx: Knex, row: Values, copy: Values): Promise<boolean> {
  return read !== undefined && !(await read.row(actor, row, trx)) && (await read.row(actor, copy, trx));
}

const valuesOf = (fields: readonly SideModelField[], value: (field: SideModelField) => unknown): Values =>
  Object.fromEntries(fields.map((field) => [field.name, value(field)]));

/** A secret that is sent back as it was read stays; any other is new, since what is stored cannot be compared. */
const differs = ({ field }: ModelField, given: unknown, current: unknown): boolean =>
  field.secret ? given !== masked && !(given === '' && !current) : comparable(given) !== comparable(current);

const sealed = (catalog: Catalog, { field, side }: SideModelField, value: unknown, id: number) =>
  field.secret ? seal(catalog, value, { table: side.table, column: side.column, id }) : value;

const asColumn = ({ side }: SideModelField, value: unknown) =>
  side.dataType.startsWith('json') && value !== null ? JSON.stringify(value) : value;
