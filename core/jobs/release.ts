import type { Knex } from 'knex';

interface Ended {
  id: number;
  template_id: number | null;
  /** what it waited for itself before it ended; then its template's place was never taken by it */
  was_blocked_on?: string | null;
}

/** Runs of one template that may not overlap wait in its queue; one leaves it at a time. */
export const templateKey = (template: number): string => `template:${template}`;
/** Everybody who waits for one particular run goes on when it ends. */
export const runKey = (run: number): string => `run:${run}`;

/**
 * Makes those look again who waited for the ended runs. Called after the template's row has been written,
 * that is under its lock: a dispatcher that is about to mark a run as blocked by this template holds the same lock,
 * so it either sees the end of the blocker or is seen here. Rows in other hands are skipped, never waited for.
 */
export async function releaseWaiters(trx: Knex, ended: readonly Ended[]): Promise<number> {
  const templates = [
    ...new Set(
      ended.flatMap(({ template_id: id, was_blocked_on: blocked }) =>
        id === null || blocked ? [] : [templateKey(id)],
      ),
    ),
  ];
  const { rowCount } = await trx.raw(
    `with next as (
       (select w.id from unnest(?::text[]) key
        cross join lateral (
          select id from runs where blocked_on = key and status = 'pending' order by id limit 1 for no key update skip locked
        ) w)
       union all
       (select w.id from unnest(?::text[]) key
        cross join lateral (
          select id from runs where blocked_on = key and status = 'pending' for no key update skip locked
        ) w)
     )
     update runs set blocked_on = null from next where runs.id = next.id`,
    [templates, ended.map(({ id }) => runKey(id))],
  );
  return rowCount ?? 0;
}
