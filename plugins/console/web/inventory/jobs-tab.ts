import { lazily, type Tab, type TabProps, t } from '@tapline/console-kit';

/** How jobs went on a host, or on those of a group. */
export const hostJobsTab: Tab = {
  id: 'job_host_summaries',
  label: t`Jobs`,
  content: lazily<TabProps>(t`the jobs`, async () => (await import('./jobs-view.tsx')).JobsView),
};
