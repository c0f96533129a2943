import { historyTab, listTab, type Resource, t } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { CredentialInputs } from '../credential/credential-inputs.tsx';
import { TestCredential } from '../credential/test-credential.tsx';
import { usageTab } from '../usage/usage-tab.tsx';

export const credential: Resource = {
  path: 'credentials',
  type: 'credential',
  one: t`credential`,
  many: t`credentials`,
  intro: t`Secrets by which runs reach machines, sources and services; they are never shown again.`,
  columns: ['name', 'credential_type', 'organization'],
  filters: ['credential_type', 'organization', 'name', 'description'],
  fields: ['name', 'description', 'organization', 'credential_type', 'inputs'],
  custom: { inputs: CredentialInputs },
  actions: TestCredential,
  tabs: [
    listTab({
      id: 'input_sources',
      label: t`Lookups`,
      resource: 'credential_input_sources',
      field: 'target_credential',
    }),
    usageTab([
      { label: t`Templates`, list: 'job_templates/?credentials={id}' },
      { label: t`Templates that tell webhooks`, list: 'job_templates/?webhook_credential={id}' },
      { label: t`Projects`, list: 'projects/?credential={id}' },
      { label: t`Inventory sources`, list: 'inventory_sources/?credentials={id}' },
      { label: t`Schedules`, list: 'schedules/?credentials={id}' },
      { label: t`Workflows`, list: 'workflow_job_template_nodes/?credentials={id}' },
      { label: t`Credentials that look secrets up with it`, list: 'credential_input_sources/?source_credential={id}' },
      { label: t`Execution environments`, list: 'execution_environments/?credential={id}' },
      { label: t`Instance groups`, list: 'instance_groups/?credential={id}' },
      { label: t`Organizations, for collections`, list: 'organizations/?galaxy_credentials={id}' },
    ]),
    historyTab,
    accessTab,
  ],
};
