import { type Resource, runsTab, type TabProps, t } from '@tapline/console-kit';
import { LazyRuleField, nextTab } from '../schedules/next-tab.tsx';
import { SwitchSchedule } from '../schedules/switch-schedule.tsx';

export const schedule: Resource = {
  path: 'schedules',
  type: 'schedule',
  one: t`schedule`,
  many: t`schedules`,
  intro: t`What is launched by the clock.`,
  columns: [
    'name',
    'unified_job_template',
    'enabled',
    'next_run',
    { label: t`Action`, narrow: true, cell: (row) => <SwitchSchedule row={row} /> },
  ],
  fields: ['name', 'description', 'unified_job_template', 'rrule', 'enabled', 'missed_runs'],
  facts: ['unified_job_template', 'enabled', 'next_run', 'timezone', 'dtstart', 'dtend'],
  filters: ['name', 'enabled', 'next_run', 'unified_job_template', 'created_by'],
  actions: ({ row, reload }: TabProps) => <SwitchSchedule row={row} onDone={reload} />,
  custom: { rrule: LazyRuleField },
  tabs: [nextTab, runsTab('jobs', t`Runs`)],
};
