import { historyTab, may, type Resource, type Row, runsTab, type TabProps, When, t } from '@tapline/console-kit';
import { accessTab } from '../../access/access-tab.tsx';
import { labelsTab } from '../../labels/labels-tab.ts';
import { notifyTab } from '../../notifications/notify-tab.tsx';
import { schedulesTab } from '../../schedules/schedules-tab.ts';
import { surveyTab } from '../../survey/survey-tab.tsx';
import { usageTab } from '../../usage/usage-tab.tsx';
import { webhookFields, webhookTab } from '../../webhook/webhook-tab.ts';
import { graphTab } from '../../workflow/graph-tab.tsx';

const Launch = ({ row }: { row: Row }) =>
  may(row, 'start') ? (
    <a class="button" href={`/workflow_job_templates/${row.id}/launch`}>
      {t`Launch`}
      <span class="visually-hidden"> {row['name']}</span>
    </a>
  ) : null;

export const workflowTemplate: Resource = {
  path: 'workflow_job_templates',
  type: 'workflow_job_template',
  one: t`workflow`,
  many: t`workflows`,
  intro: t`Templates that follow one another: which comes next depends on how the one before it ended.`,
  columns: [
    'name',
    'organization',
    'status',
    { label: t`Last run`, narrow: true, sort: 'last_job_run', cell: (row) => <When at={row['last_job_run']} /> },
    { label: t`Next run`, narrow: true, sort: 'next_job_run', cell: (row) => <When at={row['next_job_run']} /> },
    { label: t`Action`, narrow: true, cell: (row) => <Launch row={row} /> },
  ],
  fields: [
    'name',
    'description',
    'organization',
    'inventory',
    'limit',
    'extra_vars',
    'allow_simultaneous',
    'ask_variables_on_launch',
    'ask_inventory_on_launch',
    'ask_limit_on_launch',
  ],
  // tabs of their own look after these
  hidden: ['survey_enabled', ...webhookFields],
  facts: ['status', 'last_job_run', 'next_job_run'],
  actions: ({ row }: TabProps) => <Launch row={row} />,
  tabs: [
    graphTab,
    runsTab('workflow_jobs', t`Runs`),
    schedulesTab,
    notifyTab({ approvals: true }),
    surveyTab,
    webhookTab,
    labelsTab,
    usageTab([{ label: t`Steps of workflows`, list: 'workflow_job_template_nodes/?unified_job_template={id}' }]),
    historyTab,
    accessTab,
  ],
};
