import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { labelList, noLabels } from '../../inventory/labels.ts';
import { shownInventories } from '../../inventory/shown-inventories.ts';
import { recentRunsSql, runsOfTemplateSql, shownRuns } from './summaries.ts';

type Summaries = Map<number, Record<string, unknown>>;
type More = (row: Row) => Record<string, unknown>;

/** What people launch with a survey shows in `summary_fields`: columns of its own statement. */
export const launchableSql = {
  ...runsOfTemplateSql,
  ...recentRunsSql,
  summary_survey: `case when jsonb_exists({alias}.survey_spec, 'name') and jsonb_exists({alias}.survey_spec, 'description')
    then jsonb_build_object('title', {alias}.survey_spec -> 'name', 'description', {alias}.survey_spec -> 'description') end`,
  summary_labels: labelList('select label_id from template_labels where template_id = {alias}.id'),
};

/** By `launchableSql`. */
export const launchableSummaries = (db: Knex, rows: readonly Row[], more?: More): Promise<Summaries> =>
  withInventories(db, rows, (row) => ({
    ...(row['summary_survey'] ? { survey: row['summary_survey'] } : {}),
    ...shownRuns(row),
    labels: row['summary_labels'],
    recent_jobs: row['summary_recent'] ?? [],
    ...more?.(row),
  }));

/** The same of its runs: one round trip less for what clients poll most. */
export const launchedSql = {
  summary_labels: `case when {alias}.label_ids is not null then ${labelList('select unnest({alias}.label_ids)')} end`,
};

/** By `launchedSql`. */
export const launchedSummaries = (db: Knex, rows: readonly Row[], more?: More): Promise<Summaries> =>
  withInventories(db, rows, (row) => ({ labels: row['summary_labels'] ?? noLabels, ...more?.(row) }));

async function withInventories(db: Knex, rows: readonly Row[], shown: More): Promise<Summaries> {
  const inventoryOf = await shownInventories(db, rows);
  return new Map(
    rows.map((row) => {
      const inventory = inventoryOf(row);
      return [row.id, { ...(inventory && { inventory }), ...shown(row) }];
    }),
  );
}
