import { type Resource, runsTab } from '@tapline/console-kit';
import { notifyTab } from '../../notifications/notify-tab.tsx';
import { schedulesTab } from '../../schedules/schedules-tab.ts';
import { LaunchSystemJob } from '../../system/launch-system-job.tsx';

export const systemJobTemplate: Resource = {
  path: 'system_job_templates',
  type: 'system_job_template',
  one: 'system job',
  many: 'system jobs',
  intro: 'What keeps the service tidy: by the clock, or now.',
  columns: [
    'name',
    'status',
    'last_job_run',
    'next_job_run',
    { label: 'Action', narrow: true, cell: (row) => <LaunchSystemJob row={row} /> },
  ],
  facts: ['job_type', 'status', 'last_job_run', 'next_job_run'],
  readOnly: true,
  actions: LaunchSystemJob,
  tabs: [runsTab('jobs', 'Runs'), schedulesTab, notifyTab()],
};
