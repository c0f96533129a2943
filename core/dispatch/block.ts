import type { Knex } from 'knex';
import { safeJson } from '../db/safe-text.ts';
import type { Candidate, Reason } from './decide.ts';
import { shapeSql } from './situation.ts';

/** Writes what stands in the way of runs; the dispatcher does not look at them until it is gone. */
export async function block(trx: Knex, blocks: readonly { run: number; on: string; reason: Reason }[]): Promise<void> {
  if (!blocks.length) return;
  await trx.raw(
    `with input as (
       select * from jsonb_to_recordset(?::jsonb) as i(run bigint, "on" text, reason jsonb)
     ), free as (
       select runs.id from runs join input on input.run = runs.id where runs.status = 'pending' for no key update of runs skip locked
     )
     update runs set blocked_on = input."on", pending_reasons = jsonb_build_array(input.reason)
     from input, free where runs.id = input.run and runs.id = free.id`,
    [safeJson(blocks.map(({ run, on, reason }) => ({ run, on, reason })))],
  );
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
  await trx.raw(
    `with input as (
       select * from jsonb_to_recordset(?::jsonb) as i(run bigint, reason jsonb)
     ), free as (
       select runs.id from runs join input on input.run = runs.id where runs.status = 'pending' for no key update of runs skip locked
     )
     update runs set pending_reasons = jsonb_build_array(input.reason)
     from input, free where runs.id = input.run and runs.id = free.id`,
    [safeJson(news.map(({ run, reason }) => ({ run, reason })))],
  );
}

/** The same for runs that no pass read, because others of their shape found no place. */
export async function tellUnread(trx: Knex, closed: ReadonlyMap<string, Reason>): Promise<void> {
  await trx.raw(
    `with input as (
       select * from jsonb_to_recordset(?::jsonb) as i(shape text, reason jsonb)
     ), free as (
       select r.id, input.reason from runs r join input on input.shape = ${shapeSql}
       where r.status = 'pending' and r.blocked_on is null and r.pending_reasons->0->'code' is distinct from input.reason->'code'
       for no key update of r skip locked
     )
     update runs set pending_reasons = jsonb_build_array(free.reason) from free where runs.id = free.id`,
    [safeJson([...closed].map(([shape, reason]) => ({ shape, reason })))],
  );
}
