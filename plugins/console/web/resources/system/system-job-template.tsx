import { type Resource, runsTab, t } from '@tapline/console-kit';
import { notifyTab } from '../../notifications/notify-tab.tsx';
import { schedulesTab } from '../../schedules/schedules-tab.ts';
import { LaunchSystemJob } from '../../system/launch-system-job.tsx';

export const systemJobTemplate: Resource = {
  path: 'system_job_templates',
  type: 'system_job_template',
  one: t`system job`,
  many: t`system jobs`,
  intro: t`What keeps the service tidy: by the clock, or now.`,
  columns: [
    'name',
    'status',
    'last_job_run',
    'next_job_run',
    { label: t`Action`, narrow: true, cell: (row) => <LaunchSystemJob row={row} /> },
  ],
  facts: ['job_type', 'status', 'last_job_run', 'next_job_run'],
  readOnly: true,
  actions: LaunchSystemJob,
  tabs: [runsTab('jobs', t`Runs`), schedulesTab, notifyTab()],
};
