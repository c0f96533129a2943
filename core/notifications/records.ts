import type { Knex } from 'knex';
import { safeJson, safeText } from '../db/safe-text.ts';
import { masked } from '../secrets/masked.ts';

/** One try to deliver, as `notifications/N/` shows it. */
export interface Attempt {
  started: string;
  /** null: it is under way, or the service died in the middle and nobody knows whether it was sent */
  finished: string | null;
  duration_ms: number | null;
  outcome: 'unknown' | 'delivered' | 'refused';
  /** where to and how much, without what is secret of it */
  request: string;
  answer: string;
  error: string;
}

/** The latest are kept. */
const mostKept = 20;
const longest = 2000;

/** Replaces every secret in a text, and cuts it to what a record holds. */
export function masking(secrets: readonly string[]): (text: string) => string {
  return (text) => {
    const hidden = secrets.reduce((shown, secret) => shown.replaceAll(secret, masked), text);
    return safeText(hidden, longest);
  };
}

export const begun = (now: Date, request: string): Attempt => ({
  started: now.toISOString(),
  finished: null,
  duration_ms: null,
  outcome: 'unknown',
  request,
  answer: '',
  error: '',
});

/** Before anything is sent: a process that dies after it leaves a mark. */
export async function noteBegin(
  db: Knex,
  id: number,
  attempt: Attempt,
  columns: Record<string, unknown>,
): Promise<void> {
  await db('notifications')
    .where({ id })
    .update({
      ...columns,
      modified: db.fn.now(),
      attempts: db.raw(
        `(select coalesce(jsonb_agg(kept.one order by kept.place), '[]') from (
            select one, place from jsonb_array_elements(attempts || ?::jsonb) with ordinality a(one, place) order by place desc limit ?
          ) kept)`,
        [safeJson([attempt]), mostKept],
      ),
    });
}

/** The last attempt in place of the one that was begun. */
export async function noteEnd(
  trx: Knex,
  id: number,
  attempt: Attempt,
  columns: Record<string, unknown>,
): Promise<void> {
  await trx('notifications')
    .where({ id })
    .update({
      ...columns,
      modified: trx.fn.now(),
      attempts: trx.raw(`(attempts - -1) || ?::jsonb`, [safeJson([attempt])]),
    });
}
