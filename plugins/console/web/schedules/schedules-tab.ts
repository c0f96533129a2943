import { listTab, t } from '@tapline/console-kit';

/** When a template is launched by the clock. */
export const schedulesTab = listTab({
  id: 'schedules',
  label: t`Schedules`,
  resource: 'schedules',
  field: 'unified_job_template',
  right: 'schedule',
});
