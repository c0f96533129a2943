import type { Actor, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { narrow } from '../../core/rbac/condition.ts';
import { roleDefinitions } from '../../core/rbac/definitions.ts';
import { givenSql, remember, roleColumns } from '../../core/rbac/row-roles.ts';
import { settle, settleBelow } from '../../core/rbac/settle.ts';
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

/** As lists ask: whole for the page, apart for the count. Ids are too many to be named beyond `most`. */
export async function rowsSettled(
  db: Knex,
  question: Asked,
  actor: Actor,
  most?: number,
): Promise<{ whole: number[]; apart: number[] } | undefined> {
  const settled = await settle(db, question.rule, actor, 't', most);
  if (!settled) return undefined;
  const rule = (condition: typeof settled.whole): Rule => ({
    ...question.rule,
    query: (_actor, builder) => narrow(builder, condition),
  });
  const apart: number[] = [];
  for (const part of settled.apart) apart.push(...(await rowsByQuery(db, { ...question, rule: rule(part) }, actor)));
  return {
    whole: await rowsByQuery(db, { ...question, rule: rule(settled.whole) }, actor),
    apart: apart.toSorted((a, b) => a - b),
  };
}

/** As details ask: what the actor was given comes along with the row. */
export async function rowsRemembered(db: Knex, { type, rule }: Asked, actor: Actor, rows: any[]): Promise<number[]> {
  const columns = roleColumns([rule]).filter(({ column }) => column in (rows[0] ?? {}));
  if (!columns.length) return rowsByRow(db, { type, rule }, actor, rows);
  const [table] = tables[type]!;
  const { rows: asked } = await db.raw(
    `select t.id, ${givenSql(columns, 't', String(actor.id))} as given from ${table} t where t.id = any (?)`,
    [rows.map(({ id }) => id)],
  );
  const given = new Map(asked.map((row: any) => [row.id, row.given]));
  const found: number[] = [];
  for (const row of rows) {
    const copy = { ...row };
    remember(copy, actor, columns, given.get(row.id) as any);
    if (await rule.row(actor, copy, db)) found.push(row.id);
  }
  return found;
}

/** As lists below one record ask: the record at hand tells of all that is seen through it. */
export async function rowsBelow(
  db: Knex,
  question: Asked,
  actor: Actor,
  inventories: readonly number[],
): Promise<number[]> {
  const fields = new Set(Object.keys(roleDefinitions.inventory));
  const columns = [{ type: 'inventory', column: 'id', fields }] as const;
  const { rows } = await db.raw(
    `select t.*, ${givenSql(columns, 't', String(actor.id))} as given from inventories t where t.id = any (?)`,
    [[...inventories]],
  );
  const found: number[] = [];
  for (const row of rows) {
    remember(row, actor, columns, row.given);
    const above = { column: 'inventory_id', table: 'inventories', row };
    const settled = await settleBelow(db, question.rule, actor, 't', above);
    const query: Rule['query'] = (_actor, builder, alias) => {
      builder.where(`${alias}.inventory_id`, row.id);
      if (settled) narrow(builder, settled.whole);
      else question.rule.query(actor, builder, alias);
    };
    found.push(...(await rowsByQuery(db, { ...question, rule: { ...question.rule, query } }, actor)));
  }
  return found.toSorted((a, b) => a - b);
}
