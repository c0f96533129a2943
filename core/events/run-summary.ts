import type { Knex } from 'knex';

/** `summary_fields.job` of events and host summaries, for a whole page in one query, under each row's id. */
export async function jobSummaries(
  db: Knex,
  rows: { id: number; run_id: number }[],
  more: Record<string, unknown> = {},
): Promise<Map<number, Record<string, unknown>>> {
  const ids = [...new Set(rows.map((row) => row.run_id))];
  const { rows: jobs } = await db.raw(
    `select r.id, r.name, r.description, r.status, r.status in ('failed', 'error', 'canceled') as failed,
            coalesce(round(extract(epoch from coalesce(r.finished, now()) - r.started), 3), 0)::float8 as elapsed, r.kind as type, r.canceled_on,
            t.id as job_template_id, t.name as job_template_name
     from runs r left join templates t on t.id = r.template_id where r.id = any(?)`,
    [ids],
  );
  const byId = new Map<number, Record<string, unknown>>(jobs.map((job: any) => [job.id, withoutNulls(job)]));
  return new Map(rows.map((row) => [row.id, { job: byId.get(row.run_id) ?? {}, ...more }]));
}

const withoutNulls = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
