import {
  historyTab,
  linkTab,
  may,
  type Resource,
  type Row,
  runsTab,
  type TabProps,
  When,
  t,
} from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { labelsTab } from '../labels/labels-tab.ts';
import { notifyTab } from '../notifications/notify-tab.tsx';
import { schedulesTab } from '../schedules/schedules-tab.ts';
import { surveyTab } from '../survey/survey-tab.tsx';
import { usageTab } from '../usage/usage-tab.tsx';
import { webhookFields, webhookTab } from '../webhook/webhook-tab.ts';

const Launch = ({ row }: { row: Row }) =>
  may(row, 'start') ? (
    <a class="button" href={`/templates/${row.id}/launch`}>
      {t`Launch`}
      <span class="visually-hidden"> {row['name']}</span>
    </a>
  ) : null;

export const jobTemplate: Resource = {
  path: 'templates',
  api: 'job_templates',
  type: 'job_template',
  one: t`template`,
  many: t`templates`,
  intro: t`What can be launched: a playbook with everything it needs.`,
  columns: [
    'name',
    'project',
    'playbook',
    'status',
    { label: t`Last run`, narrow: true, sort: 'last_job_run', cell: (row) => <When at={row['last_job_run']} /> },
    { label: t`Action`, narrow: true, cell: (row) => <Launch row={row} /> },
  ],
  fields: [
    'name',
    'description',
    'job_type',
    'inventory',
    'project',
    'playbook',
    'limit',
    'extra_vars',
    'become_enabled',
    'ask_variables_on_launch',
    'ask_limit_on_launch',
    'ask_inventory_on_launch',
    'ask_credential_on_launch',
  ],
  // tabs of their own look after these
  hidden: ['survey_enabled', ...webhookFields],
  facts: ['status', 'last_job_run'],
  suggestions: { playbook: ({ project }) => (project ? `projects/${project}/playbooks/` : null) },
  actions: ({ row }: TabProps) => <Launch row={row} />,
  tabs: [
    runsTab('jobs', t`Jobs`),
    linkTab({ id: 'credentials', label: t`Credentials`, resource: 'credentials' }),
    surveyTab,
    schedulesTab,
    notifyTab(),
    webhookTab,
    labelsTab,
    usageTab([{ label: t`Steps of workflows`, list: 'workflow_job_template_nodes/?unified_job_template={id}' }]),
    linkTab({ id: 'instance_groups', label: t`Instance groups`, resource: 'instance_groups', ordered: true }),
    historyTab,
    accessTab,
  ],
};
