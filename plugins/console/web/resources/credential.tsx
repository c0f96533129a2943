import { historyTab, type Resource } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { CredentialInputs } from '../credential/credential-inputs.tsx';
import { TestCredential } from '../credential/test-credential.tsx';
import { usageTab } from '../usage/usage-tab.tsx';

export const credential: Resource = {
  path: 'credentials',
  type: 'credential',
  one: 'credential',
  many: 'credentials',
  intro: 'Secrets by which runs reach machines, sources and services; they are never shown again.',
  columns: ['name', 'credential_type', 'organization'],
  filters: ['credential_type', 'organization', 'name', 'description'],
  fields: ['name', 'description', 'organization', 'credential_type', 'inputs'],
  custom: { inputs: CredentialInputs },
  actions: TestCredential,
  tabs: [
    usageTab([
      { label: 'Templates', list: 'job_templates/?credentials={id}' },
      { label: 'Templates that tell webhooks', list: 'job_templates/?webhook_credential={id}' },
      { label: 'Projects', list: 'projects/?credential={id}' },
      { label: 'Inventory sources', list: 'inventory_sources/?credentials={id}' },
      { label: 'Schedules', list: 'schedules/?credentials={id}' },
      { label: 'Workflows', list: 'workflow_job_template_nodes/?credentials={id}' },
      { label: 'Credentials that look secrets up with it', list: 'credential_input_sources/?source_credential={id}' },
      { label: 'Execution environments', list: 'execution_environments/?credential={id}' },
      { label: 'Instance groups', list: 'instance_groups/?credential={id}' },
      { label: 'Organizations, for collections', list: 'organizations/?galaxy_credentials={id}' },
    ]),
    historyTab,
    accessTab,
  ],
};
