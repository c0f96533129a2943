import type { Knex } from 'knex';
import {
  type CoreFactsRow,
  type CoreGroupChildRow,
  type CoreGroupHostRow,
  type CoreGroupRow,
  type CoreHostFactsRow,
  type CoreHostRow,
  type CoreInventoryRow,
  inventoryColumns,
} from './inventory.ts';
import {
  type CoreOrganizationRow,
  type CoreTeamMemberRow,
  type CoreTeamRow,
  type CoreUserRow,
  peopleColumns,
} from './people.ts';
import {
  type CoreHostSummaryRow,
  type CoreRunCredentialRow,
  type CoreRunEventRow,
  type CoreRunLabelRow,
  type CoreRunRow,
  runColumns,
} from './runs.ts';
import {
  type CoreCredentialRow,
  type CoreLabelRow,
  type CoreProjectRow,
  type CoreScheduleRow,
  type CoreTemplateCredentialRow,
  type CoreTemplateLabelRow,
  type CoreTemplateRow,
  templateColumns,
} from './templates.ts';

/**
 * What plugins may rely on when they read core's data: views, each with what its rows hold. Timestamps are ISO 8601
 * texts in UTC, with microseconds where there are any (`2026-01-02T03:04:05.120000Z`); ids and counts are numbers; JSON
 * columns are values. Tables of core can be read as well, but their columns are nobody's promise.
 */
export interface CoreRows {
  core_organizations: CoreOrganizationRow;
  core_users: CoreUserRow;
  core_teams: CoreTeamRow;
  core_team_members: CoreTeamMemberRow;
  core_inventories: CoreInventoryRow;
  core_hosts: CoreHostRow;
  core_groups: CoreGroupRow;
  core_group_hosts: CoreGroupHostRow;
  core_group_children: CoreGroupChildRow;
  core_facts: CoreFactsRow;
  core_host_facts: CoreHostFactsRow;
  core_templates: CoreTemplateRow;
  core_projects: CoreProjectRow;
  core_credentials: CoreCredentialRow;
  core_labels: CoreLabelRow;
  core_template_labels: CoreTemplateLabelRow;
  core_template_credentials: CoreTemplateCredentialRow;
  core_schedules: CoreScheduleRow;
  core_runs: CoreRunRow;
  core_run_labels: CoreRunLabelRow;
  core_run_credentials: CoreRunCredentialRow;
  core_host_summaries: CoreHostSummaryRow;
  core_run_events: CoreRunEventRow;
}

/** The same as Postgres has it: a test holds both against the views of a real database. */
export const coreColumns: { readonly [View in keyof CoreRows]: { readonly [Column in keyof CoreRows[View]]: string } } =
  { ...peopleColumns, ...inventoryColumns, ...templateColumns, ...runColumns };

type ReadOnly<Row> = Knex.CompositeTableType<Row, never, never, never>;
type ReadOnlyRows = { [View in keyof CoreRows]: ReadOnly<CoreRows[View]> };

declare module 'knex/types/tables.js' {
  // `api.db('core_hosts')` knows its rows, wherever the SDK is imported
  interface Tables extends ReadOnlyRows {}
}
