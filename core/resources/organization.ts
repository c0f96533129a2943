import { defineResource, field } from '@tapline/plugin-sdk';
import { assertNoActiveRuns } from '../engine/active-runs.ts';
import { auditor, superuser } from '../rbac/rules.ts';

export const organizationResource = defineResource({
  type: 'organization',
  path: 'organizations',
  table: 'organizations',
  label: 'Organization',
  fields: {
    name: field.string({ required: true }),
    description: field.text(),
    max_hosts: field.integer({ min: 0, help: 'How many hosts the organization may have; 0 means any number.' }),
    default_environment: field.computed({ compute: () => null }),
  },
  access: { see: auditor, create: superuser, change: superuser, delete: superuser },
  orderBy: ['name'],
  naming: ['name'],
  sublists: {
    inventories: { resource: 'inventory', column: 'organization_id' },
    projects: { resource: 'project', column: 'organization_id' },
    job_templates: { resource: 'job_template', column: 'organization_id' },
    applications: { resource: 'o_auth2_application', column: 'organization_id', create: true },
    credentials: { resource: 'credential', column: 'organization_id', create: true },
  },
  beforeDelete: (trx, { id }) => assertNoActiveRuns(trx, (runs) => runs.where('organization_id', id)),
});
