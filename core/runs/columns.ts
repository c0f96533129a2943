import { lineReason } from './locks.ts';

/** SQL over a row of `runs`, said once; `alias` as it stands in the statement (`{alias}` in descriptors). */

export const failedSql = (alias: string) => `(${alias}.status in ('failed', 'error', 'canceled'))`;

/** seconds; of a run that goes on, until now */
export const elapsedSql = (alias: string) => `(case when ${alias}.started is null then 0
  else round(extract(epoch from coalesce(${alias}.finished, now()) - ${alias}.started), 3) end)::float8`;

/** A timestamp as the API shows it, within JSON that SQL puts together. */
export const isoSql = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const inLine = lineReason("' || h.status || '", "' || h.kind || '", "' || h.id || '");

/**
 * Why a run has not started yet. Of a line only the first is looked at when its turn comes: whoever stands behind it is told by this whose
 * turn it is now, instead of being written anew each time.
 */
export const reasonsSql = (
  alias: string,
) => `(case when ${alias}.status = 'pending' and ${alias}.blocked_on = any (${alias}.holds) then coalesce(
    (select jsonb_build_array(jsonb_build_object('code', 'concurrency', 'text', '${inLine.text}', 'explanation', '${inLine.explanation}'))
      from runs h where h.status in ('waiting', 'running') and ${alias}.blocked_on = any (h.holds) order by h.id limit 1),
    ${alias}.pending_reasons) else ${alias}.pending_reasons end)`;

/** After 30 s in the queue clients are told what it waits for; nothing of that is stored, so nothing has to be cleared. */
export const explanationSql = (
  alias: string,
) => `(case when ${alias}.status = 'pending' and ${alias}.created < now() - interval '30 seconds' and ${alias}.pending_reasons->0->>'explanation' is not null
  then concat_ws(E'\\n', nullif(${alias}.job_explanation, ''), ${reasonsSql(alias)}->0->>'explanation') else ${alias}.job_explanation end)`;
