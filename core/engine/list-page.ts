import type { Call } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { narrow as narrowBy, type Condition } from '../rbac/condition.ts';
import { type Above, settle, settleBelow } from '../rbac/settle.ts';
import type { Engine } from './compile.ts';
import { variantTypes } from './links.ts';
import { type Narrow, selectRows } from './list.ts';
import type { Model } from './model.ts';
import { applyOrder, type Sql } from './order.ts';
import { envelope, invalidPage, lastOf, maxPageSize, type Page, readPage } from './paginate.ts';
import { type Found, representFound } from './represent.ts';
import { alias } from './sql.ts';

export interface ListOptions {
  narrow?: Narrow;
  /** the list is that of one record: narrow enough to need no ids looked up first */
  above?: Above;
  orderBy?: readonly string[];
  /** the order where the caller asks for none; `orderBy` decides between equals */
  order?: (alias: string) => Sql;
}

/** From here on a page is read from the nearer end, which its count must tell first. */
const deepOffset = 1000;

/** A page as the list routes answer it: the ids, their rows, and the count where the page does not tell it. */
export async function listPage(engine: Engine, model: Model, call: Call, path: string, options: ListOptions = {}) {
  const { query } = call;
  const list = await openList(engine, model, call, options);
  const represent = (found: Found[]) => representFound(engine, model, found, call, 'list');

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
  ids: (limit: number, offset: number) => PromiseLike<Found[]>;
  count: () => Promise<number>;
  /** With the count, in one statement: both see the same rows. */
  deepPage: (page: Page) => Promise<DeepPage>;
}

async function openList(engine: Engine, model: Model, call: Call, options: ListOptions): Promise<List> {
  const { narrow, orderBy, order, above } = options;
  const { db, models } = engine;
  const { see } = model.resource.access;
  const settled = await (above ? settleBelow(db, see, call.actor, alias, above) : settle(db, see, call.actor, alias));
  const select = (seen?: Condition) =>
    selectRows(engine, model, call, narrow, seen === undefined ? undefined : (builder) => narrowBy(builder, seen));
  const selection = select(settled?.whole);
  const parts = settled ? settled.apart.map(select) : [selection];
  const kind = variantTypes(models, model)?.column;

  const ordered = (reverse = false): Knex.QueryBuilder => {
    const builder = selection.clone().select(db.raw(`${model.id(alias)} as id`));
    if (kind) builder.select({ kind: `${alias}.${kind}` });
    applyOrder(
      { models, builder, actor: call.actor, reverse, order: order?.(alias) },
      model,
      call.query,
      alias,
      orderBy ?? model.resource.orderBy,
    );
    return builder;
  };
  return {
    ids: (limit, offset) => {
      const builder = ordered().limit(limit);
      return (offset ? builder.offset(offset) : builder) as unknown as PromiseLike<Found[]>;
    },
    count: async () => (parts.length ? Number((await counting(db, parts))[0].count) : 0),
    deepPage: (page) => readDeepPage(db, page, counting(db, parts), ordered),
  };
}

/** Rows that several conditions select apart are counted apart: each by the index that suits it. */
function counting(db: Knex, parts: readonly Knex.QueryBuilder[]): Knex.QueryBuilder {
  if (parts.length === 1) return parts[0]!.clone().count({ count: '*' });
  const each = parts.map((part) => part.clone().select(db.raw('1')));
  const rows = each.length ? each.map(() => '?').join(' union all ') : 'select 1 where false';
  return db.from(db.raw(`(${rows}) as x`, each)).count({ count: '*' });
}

/** Reads from the end what lies nearer to it, in reversed order, and turns it round. */
async function readDeepPage(
  db: Knex,
  { size, number }: Page,
  counted: Knex.QueryBuilder,
  ordered: (reverse: boolean) => Knex.QueryBuilder,
): Promise<DeepPage> {
  const last = number === 'last';
  const start = last ? `((counted.count - 1) / ${size} * ${size})` : String((number - 1) * size);
  const part = (builder: Knex.QueryBuilder, condition: string, offset: string) => {
    const { sql, bindings } = builder.whereRaw(condition).toSQL();
    return db.raw(`(${sql} limit ${size} offset ${offset})`, bindings as any);
  };
  const fromEnd = (condition: string) =>
    part(ordered(true), condition, `greatest(0, counted.count - ${start} - ${size})`);
  const parts = last
    ? [fromEnd('true')]
    : [part(ordered(false), `counted.count >= 2 * ${start}`, start), fromEnd(`counted.count < 2 * ${start}`)];
  const { rows } = await db.raw(
    `with counted as materialized ? select counted.count, page.* from counted left join lateral (${parts.map(() => '?').join(' union all ')}) page on true`,
    [counted, ...parts],
  );
  const count = Number(rows[0].count);
  const page = last ? Math.max(1, Math.ceil(count / size)) : number;
  const before = (page - 1) * size;
  const found = rows.filter(({ id }: any) => id !== null).map(({ id, kind }: any) => ({ id, kind }));
  const reversed = last || count < 2 * before;
  return { number: page, count, found: reversed ? found.slice(0, Math.max(0, count - before)).toReversed() : found };
}
