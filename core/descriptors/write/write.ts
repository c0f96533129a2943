import {
  type Call,
  type Reply,
  type Resource,
  ValidationError,
  type Row,
  type WriteContext,
  forbidden,
  notFound,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Compiled, Catalog } from '../compile.ts';
import { isStored, keyOf } from '../model.ts';
import { assertMatch } from './etag.ts';
import { isRetryable, toApiError } from './database-error.ts';
import { assertFieldRights } from './field-rights.ts';
import { checkReferences } from './references.ts';
import { sealColumns, storeSecrets, withoutSecrets } from './sealed.ts';
import { sideColumns, writeSides } from '../extend/side-rows.ts';
import { isWritable, type ValidatedInput, type WriteMode, validateBody } from './schema.ts';

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
  after?: (trx: Knex.Transaction, row: Row) => Promise<void>;
}

/** Resolves to the new row's id. */
export async function createRow(
  catalog: Catalog,
  model: Compiled,
  call: Call,
  { fixed = {}, checkAccess = true, after }: CreateOptions = {},
): Promise<number> {
  const { resource } = model;
  const body = Object.keys(fixed).length ? withoutFixed(model, call.body, fixed) : call.body;
  const read = await validateBody(model, body, 'create', catalog.longest);
  const fixedColumns = { ...resource.where, ...authors(model, call, ['created_by_id', 'modified_by_id']) };
  const asked: Asked = { model, call, read, fixed, fixedColumns, checkAccess };
  if (resource.beforeWrite)
    await resource.beforeWrite({ call, input: (await admit(catalog, catalog.db, asked)).input });
  const { id, later } = await inTransaction(catalog.db, resource, async (trx) => {
    const { input, sent } = await admit(catalog, trx, asked);
    const later = laterWork();
    const context: WriteContext = { trx, call, input, sent, afterCommit: later.add };
    await resource.validate?.(context);
    const row = resource.insert
      ? await resource.insert(context)
      : await insertRow(catalog, model, trx, input, fixedColumns);
    await resource.afterCreate?.(context, row);
    await catalog.doors?.check(resource.type, 'create', { trx, actor: call.actor, rows: [row] });
    await catalog.activity?.created(trx, catalog, call, { model, row });
    await after?.(trx, row);
    return { id: row.id as number, later };
  });
  await later.run();
  return id;
}

interface Asked {
  model: Compiled;
  call: Call;
  read: ValidatedInput;
  fixed: Record<string, unknown>;
  fixedColumns: Record<string, unknown>;
  checkAccess: boolean;
}

/** What may be made, with the columns that its place gives. @throws ApiError 400, 403 */
async function admit(
  catalog: Catalog,
  db: Knex,
  { model, call, read, fixed, fixedColumns, checkAccess }: Asked,
): Promise<ValidatedInput> {
  const validated = await validate(catalog, model, call, read, db, fixed);
  const { input } = validated;
  Object.assign(input, fixed);
  if (checkAccess && !(await model.resource.access.create?.row(call.actor, input, db))) throw forbidden();
  await assertFieldRights({ model, actor: call.actor, trx: db, made: { ...input, ...fixedColumns } }, validated);
  refuse(validated);
  return validated;
}

async function insertRow(
  catalog: Catalog,
  model: Compiled,
  trx: Knex.Transaction,
  input: Record<string, unknown>,
  fixedColumns: Record<string, unknown>,
): Promise<Row> {
  const { columns, secrets } = withoutSecrets(model, stored(model, input));
  const rows = await model.rows();
  const row = await rows
    .query(trx)
    .insert({ ...columns, ...fixedColumns })
    .returning('*');
  Object.assign(row, await storeSecrets(catalog, model, trx, row.id, secrets));
  Object.assign(row, await writeSides(catalog, model, trx, row.id, input));
  return row;
}

/** The row is made by whoever launches it, in transactions of its own. */
export async function launchRow(
  catalog: Catalog,
  model: Compiled,
  call: Call,
  { fixed = {}, checkAccess = true }: Omit<CreateOptions, 'after'> = {},
): Promise<Reply> {
  const { resource, fields } = model;
  const read = await validateBody(model, withoutFixed(model, call.body, fixed), 'create', catalog.longest);
  const validated = await validate(catalog, model, call, read, catalog.db, fixed);
  const input: Record<string, unknown> = { ...validated.input, ...fixed };
  if (checkAccess && !(await resource.access.create?.row(call.actor, input, catalog.db))) throw forbidden();
  refuse(validated);
  const values = [...fields.values()].filter((field) => isWritable(field, 'create') && keyOf(field) in input);
  return resource.launch!(call, Object.fromEntries(values.map((field) => [field.name, input[keyOf(field)]])));
}

/**
 * Who moves a record to another organization needs the right to make it there: a rule or a webhook would else be told what happens
 * in one that its maker only sees, and what has no organization may hold for all of them.
 * @throws ApiError 403
 */
async function assertMayMove(
  { resource }: Compiled,
  { actor }: Call,
  trx: Knex,
  { before, input }: { before: Row; input: Record<string, unknown> },
): Promise<void> {
  if (!('organization_id' in input) || (input.organization_id ?? null) === (before.organization_id ?? null)) return;
  const { create } = resource.access;
  if (create && !(await create.row(actor, { ...before, ...input }, trx))) throw forbidden();
}

/** What a write's hooks leave for the time after its commit. A transaction that is run again begins a new list. */
function laterWork() {
  const works: (() => Promise<unknown>)[] = [];
  return {
    add: (work: () => Promise<unknown>) => void works.push(work),
    async run() {
      // in the order in which they were left
      // oxlint-disable-next-line no-await-in-loop
      for (const work of works) await work();
    },
  };
}

/** Resolves to the row as stored now. */
export async function updateRow(
  catalog: Catalog,
  model: Compiled,
  call: Call,
  id: number,
  mode: WriteMode,
): Promise<Row> {
  const { resource } = model;
  const read = await validateBody(model, call.body, mode, catalog.longest);
  if (resource.beforeWrite && !Object.keys(read.errors).length) {
    const before = await lockRow(model, catalog.db, id, false);
    assertMatch(model, call, before);
    await resource.beforeWrite({ call, input: structuredClone(read.input), before });
  }
  const { stored: row, later } = await inTransaction(catalog.db, resource, async (trx) => {
    const before = await lockRow(model, trx, id);
    assertMatch(model, call, before);
    const validated = await validate(catalog, model, call, read, trx, {}, before);
    await assertFieldRights({ model, actor: call.actor, trx, before }, validated);
    refuse(validated);
    const { input } = validated;
    await assertMayMove(model, call, trx, { before, input });
    const later = laterWork();
    const context = { trx, call, input, before, sent: validated.sent, afterCommit: later.add };
    await resource.validate?.(context);
    const columns = sealColumns(catalog, model, stored(model, input), id);
    const changed: Record<string, unknown> = { ...columns, ...authors(model, call, ['modified_by_id']) };
    if (model.columns.has('modified')) changed.modified = trx.fn.now();
    const rows = await model.rows();
    const row: Row = Object.keys(changed).length
      ? (await rows.query(trx).patch(changed).where('id', id).returning('*').first())!
      : { ...before };
    Object.assign(row, await writeSides(catalog, model, trx, id, input, before));
    await resource.afterUpdate?.(context, row);
    await catalog.doors?.check(resource.type, 'update', { trx, actor: call.actor, rows: [row], before: [before] });
    await catalog.activity?.updated(trx, catalog, call, { model, row, before });
    return { stored: row, later };
  });
  await later.run();
  return row;
}

export async function deleteRow(catalog: Catalog, model: Compiled, call: Call, id: number): Promise<void> {
  const { resource } = model;
  await inTransaction(catalog.db, resource, async (trx) => {
    const row = await lockRow(model, trx, id, resource.remove === undefined);
    assertMatch(model, call, row);
    const more = (await resource.beforeDelete?.(trx, row, call)) ?? undefined;
    await catalog.doors?.check(resource.type, 'delete', { trx, actor: call.actor, rows: [row] });
    await catalog.activity?.deleted(trx, catalog, call, { model, row, more });
    if (resource.remove) await resource.remove(trx, row, call);
    else await (await model.rows()).query(trx).delete().where('id', id);
    await resource.afterDelete?.(trx, row, call);
  });
}

/** The row as stored, held until the transaction ends. It may be gone since it was looked up. */
async function lockRow(model: Compiled, trx: Knex, id: number, locked = true): Promise<Row> {
  const rows = await model.rows();
  const found = rows.query(trx).findById(id);
  if (locked) found.forUpdate();
  const row = await (model.sides.length ? found.select(`${model.table}.*`, ...sideColumns(model, trx)) : found);
  if (!row) throw noMatch(model.resource);
  return row;
}

async function validate(
  catalog: Catalog,
  model: Compiled,
  call: Call,
  read: ValidatedInput,
  trx: Knex,
  fixed: Record<string, unknown> = {},
  before?: Row,
): Promise<ValidatedInput> {
  // hooks change it, and the transaction may have to run again
  const validated = structuredClone(read);
  for (const { name, column } of model.fields.values())
    if (column !== undefined && column in fixed) delete validated.errors[name];
  await checkReferences(catalog.models, model.refs.filter(isStored), validated, call.actor, trx, before);
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
