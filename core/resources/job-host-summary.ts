import { type Resource, type Sublist, defineResource, field } from '@tapline/plugin-sdk';
import { jobSummaries } from '../events/run-summary.ts';
import type { CorePermissions } from '../rbac/permissions.ts';
import { ofGroup } from './job-event.ts';

const count = () => field.integer({ mode: 'ro' });

/** Written once, by the statistics at the end of a job; never changed. */
export const jobHostSummaryResource = ({ permissions }: { permissions: CorePermissions }): Resource =>
  defineResource({
    type: 'job_host_summary',
    path: 'job_host_summaries',
    root: false,
    table: 'job_host_summaries',
    label: 'Job host summary',
    description: 'How a job ended on one host.',
    methods: { list: [], detail: ['GET'] },
    access: permissions.job_host_summary,
    orderBy: ['-id'],
    search: ['host_name'],
    fields: {
      job: field.ref('job', { mode: 'ro', column: 'run_id' }),
      host: field.ref('host', { mode: 'ro' }),
      constructed_host: field.computed({ compute: () => null }),
      host_name: field.string({ mode: 'ro' }),
      changed: count(),
      dark: count(),
      failures: count(),
      ok: count(),
      processed: count(),
      skipped: count(),
      ignored: count(),
      rescued: count(),
      failed: field.boolean({ mode: 'ro' }),
    },
    summaries: (db, rows) => jobSummaries(db, rows),
  });

/** For the descriptors of jobs, hosts and groups. */
export const jobHostSummaries: Sublist = { resource: 'job_host_summary', column: 'run_id' };
export const hostJobHostSummaries: Sublist = { resource: 'job_host_summary', column: 'host_id' };
export const groupJobHostSummaries: Sublist = { resource: 'job_host_summary', where: ofGroup };
