import { field, type RunKind } from '@tapline/plugin-sdk';
import { groupJobEvents, hostJobEvents } from './job-event.ts';
import { groupJobHostSummaries, hostJobHostSummaries } from './job-host-summary.ts';

/** What jobs leave on the hosts and groups that they ran on. */
export const jobExtends: RunKind['extends'] = {
  host: {
    fields: {
      // the columns may name what was deleted since
      last_job: field.ref('job', { mode: 'ro', sql: '(select r.id from runs r where r.id = {alias}.last_job_id)' }),
      last_job_host_summary: field.ref('job_host_summary', {
        mode: 'ro',
        sql: '(select s.id from job_host_summaries s where s.id = {alias}.last_job_host_summary_id)',
      }),
    },
    sublists: { job_events: hostJobEvents, job_host_summaries: hostJobHostSummaries },
  },
  group: { sublists: { job_events: groupJobEvents, job_host_summaries: groupJobHostSummaries } },
};
