import { type Columns, field } from '@tapline/plugin-sdk';
import { templateStatuses } from '../choices.ts';

const ro = { mode: 'ro' } as const;

/** What templates of every kind show of their runs. */
export const templateRunFields = {
  last_job_run: field.datetime({ ...ro, nullable: true }),
  last_job_failed: field.boolean(ro),
  next_job_run: field.datetime({ ...ro, nullable: true }),
  status: field.choice(templateStatuses, ro),
};

/** A link that a template holds to one of its runs, as filters follow it. */
export const runOf = (kind: string, column: 'last_run_id' | 'current_run_id') => ({
  resource: kind,
  through: { table: 'templates', parent: 'id', child: column },
});

export const runLink = (row: Columns, column: 'last_run_id' | 'current_run_id', path: string): string | null =>
  row[column] ? `/api/v2/${path}/${row[column]}/` : null;
