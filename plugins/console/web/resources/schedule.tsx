import { historyTab, linkTab, type Resource, runsTab, type TabProps, t } from '@tapline/console-kit';
import { labelsTab } from '../labels/labels-tab.ts';
import { LazyRuleField, nextTab } from '../schedules/next-tab.tsx';
import { promptsTab } from '../schedules/prompts-tab.ts';
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
    { label: t`Action`, narrow: true, cell: (row, reload) => <SwitchSchedule row={row} reload={reload} /> },
  ],
  fields: ['name', 'description', 'unified_job_template', 'rrule', 'enabled', 'missed_runs'],
  facts: ['unified_job_template', 'enabled', 'next_run', 'timezone', 'dtstart', 'dtend'],
  filters: ['name', 'enabled', 'next_run', 'unified_job_template', 'created_by'],
  actions: ({ row, reload }: TabProps) => <SwitchSchedule row={row} reload={reload} />,
  custom: { rrule: LazyRuleField },
  tabs: [
    nextTab,
    runsTab('jobs', t`Runs`),
    promptsTab,
    linkTab({ id: 'credentials', label: t`Credentials`, resource: 'credentials' }),
    labelsTab,
    linkTab({ id: 'instance_groups', label: t`Instance groups`, resource: 'instance_groups', ordered: true }),
    historyTab,
  ],
};
