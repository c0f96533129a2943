import type { Call, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type Above, listRule } from '../../rbac/list-rule.ts';
import type { Catalog } from '../compile.ts';
import { variantTypes } from '../links.ts';
import { type Narrow, selectRows } from './list.ts';
import type { Model } from '../model.ts';
import { applyOrder, type Sql } from './order.ts';
import { envelope, invalidPage, lastOf, maxPageSize, type Page, readPage } from './paginate.ts';
import { type Found, representFound } from './represent.ts';
import { alias } from './sql.ts';

export interface ListOptions {
  narrow?: Narrow;
  /** the rows are those of one record: few enough to need no ids looked up first */
  above?: Above;
  orderBy?: readonly string[];
  /** the order where the caller asks for none; `orderBy` decides between equals */
  order?: (alias: string) => Sql;
}

/** A statement that takes too long does not go on in the database either. */
const cancel = { cancel: true };

/** From here on a page is read from the nearer end, which its count must tell first. */
const deepOffset = 1000;

/** A page as the list routes answer it: the ids, their rows, and the count where the page does not tell it. */
export async function listPage(catalog: Catalog, model: Model, call: Call, path: string, options: ListOptions = {}) {
  const { query } = call;
  const list = await openList(catalog, model, call, options);
  const represent = (found: Found[]) => representFound(catalog, model, found, call, 'list');

  const limit = lastOf(query, 'limit');
  if (model.resource.limitParameter && limit !== undefined && /^\d{1,9}$/.test(limit))
    return { results: await represent(await list.ids(Math.min(Number(limit) || maxPageSize, maxPageSize), 0)) };

  const page = readPage(query);
  if (page.number === 'last' || (page.number - 1) * page.size >= deepOffset) {
    const { number, found, count } = await list.deepPage(page);
    if (!found.length && number > 1) throw invalidPage();
    const results = await represent(found);
    return query.has('count_disabled')
      ? { results }
      : envelope(path, query, { size: page.size, number }, count, results);
  }
  const number = page.number;
  const offset = (number - 1) * page.size;
  const found = await list.ids(page.size, offset);
  if (!found.length && number > 1) throw invalidPage();
  if (query.has('count_disabled')) return { results: await represent(found) };
  // a page that is not full is the last one and so tells the count
  const known = found.length < page.size ? offset + found.length : undefined;
  const [count, results] = await Promise.all([known ?? list.count(), represent(found)]);
  return envelope(path, query, { size: page.size, number }, count, results);
}

interface DeepPage {
  number: number;
  count: number;
  found: Found[];
}

interface List {
  /** the ids of all rows in their order, ready to be cut */
  ordered: (reverse?: boolean) => Knex.QueryBuilder;
  ids: (limit: number, offset: number) => PromiseLike<Found[]>;
  count: () => Promise<number>;
  /** With the count, in one statement: both see the same rows. */
  deepPage: (page: Page) => Promise<DeepPage>;
}

export async function openList(catalog: Catalog, model: Model, call: Call, options: ListOptions): Promise<List> {
  const { narrow, orderBy, order, above } = options;
  const { db, models, listTimeoutMs: ms } = catalog;
  const { see } = model.resource.access;
  const { rule, apart } = await listRule(db, see, call.actor, { above });
  const select = (seen: Rule) =>
    selectRows(catalog, model, call, narrow, (builder, name) => seen.query(call.actor, builder, name));
  const selection = select(rule);
  const counted = counting(db, apart.length > 1 ? apart.map(select) : [selection]);
  const kind = variantTypes(models, model)?.column;

  const ordered = (reverse = false): Knex.QueryBuilder => {
    const builder = selection.clone().select(db.raw(`${model.id(alias)} as id`));
    if (kind) builder.select({ kind: `${alias}.${kind}` });
    applyOrder(
      { db, models, builder, actor: call.actor, reverse, order: order?.(alias) },
      model,
      call.query,
      alias,
      orderBy ?? model.resource.orderBy,
    );
    return builder;
  };
  return {
    ordered,
    ids: (limit, offset) => {
      const builder = ordered().limit(limit);
      return (offset ? builder.offset(offset) : builder).timeout(ms, cancel) as unknown as PromiseLike<Found[]>;
    },
    count: async () => Number((await counted.clone().timeout(ms, cancel))[0].count),
    deepPage: (page) => readDeepPage(catalog, page, counted, ordered),
  };
}

/** Rows that several rules select apart are counted apart: each by the index that suits it. */
function counting(db: Knex, parts: readonly Knex.QueryBuilder[]): Knex.QueryBuilder {
  if (parts.length === 1) return parts[0]!.clone().count({ count: '*' });
  const each = parts.map((part) => part.clone().select(db.raw('1')));
  return db.from(db.raw(`(${each.map(() => '?').join(' union all ')}) as x`, each)).count({ count: '*' });
}

/** Where the page is empty, one with its count alone. */
interface DeepRow {
  count: number;
  id: number | null;
  kind?: string;
}

/** Reads from the end what lies nearer to it, in reversed order, and turns it round. */
async function readDeepPage(
  { db, listTimeoutMs }: Catalog,
  { size, number }: Page,
  counted: Knex.QueryBuilder,
  ordered: (reverse: boolean) => Knex.QueryBuilder,
): Promise<DeepPage> {
  const last = number === 'last';
  const start = last ? `((counted.count - 1) / ${size} * ${size})` : String((number - 1) * size);
  const part = (builder: Knex.QueryBuilder, condition: string, offset: string) => {
    const { sql, bindings } = builder.whereRaw(condition).toSQL();
    return db.raw(`(${sql} limit ${size} offset ${offset})`, bindings);
  };
  const fromEnd = (condition: string) =>
    part(ordered(true), condition, `greatest(0, counted.count - ${start} - ${size})`);
  const parts = last
    ? [fromEnd('true')]
    : [part(ordered(false), `counted.count >= 2 * ${start}`, start), fromEnd(`counted.count < 2 * ${start}`)];
  const { rows }: { rows: DeepRow[] } = await db
    .raw(
      `with counted as materialized ? select counted.count, page.* from counted left join lateral (${parts.map(() => '?').join(' union all ')}) page on true`,
      [counted, ...parts],
    )
    .timeout(listTimeoutMs, cancel);
  const count = Number(rows[0]!.count);
  const page = last ? Math.max(1, Math.ceil(count / size)) : number;
  const before = (page - 1) * size;
  const found = rows.filter(({ id }) => id !== null).map(({ id, kind }) => ({ id: id!, kind }));
  const reversed = last || count < 2 * before;
  return { number: page, count, found: reversed ? found.slice(0, Math.max(0, count - before)).toReversed() : found };
}
