import type { Actor, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { besideSql, keepBeside, roleColumns } from '../../core/rbac/held.ts';
import { listRule } from '../../core/rbac/list-rule.ts';
import { tables } from './islands.ts';
import type { Question } from './questions.ts';

/** The forms in which a rule is asked, each as the ids of the rows that it allows, in their order. */

type Asked = Pick<Question, 'type' | 'rule'>;

export async function rowsByQuery(db: Knex, { type, rule }: Asked, actor: Actor): Promise<number[]> {
  const [table, where = {}] = tables[type]!;
  const id = table === 'run_events' ? 't.run_id * 16777216 + t.counter' : 't.id';
  const builder = db
    .from(`${table} as t`)
    .select(db.raw(`${id} as id`))
    .orderBy('id');
  if (table === 'run_events')
    builder.whereRaw('t.run_id in (select id from runs where kind = ?)', [type.replace('_event', '')]);
  for (const [column, value] of Object.entries(where)) builder.where(`t.${column}`, value);
  rule.query(actor, builder, 't');
  return (await builder).map((row: { id: number }) => row.id);
}

export async function rowsByRow(db: Knex, { rule }: Asked, actor: Actor, rows: any[]): Promise<number[]> {
  const found: number[] = [];
  for (const row of rows) if (await rule.row(actor, row, db)) found.push(row.id);
  return found;
}

/** As lists ask: the whole for the page, apart for the count. Ids are too many to be named beyond `most`. */
export async function rowsAsListed(
  db: Knex,
  question: Asked,
  actor: Actor,
  most?: number,
): Promise<{ whole: number[]; apart: number[] }> {
  const { rule, apart } = await listRule(db, question.rule, actor, { most });
  const counted: number[] = [];
  for (const part of apart) counted.push(...(await rowsByQuery(db, { ...question, rule: part }, actor)));
  return {
    whole: await rowsByQuery(db, { ...question, rule }, actor),
    apart: counted.toSorted((a, b) => a - b),
  };
}

/** As lists below one record ask: the record at hand tells of all that is seen through it. */
export async function rowsBelow(
  db: Knex,
  question: Asked,
  actor: Actor,
  inventories: readonly number[],
): Promise<number[]> {
  const found: number[] = [];
  for (const row of await db('inventories').whereIn('id', inventories)) {
    const above = { column: 'inventory_id', table: 'inventories', row };
    const { rule } = await listRule(db, question.rule, actor, { above });
    const query: Rule['query'] = (_actor, builder, alias) => {
      builder.where(`${alias}.inventory_id`, row.id);
      rule.query(actor, builder, alias);
    };
    found.push(...(await rowsByQuery(db, { ...question, rule: { ...question.rule, query } }, actor)));
  }
  return found.toSorted((a, b) => a - b);
}

/** As details ask: the actor's roles on the records that the row names come along with it. */
export async function rowsWithRoles(db: Knex, { type, rule }: Asked, actor: Actor, rows: any[]): Promise<number[]> {
  const columns = roleColumns([rule]).filter(({ column }) => column in (rows[0] ?? {}));
  if (!columns.length) return rowsByRow(db, { type, rule }, actor, rows);
  const [table] = tables[type]!;
  const { rows: read } = await db.raw(
    `select t.id, ${besideSql(columns, 't', String(actor.id))} as beside from ${table} t where t.id = any (?)`,
    [rows.map(({ id }) => id)],
  );
  const beside = new Map(read.map((row: any) => [row.id, row.beside]));
  const found: number[] = [];
  for (const row of rows) {
    const copy = { ...row };
    keepBeside(copy, actor, columns, beside.get(row.id) as any);
    if (await rule.row(actor, copy, db)) found.push(row.id);
  }
  return found;
}
