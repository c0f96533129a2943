import type { Resource } from '@tapline/console-kit';
import { accessTab } from '../access/access-tab.tsx';
import { CredentialInputs } from '../credential/credential-inputs.tsx';
import { TestCredential } from '../credential/test-credential.tsx';

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
  tabs: [accessTab],
};
