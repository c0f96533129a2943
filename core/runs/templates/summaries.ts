import type { Columns } from '@tapline/plugin-sdk';
import { elapsedSql, failedSql, isoSql } from '../columns.ts';

/** What a summary tells of a run. */
const brief = (alias: string) => `jsonb_strip_nulls(jsonb_build_object('id', ${alias}.id, 'name', ${alias}.name,
  'description', ${alias}.description, 'status', ${alias}.status, 'failed', ${failedSql(alias)}))`;
const ends = (alias: string) =>
  `'finished', ${isoSql(`${alias}.finished`)}, 'canceled_on', ${isoSql(`${alias}.canceled_on`)}`;

/** Columns of the template's own statement, so that a page with several types on it costs no statement more. */
export const runsOfTemplateSql = {
  summary_current: `(select ${brief('r')} from runs r where r.id = {alias}.current_run_id)`,
  summary_last: `(select ${brief('r')} || jsonb_build_object(${ends('r')}) from runs r where r.id = {alias}.last_run_id)`,
};

type Brief = Record<string, unknown> | null;
/** The run that launched a run and follows it, as links and summaries show it. */
export const sourceSql = {
  source_run: `(select jsonb_build_object('kind', u.kind) || ${brief('u')}
      || jsonb_strip_nulls(jsonb_build_object('elapsed', ${elapsedSql('u')}, 'canceled_on', ${isoSql('u.canceled_on')}))
    from runs u where u.id = {alias}.parent_id)`,
};

type RunsOfTemplate = Partial<Record<keyof typeof runsOfTemplateSql, Brief>>;

/** The newest ten, for templates that show more than the last one. */
export const recentRunsSql = {
  summary_recent: `(select jsonb_agg(jsonb_build_object('id', r.id, 'status', r.status, ${ends('r')}, 'type', r.kind) order by r.id desc)
    from (select id, status, finished, canceled_on, kind from runs where template_id = {alias}.id and status <> 'new' and job_slice_count <= 1 order by id desc limit 10) r)`,
};

/** The runs that a run waited for, as links and summaries show them under their kind. */
export const dependenciesSql = {
  dependencies: `(select jsonb_agg(jsonb_build_object('kind', u.kind) || ${brief('u')} order by u.id)
    from run_dependencies d join runs u on u.id = d.depends_on where d.run_id = {alias}.id)`,
};

/** Summaries of the runs that a template names, where it names any. */
export function shownRuns(row: Columns): Record<string, unknown> {
  const { summary_current: current, summary_last: last } = row as RunsOfTemplate;
  return { ...(current && { current_job: current }), ...(last && { last_job: last, last_update: withoutTimes(last) }) };
}

const withoutTimes = ({ finished: _finished, canceled_on: _canceled, ...rest }: Record<string, unknown>) => rest;
