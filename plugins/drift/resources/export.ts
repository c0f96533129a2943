import { type Action, authenticated, format } from '@tapline/plugin-sdk';

/** The specification's columns. Written by the database: a million rows in seconds. */
export const driftCsv = format.csv({
  cells: (alias) => ({
    ID: { sql: `"${alias}".id` },
    Host: { sql: `(select h.name from core_hosts h where h.id = "${alias}".host_id)`, text: true },
    'Detected At': {
      sql: `to_char("${alias}".created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
      text: true,
    },
    Category: { sql: `"${alias}".category`, text: true },
    Severity: { sql: `"${alias}".severity`, text: true },
    'Fact Path': { sql: `"${alias}".fact_path`, text: true },
    Summary: { sql: `"${alias}".summary`, text: true },
    'Diff Type': { sql: `"${alias}".diff_type`, text: true },
    Acknowledged: { sql: `case when "${alias}".acknowledged then 'True' else 'False' end`, text: true },
  }),
});

export const exportAction: Action = {
  access: { GET: authenticated },
  summary:
    'The list as a table for spreadsheets, with its filters; ?date_from= and ?date_to= are days (UTC), both included',
  lists: 'drift_detection',
  formats: ['csv'],
  answers: { GET: { media: 'text/csv' } },
  handler: ({ write }) => write('drift_detection', 'csv'),
};
