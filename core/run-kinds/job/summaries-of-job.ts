import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { elapsedSql, failedSql } from '../../runs/columns.ts';

/** `summary_fields.job` of events and host summaries, for a whole page in one query, under each row's id. */
export async function summariesOfJob(
  db: Knex,
  rows: { id: number; run_id: number | null }[],
  more: Record<string, unknown> = {},
): Promise<Map<number, Record<string, unknown>>> {
  const ids = [...new Set(rows.map((row) => Number(row.run_id)))];
  const { rows: jobs }: { rows: Row[] } = await db.raw(
    `select r.id, r.name, r.description, r.status, ${failedSql('r')} as failed, ${elapsedSql('r')} as elapsed, r.kind as type, r.canceled_on,
            t.id as job_template_id, t.name as job_template_name
     from runs r left join templates t on t.id = r.template_id where r.id = any(?)`,
    [ids],
  );
  const byId = new Map(jobs.map((job) => [job.id, withoutNulls(job)]));
  return new Map(rows.map((row) => [row.id, { job: byId.get(Number(row.run_id)) ?? {}, ...more }]));
}

const withoutNulls = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
