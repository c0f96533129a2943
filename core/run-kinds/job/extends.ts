import { field, type RunKind } from '@tapline/plugin-sdk';
import { authenticated } from '../../rbac/rules.ts';
import { groupJobEvents, hostJobEvents } from './job-event.ts';
import { groupJobHostSummaries, hostJobHostSummaries } from './job-host-summary.ts';

/** Where templates of jobs belong, and what jobs leave on the hosts and groups that they ran on. */
export const jobExtends: RunKind['extends'] = {
  organization: {
    sublists: {
      job_templates: { resource: 'job_template', column: 'organization_id', create: true, write: authenticated },
    },
  },
  inventory: { sublists: { job_templates: { resource: 'job_template', column: 'inventory_id' } } },
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
