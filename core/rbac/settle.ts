import type { Actor, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared, statement } from '../engine/prepared.ts';
import { type Condition, holds } from './condition.ts';
import { type RoleType, roleTables } from './definitions.ts';
import { recallRole } from './row-roles.ts';
import type { CoreRule } from './rules.ts';

/**
 * A rule for one caller with what it looks up elsewhere looked up. Over a large table the difference is that between a plan
 * that knows which ids it is after, and how many rows they have, and one that guesses at a subquery.
 */
export interface Settled {
  whole: Condition;
  /** Conditions that exclude each other and together are the whole: each may be counted by an index of its own. */
  apart: Condition[];
}

export interface Settling {
  db: Knex;
  actor: Actor | null;
  alias: string;
  /** The ids that a statement selects; undefined when they are too many to be named. To be called before anything is awaited. */
  ask(sql: string, bindings: readonly unknown[]): Promise<number[] | undefined>;
}

/** The one record that a list is below: `column` of every row of it names this one. */
export interface Above {
  column: string;
  table: string;
  row: any;
}

export interface SettlingRule extends CoreRule {
  settled: (settling: Settling) => Promise<Settled>;
}

/** Planning looks at every id named. */
const mostIds = 2000;

const isSql = (condition: Condition): condition is Exclude<Condition, boolean> => typeof condition !== 'boolean';

const joined = (word: 'and' | 'or', parts: Exclude<Condition, boolean>[]): Condition =>
  parts.length === 1
    ? parts[0]!
    : {
        sql: `(${parts.map(({ sql }) => sql).join(` ${word} `)})`,
        bindings: parts.flatMap(({ bindings }) => bindings),
      };

export function both(...conditions: Condition[]): Condition {
  if (conditions.includes(false)) return false;
  const parts = conditions.filter(isSql);
  return parts.length ? joined('and', parts) : true;
}

export function either(...conditions: Condition[]): Condition {
  if (conditions.includes(true)) return true;
  const parts = conditions.filter(isSql);
  return parts.length ? joined('or', parts) : false;
}

/** A null is no as well. */
const outside = (condition: Condition): Condition =>
  isSql(condition) ? { sql: `(${condition.sql}) is not true`, bindings: condition.bindings } : !condition;

export const single = (whole: Condition): Settled => ({ whole, apart: whole === false ? [] : [whole] });

/** `column` holds one of the ids that `sql` selects. */
export async function amongIds(
  { alias, ask }: Settling,
  column: string,
  sql: string,
  bindings: readonly unknown[],
): Promise<Settled> {
  const ids = await ask(sql, bindings);
  const name = `"${alias}"."${column}"`;
  if (!ids) return single({ sql: `${name} in (${sql})`, bindings: [...bindings] });
  return single(ids.length > 0 && { sql: `${name} = any (?)`, bindings: [ids] });
}

async function settledAny(rules: readonly Rule[], settling: Settling): Promise<Settled> {
  const parts = await Promise.all(rules.map((rule) => settledRule(rule, settling)));
  return {
    whole: either(...parts.map(({ whole }) => whole)),
    apart: parts
      .flatMap(({ apart }, index) =>
        apart.map((one) => both(one, ...parts.slice(0, index).map(({ whole }) => outside(whole)))),
      )
      .filter((one) => one !== false),
  };
}

async function settledAll(rules: readonly Rule[], settling: Settling): Promise<Settled> {
  const parts = await Promise.all(rules.map((rule) => settledRule(rule, settling)));
  return {
    whole: both(...parts.map(({ whole }) => whole)),
    apart: parts
      .reduce<Condition[]>((all, { apart }) => all.flatMap((left) => apart.map((right) => both(left, right))), [true])
      .filter((one) => one !== false),
  };
}

async function settledRule(rule: Rule, settling: Settling): Promise<Settled> {
  const { settled, anatomy } = rule as Partial<SettlingRule>;
  if (settled) return settled(settling);
  if (anatomy?.kind === 'any') return settledAny(anatomy.rules, settling);
  if (anatomy?.kind === 'all') return settledAll(anatomy.rules, settling);
  return single(queried(rule, settling));
}

/** What the query form of a rule narrows by: a rule that has nothing to look up needs no other. */
function queried(rule: Rule, { db, actor, alias }: Pick<Settling, 'db' | 'actor' | 'alias'>): Condition {
  const builder = db.queryBuilder();
  rule.query(actor, builder, alias);
  const { sql, bindings } = builder.toSQL();
  if (sql === 'select *') return true;
  const start = 'select * where ';
  if (!sql.startsWith(start))
    throw new Error(`The access rule "${rule.name}" does more in its query form than narrow by conditions: ${sql}`);
  const condition = sql.slice(start.length);
  return condition !== 'false' && { sql: `(${condition})`, bindings: [...bindings] };
}

/** Settles a rule with one statement for all that it asks; undefined where it asks nothing and its query form will do. */
export async function settle(
  db: Knex,
  rule: Rule,
  actor: Actor | null,
  alias: string,
  most = mostIds,
): Promise<Settled | undefined> {
  // rules ask nothing about a superuser, or what does not matter any more
  if (actor?.is_superuser) return undefined;
  const asked: { sql: string; bindings: readonly unknown[]; answer: (ids?: number[]) => void }[] = [];
  const ask: Settling['ask'] = (sql, bindings) =>
    new Promise((resolve) => asked.push({ sql, bindings, answer: resolve }));
  const settled = settledRule(rule, { db, actor, alias, ask });
  if (!asked.length) return undefined;
  let parameter = 0;
  const columns = asked.map(({ sql }, index) => {
    const numbered = sql.replaceAll('?', () => `$${++parameter}`);
    return `array(select * from (${numbered}) q limit ${most + 1}) as ids${index}`;
  });
  const [row] = await runPrepared(
    db,
    statement(`select ${columns.join(', ')}`),
    asked.flatMap(({ bindings }) => bindings),
  );
  for (const [index, { answer }] of asked.entries()) {
    const ids: number[] = row[`ids${index}`];
    answer(ids.length > most ? undefined : ids);
  }
  return settled;
}

/**
 * Settles a rule for the rows below one record: where they are seen through it, the record at hand tells, once and for all
 * of them. undefined where it tells nothing.
 */
export async function settleBelow(
  db: Knex,
  rule: Rule,
  actor: Actor | null,
  alias: string,
  above: Above,
): Promise<Settled | undefined> {
  if (!actor || actor.is_superuser) return undefined;
  let told = false;
  const condition = async (part: Rule): Promise<Condition> => {
    const { anatomy } = part as Partial<SettlingRule>;
    if (anatomy?.kind === 'any') return either(...(await Promise.all(anatomy.rules.map(condition))));
    if (anatomy?.kind === 'all') return both(...(await Promise.all(anatomy.rules.map(condition))));
    const found = await tellFromAbove(db, part, actor, above);
    told ||= found !== undefined;
    return found ?? queried(part, { db, actor, alias });
  };
  const whole = await condition(rule);
  return told ? single(whole) : undefined;
}

async function tellFromAbove(
  db: Knex,
  rule: Rule,
  actor: Actor,
  { column, table, row }: Above,
): Promise<boolean | undefined> {
  const { anatomy } = rule as Partial<SettlingRule>;
  if (anatomy?.kind === 'via' && anatomy.column === column && anatomy.table === table)
    return anatomy.rule.row(actor, row, db);
  if (anatomy?.kind !== 'role' || anatomy.column !== column) return undefined;
  const type = anatomy.type as RoleType;
  if (roleTables[type].table !== table) return undefined;
  const held = holds(actor, type, anatomy.field, 'x');
  return typeof held === 'boolean' ? held : recallRole(actor, type, anatomy.field, row, 'id');
}
