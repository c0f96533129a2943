import type { Knex } from 'knex';

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

const noLabels = { count: 0, results: [] };

/** The runs of templates and projects, for a page of them in one query. */
async function runsOf(db: Knex, ids: readonly number[]): Promise<any[]> {
  const { rows } = await db.raw(
    `select t.id, ${brief('cur')} as current, cur.id as current_id,
       ${brief('last')} || jsonb_build_object('finished', ${iso('last.finished')}, 'canceled_on', ${iso('last.canceled_on')}) as last, last.id as last_id,
       ${credentialList('template_credentials', 'template_id', 't.id')} as credentials
     from templates t left join runs cur on cur.id = t.current_run_id left join runs last on last.id = t.last_run_id where t.id = any(?)`,
    [[...ids]],
  );
  return rows;
}

async function recentJobs(db: Knex, ids: readonly number[]): Promise<Map<number, unknown[]>> {
  const { rows } = await db.raw(
    `select t.id, jsonb_agg(jsonb_build_object('id', r.id, 'status', r.status, 'finished', ${iso('r.finished')}, 'canceled_on', ${iso('r.canceled_on')}, 'type', r.kind) order by r.id desc) as jobs
     from unnest(?::bigint[]) t(id) cross join lateral
       (select id, status, finished, canceled_on, kind from runs where template_id = t.id and status <> 'new' order by id desc limit 10) r
     group by t.id`,
    [[...ids]],
  );
  return new Map(rows.map((row: { id: number; jobs: unknown[] }) => [row.id, row.jobs]));
}

export async function templateSummaries(db: Knex, rows: any[]): Promise<Map<number, Summary>> {
  const ids = rows.map((row) => row.id);
  const [runs, recent] = await Promise.all([runsOf(db, ids), recentJobs(db, ids)]);
  return new Map(
    runs.map((run) => {
      return [
        run.id,
        {
          ...present([
            ['current_job', run.current_id && run.current],
            ['last_job', run.last_id && run.last],
            ['last_update', run.last_id && withoutTimes(run.last)],
          ]),
          credentials: run.credentials,
          labels: noLabels,
          recent_jobs: recent.get(run.id) ?? [],
        },
      ];
    }),
  );
}

const withoutTimes = ({ finished: _finished, canceled_on: _canceled, ...rest }: Summary) => rest;

export async function projectSummaries(db: Knex, rows: any[]): Promise<Map<number, Summary>> {
  return new Map(
    (
      await runsOf(
        db,
        rows.map((row) => row.id),
      )
    ).map((run) => {
      const current = run.current_id ? run.current : null;
      const last = run.last_id ? run.last : null;
      return [
        run.id,
        {
          ...present([
            ['current_job', current],
            ['current_update', current],
            ['last_job', last],
            ['last_update', last && withoutTimes(last)],
          ]),
        },
      ];
    }),
  );
}

/** Columns of a job's own statement: one round trip less for what clients poll most. */
export const jobSummarySql = {
  summary_credentials: credentialList('run_credentials', 'run_id', '{alias}.id'),
  summary_project_update: `(select ${brief('u')} from runs u where u.id = {alias}.project_update_id)`,
};

export async function jobSummaryFields(_db: Knex, rows: any[]): Promise<Map<number, Summary>> {
  return new Map(
    rows.map((row) => [
      row.id,
      {
        credentials: row.summary_credentials,
        labels: noLabels,
        ...present([['project_update', row.summary_project_update]]),
      },
    ]),
  );
}
