import { listTab } from '../generic/list-tab.tsx';

/** When a template is launched by the clock. */
export const schedulesTab = listTab({
  id: 'schedules',
  label: 'Schedules',
  resource: 'schedules',
  field: 'unified_job_template',
  right: 'schedule',
});
