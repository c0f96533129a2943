import { historyTab, type Resource } from '@tapline/console-kit';
import { t } from '@tapline/console-kit/texts';
import { usageTab } from '../usage/usage-tab.tsx';

export const executionEnvironment: Resource = {
  path: 'execution_environments',
  type: 'execution_environment',
  one: t`execution environment`,
  many: t`execution environments`,
  intro: t`Images of containers in which the engine may run.`,
  columns: ['name', 'image', 'organization', 'pull'],
  fields: ['name', 'description', 'organization', 'image', 'pull', 'credential'],
  tabs: [
    usageTab([
      { label: t`Templates`, list: 'job_templates/?execution_environment={id}' },
      { label: t`Projects`, list: 'projects/?default_environment={id}' },
      { label: t`Inventory sources`, list: 'inventory_sources/?execution_environment={id}' },
      { label: t`Organizations`, list: 'organizations/?default_environment={id}' },
      { label: t`Schedules`, list: 'schedules/?execution_environment={id}' },
    ]),
    historyTab,
  ],
  relations: { credential: 'credentials/?credential_type__kind=registry' },
};
