import { ActButton, historyTab, may, type Resource, runsTab, type TabProps, t } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { notifyTab } from '../notifications/notify-tab.tsx';
import { schedulesTab } from '../schedules/schedules-tab.ts';
import { webhookFields, webhookTab } from '../webhook/webhook-tab.ts';
import { usageTab } from '../usage/usage-tab.tsx';
import { playbooksTab } from '../projects/playbooks-tab.tsx';

const Update = ({ row, reload }: TabProps) =>
  may(row, 'start') ? (
    <ActButton
      label={t`Update`}
      what={String(row['name'])}
      path={`projects/${row.id}/update/`}
      done={t`The update is started.`}
      to={({ project_update }) => (project_update ? `/project_updates/${project_update}` : null)}
      onDone={reload}
    />
  ) : null;

export const project: Resource = {
  path: 'projects',
  type: 'project',
  one: t`project`,
  many: t`projects`,
  intro: t`Where playbooks come from.`,
  columns: ['name', 'organization', 'scm_type', 'status', 'last_updated'],
  fields: [
    'name',
    'description',
    'organization',
    'scm_type',
    'scm_url',
    'scm_branch',
    'credential',
    'local_path',
    'scm_update_on_launch',
  ],
  // its tab looks after these
  hidden: webhookFields,
  facts: ['status', 'scm_revision', 'last_updated'],
  relations: { credential: 'credentials/?credential_type__kind=scm' },
  actions: Update,
  tabs: [
    playbooksTab,
    runsTab('project_updates', t`Updates`),
    schedulesTab,
    notifyTab(),
    webhookTab,
    usageTab([
      { label: t`Templates`, list: 'job_templates/?project={id}' },
      { label: t`Inventory sources`, list: 'inventory_sources/?source_project={id}' },
    ]),
    historyTab,
    accessTab,
  ],
};
