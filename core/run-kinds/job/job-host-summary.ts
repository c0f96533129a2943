import { type Resource, type Sublist, defineResource, field } from '@tapline/plugin-sdk';
import { ofSeenRun, type Visible } from '../../runs/access.ts';
import { inGroup } from './job-event.ts';
import { summariesOfJob } from './summaries-of-job.ts';

const count = () => field.integer({ mode: 'ro' });

/** Written once, by the statistics at the end of a job; never changed. */
export const jobHostSummaryResource = ({ visible }: { visible: Visible }): Resource =>
  defineResource({
    type: 'job_host_summary',
    path: 'job_host_summaries',
    root: false,
    table: 'job_host_summaries',
    label: 'Job host summary',
    description: 'How a job ended on one host.',
    methods: { list: [], detail: ['GET'] },
    access: { see: ofSeenRun(visible, { kind: 'job' }) },
    orderBy: ['-id'],
    search: ['host_name'],
    fields: {
      job: field.ref('job', { mode: 'ro', column: 'run_id' }),
      host: field.ref('host', { mode: 'ro' }),
      constructed_host: field.ref('host', {
        mode: 'ro',
        help: 'The host of the constructed inventory that the job ran on.',
      }),
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
    summaries: (db, rows) => summariesOfJob(db, rows),
  });

/** For the descriptors of jobs, hosts and groups. */
export const jobHostSummaries: Sublist = { resource: 'job_host_summary', column: 'run_id' };
/** Of a host, and of its like in a constructed inventory. */
const about =
  (condition: string): NonNullable<Sublist['where']> =>
  (builder, { id }, alias) =>
    void builder.whereRaw(`("${alias}".host_id ${condition} or "${alias}".constructed_host_id ${condition})`, [id, id]);
export const hostJobHostSummaries: Sublist = { resource: 'job_host_summary', where: about('= ?') };
/** Two subqueries that `or` joins would use neither index; arrays use both. */
export const groupJobHostSummaries: Sublist = {
  resource: 'job_host_summary',
  where: about(`= any (array(${inGroup}))`),
};
