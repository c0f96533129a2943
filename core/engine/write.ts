import { type Call, type Resource, ValidationError, type WriteContext, forbidden, notFound } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Compiled, Engine } from './compile.ts';
import { assertMatch } from './etag.ts';
import { isRetryable, toApiError } from './database-error.ts';
import { checkReferences } from './references.ts';
import { sealColumns, storeSecrets, withoutSecrets } from './sealed.ts';
import { sideColumns, writeSides } from './side-rows.ts';
import { type ValidatedInput, type WriteMode, validateBody } from './schema.ts';

export const noMatch = ({ label }: Resource) => notFound(`No ${label} matches the given query.`);

/** One transaction; once more when another one was in the way; database errors as answers to the client. */
export async function inTransaction<T>(
  db: Knex,
  resource: Resource | undefined,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction(work).catch((error) => {
      if (isRetryable(error)) return db.transaction(work);
      throw error;
    });
  } catch (error) {
    throw toApiError(error, resource) ?? error;
  }
}

export interface CreateOptions {
  /** columns that the place of creation gives: the parent of a sublist */
  fixed?: Record<string, unknown>;
  /** false where the place's own rule has decided already */
  checkAccess?: boolean;
  /** further work in the same transaction */
  after?: (trx: Knex.Transaction, row: any) => Promise<void>;
}

/** Resolves to the new row's id. */
export async function createRow(
  engine: Engine,
  model: Compiled,
  call: Call,
  { fixed = {}, checkAccess = true, after }: CreateOptions = {},
): Promise<number> {
  const { resource } = model;
  const body = Object.keys(fixed).length ? withoutFixed(model, call.body, fixed) : call.body;
  const read = await validateBody(model, body, 'create');
  return inTransaction(engine.db, resource, async (trx) => {
    const validated = await validate(engine, model, call, read, trx, fixed);
    const { input } = validated;
    Object.assign(input, fixed);
    if (checkAccess && !(await resource.access.create?.row(call.actor, input, trx))) throw forbidden();
    refuse(validated);
    const context: WriteContext = { trx, call, input, sent: validated.sent };
    await resource.validate?.(context);
    const { columns, secrets } = withoutSecrets(model, stored(model, input));
    const rows = await model.rows();
    const row: any = await rows
      .query(trx)
      .insert({
        ...columns,
        ...resource.where,
        ...authors(model, call, ['created_by_id', 'modified_by_id']),
      } as any)
      .returning('*');
    Object.assign(row, await storeSecrets(engine, model, trx, row.id, secrets));
    Object.assign(row, await writeSides(engine, model, trx, row.id, input));
    await resource.afterCreate?.(context, row);
    await engine.doors?.check(resource.type, 'create', { trx, actor: call.actor, rows: [row] });
    await engine.activity?.created(trx, engine, call, { model, row });
    await after?.(trx, row);
    return row.id;
  });
}

/** Resolves to the row as stored now. */
export async function updateRow(
  engine: Engine,
  model: Compiled,
  call: Call,
  id: number,
  mode: WriteMode,
): Promise<any> {
  const { resource } = model;
  const read = await validateBody(model, call.body, mode);
  return inTransaction(engine.db, resource, async (trx) => {
    const before = await lockRow(model, trx, id);
    assertMatch(model, call, before);
    const validated = await validate(engine, model, call, read, trx, {}, before);
    refuse(validated);
    const { input } = validated;
    const context: WriteContext = { trx, call, input, before, sent: validated.sent };
    await resource.validate?.(context);
    const columns = sealColumns(engine, model, stored(model, input), id);
    const changed: Record<string, unknown> = { ...columns, ...authors(model, call, ['modified_by_id']) };
    if (model.columns.has('modified')) changed.modified = trx.fn.now();
    const rows = await model.rows();
    const row: any = Object.keys(changed).length
      ? await rows
          .query(trx)
          .patch(changed as any)
          .where('id', id)
          .returning('*')
          .first()
      : { ...before };
    Object.assign(row, await writeSides(engine, model, trx, id, input, before));
    await resource.afterUpdate?.(context, row);
    await engine.doors?.check(resource.type, 'update', { trx, actor: call.actor, rows: [row], before: [before] });
    await engine.activity?.updated(trx, engine, call, { model, row, before });
    return row;
  });
}

export async function deleteRow(engine: Engine, model: Compiled, call: Call, id: number): Promise<void> {
  const { resource } = model;
  await inTransaction(engine.db, resource, async (trx) => {
    const row = await lockRow(model, trx, id);
    assertMatch(model, call, row);
    const more = (await resource.beforeDelete?.(trx, row, call)) ?? undefined;
    await engine.doors?.check(resource.type, 'delete', { trx, actor: call.actor, rows: [row] });
    await engine.activity?.deleted(trx, engine, call, { model, row, more });
    await (await model.rows()).query(trx).delete().where('id', id);
    await resource.afterDelete?.(trx, row, call);
  });
}

/** The row as stored, held until the transaction ends. It may be gone since it was looked up. */
async function lockRow(model: Compiled, trx: Knex.Transaction, id: number): Promise<any> {
  const rows = await model.rows();
  const found = rows.query(trx).findById(id).forUpdate();
  const row = await (model.sides.length ? found.select(`${model.table}.*`, ...sideColumns(model, trx)) : found);
  if (!row) throw noMatch(model.resource);
  return row;
}

async function validate(
  engine: Engine,
  model: Compiled,
  call: Call,
  read: ValidatedInput,
  trx: Knex,
  fixed: Record<string, unknown> = {},
  before?: any,
): Promise<ValidatedInput> {
  // hooks change it, and the transaction may have to run again
  const validated = structuredClone(read);
  for (const { name, column } of model.fields.values())
    if (column !== undefined && column in fixed) delete validated.errors[name];
  await checkReferences(engine.models, model, validated, call.actor, trx, before);
  return validated;
}

function refuse({ errors }: ValidatedInput): void {
  if (Object.keys(errors).length) throw new ValidationError(errors);
}

/** The place decides: what the body says of the parent is ignored. */
function withoutFixed(
  model: Compiled,
  body: Record<string, unknown>,
  fixed: Record<string, unknown>,
): Record<string, unknown> {
  const given = new Set(
    [...model.fields.values()].filter(({ column }) => column !== undefined && column in fixed).map(({ name }) => name),
  );
  return Object.fromEntries(Object.entries(body).filter(([name]) => !given.has(name)));
}

/** Virtual fields went to the hooks; only columns are written. */
const stored = (model: Compiled, input: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(input).filter(([column]) => model.columns.has(column)));

function authors(model: Compiled, { actor }: Call, columns: string[]): Record<string, number | null> {
  const known = columns.filter((column) => model.columns.has(column));
  return Object.fromEntries(known.map((column) => [column, actor && actor.id > 0 ? actor.id : null]));
}
