import type { Knex } from 'knex';
import { safeJson } from '../db/safe-text.ts';
import { runPrepared } from '../db/prepared.ts';
import { type Candidate, capacityReason, type Reason } from './decide.ts';
import type { Look } from './look.ts';
import { shapeSql } from './situation.ts';

const blocking = {
  name: 'runs that are blocked',
  text: `with input as (
       select * from jsonb_to_recordset($1::jsonb) as i(run bigint, "on" text, reason jsonb)
     ), free as (
       select runs.id from runs join input on input.run = runs.id where runs.status = 'pending' for no key update of runs skip locked
     )
     update runs set blocked_on = input."on", pending_reasons = jsonb_build_array(input.reason)
     from input, free where runs.id = input.run and runs.id = free.id`,
};

/** Writes what stands in the way of runs; the dispatcher does not look at them until it is gone. */
export async function block(trx: Knex, blocks: readonly { run: number; on: string; reason: Reason }[]): Promise<void> {
  if (!blocks.length) return;
  await runPrepared(trx, blocking, [safeJson(blocks.map(({ run, on, reason }) => ({ run, on, reason })))]);
}

/** Numbers that change with every run that starts are not worth a write for each that waits. */
const isTold = (told: Reason | undefined, { code, text }: Reason): boolean =>
  told?.code === code && withoutNumbers(told.text) === withoutNumbers(text);
const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, '#');

/** Why runs wait for capacity, only where the reason is a new one: a full queue is not rewritten at every pass. */
export async function tell(
  trx: Knex,
  waits: readonly { run: number; reason: Reason }[],
  candidates: readonly Candidate[],
): Promise<void> {
  const told = new Map(candidates.map(({ id, pending_reasons: [reason] }) => [id, reason]));
  const news = waits.filter(({ run, reason }) => !isTold(told.get(run), reason));
  if (!news.length) return;
  await write(trx, news);
}

async function write(trx: Knex, reasons: readonly { run: number; reason: Reason }[]): Promise<void> {
  await trx.raw(
    `with input as (
       select * from jsonb_to_recordset(?::jsonb) as i(run bigint, reason jsonb)
     ), free as (
       select runs.id from runs join input on input.run = runs.id where runs.status = 'pending' and runs.blocked_on is null for no key update of runs skip locked
     )
     update runs set pending_reasons = jsonb_build_array(input.reason)
     from input, free where runs.id = input.run and runs.id = free.id`,
    [safeJson(reasons.map(({ run, reason }) => ({ run, reason })))],
  );
}

/** A queue of any length is told in parts, one after each look. */
const MOST_TOLD = 1000;

const unread = {
  name: 'dispatch unread',
  text: `select r.id, r.impact, i.shape from runs r left join jsonb_to_recordset($1::jsonb) as i(shape text, code text) on i.shape = ${shapeSql}
    where r.status = 'pending' and r.blocked_on is null and r.kind = any ($5) and (i.shape is not null or r.needs = 'engine' and r.impact > $2)
      and r.pending_reasons->0->>'code' is distinct from coalesce(i.code, $3)
    order by r.priority desc, r.id limit $4`,
};

/** The same for runs that no pass of the look read: others of their shape found no place, or no node has room for them. */
export async function tellUnread(trx: Knex, kinds: readonly string[], { closed, largest, nodes }: Look): Promise<void> {
  if (!nodes) return;
  const codes = safeJson([...closed].map(([shape, { code }]) => ({ shape, code })));
  const values = [codes, largest, capacityReason({ impact: 0 }, nodes).code, MOST_TOLD, kinds];
  const rows = await runPrepared<{ id: number; impact: number; shape: string | null }>(trx, unread, values);
  if (!rows.length) return;
  const reasons = rows.map(({ id, impact, shape }) => ({
    run: id,
    reason: closed.get(shape ?? '') ?? capacityReason({ impact }, nodes),
  }));
  await write(trx, reasons);
}
