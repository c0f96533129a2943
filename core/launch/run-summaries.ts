import type { Knex } from 'knex';
import { summaryPrefix } from '../engine/sql.ts';
import { labelList, noLabels } from '../inventory/labels.ts';
import { recentCounts } from '../inventory/recent-counts.ts';

type Summary = Record<string, unknown>;

const present = (entries: [string, unknown][]) =>
  Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));

const brief = (
  alias: string,
) => `jsonb_strip_nulls(jsonb_build_object('id', ${alias}.id, 'name', ${alias}.name, 'description', ${alias}.description, 'status', ${alias}.status,
  'failed', ${alias}.status in ('failed', 'error', 'canceled')))`;
const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const credentialList = (
  through: string,
  owner: string,
  id: string,
) => `coalesce((select jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name, 'description', c.description,
    'kind', coalesce(ct.namespace, ct.kind), 'cloud', ct.kind = 'cloud') order by c.id)
  from ${through} x join credentials c on c.id = x.credential_id join credential_types ct on ct.id = c.credential_type_id where x.${owner} = ${id}), '[]')`;

/** Columns of the template's own statement, so that a page with several types on it costs no statement more. */
const runsSql = {
  summary_current: `(select ${brief('r')} from runs r where r.id = {alias}.current_run_id)`,
  summary_last: `(select ${brief('r')} || jsonb_build_object('finished', ${iso('r.finished')}, 'canceled_on', ${iso('r.canceled_on')})
    from runs r where r.id = {alias}.last_run_id)`,
};

export const projectSummarySql = runsSql;

export const templateSummarySql = {
  ...runsSql,
  summary_credentials: credentialList('template_credentials', 'template_id', '{alias}.id'),
  summary_labels: labelList('select label_id from template_labels where template_id = {alias}.id'),
  summary_recent: `(select jsonb_agg(jsonb_build_object('id', r.id, 'status', r.status, 'finished', ${iso('r.finished')}, 'canceled_on', ${iso('r.canceled_on')}, 'type', r.kind) order by r.id desc)
    from (select id, status, finished, canceled_on, kind from runs where template_id = {alias}.id and status <> 'new' order by id desc limit 10) r)`,
};

const withoutTimes = ({ finished: _finished, canceled_on: _canceled, ...rest }: Summary) => rest;

/** The inventory as the row's own statement shows it, with what it counts. */
async function inventoriesOf(db: Knex, rows: any[]): Promise<(row: any) => Summary | null> {
  const shown = (row: any) => row[`${summaryPrefix}inventory`];
  const counts = await recentCounts(
    db,
    rows.filter(shown).map((row) => row.inventory_id),
  );
  return (row) => shown(row) && { ...counts.get(row.inventory_id), ...shown(row) };
}

export async function templateSummaries(db: Knex, rows: any[]): Promise<Map<number, Summary>> {
  const inventory = await inventoriesOf(db, rows);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...present([
          ['inventory', inventory(row)],
          ['current_job', row.summary_current],
          ['last_job', row.summary_last],
          ['last_update', row.summary_last && withoutTimes(row.summary_last)],
        ]),
        credentials: row.summary_credentials,
        labels: row.summary_labels,
        recent_jobs: row.summary_recent ?? [],
      },
    ]),
  );
}

export async function projectSummaries(_db: Knex, rows: any[]): Promise<Map<number, Summary>> {
  return new Map(
    rows.map((row) => [
      row.id,
      present([
        ['current_job', row.summary_current],
        ['current_update', row.summary_current],
        ['last_job', row.summary_last],
        ['last_update', row.summary_last && withoutTimes(row.summary_last)],
      ]),
    ]),
  );
}

/** Columns of a job's own statement: one round trip less for what clients poll most. */
export const jobSummarySql = {
  summary_credentials: credentialList('run_credentials', 'run_id', '{alias}.id'),
  summary_labels: `case when {alias}.label_ids is not null then ${labelList('select unnest({alias}.label_ids)')} end`,
  summary_project_update: `(select ${brief('u')} from runs u where u.id = {alias}.project_update_id)`,
};

export async function jobSummaryFields(db: Knex, rows: any[]): Promise<Map<number, Summary>> {
  const inventory = await inventoriesOf(db, rows);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        credentials: row.summary_credentials,
        labels: row.summary_labels ?? noLabels,
        ...present([
          ['inventory', inventory(row)],
          ['project_update', row.summary_project_update],
        ]),
      },
    ]),
  );
}
