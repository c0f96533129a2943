import { type Resource, type Sublist, ValidationError, defineResource, field } from '@tapline/plugin-sdk';
import { assertNoActiveRuns } from '../engine/active-runs.ts';
import type { RoleSettings } from '../rbac/people.ts';
import type { CorePermissions } from '../rbac/permissions.ts';
import { role } from '../rbac/role-rules.ts';
import { authenticated } from '../rbac/rules.ts';
import { organizationCounts } from './organization-counts.ts';
import { galaxyCredentials, instanceGroupsOf } from './ordered-lists.ts';
import { membersOf } from './role-sublists.ts';

interface Services {
  permissions: CorePermissions;
  settings: RoleSettings;
}

function sublists(services: Services): Record<string, Sublist> {
  const { members } = services.permissions.organization;
  return {
    users: membersOf(services, 'organization', 'member_role', { offered: members, createRule: members }),
    admins: membersOf(services, 'organization', 'admin_role', { offered: members, createRule: members }),
    teams: {
      resource: 'team',
      column: 'organization_id',
      attach: true,
      create: true,
      write: members,
    },
    inventories: { resource: 'inventory', column: 'organization_id' },
    projects: { resource: 'project', column: 'organization_id', create: true, write: authenticated },
    job_templates: { resource: 'job_template', column: 'organization_id', create: true, write: authenticated },
    applications: { resource: 'o_auth2_application', column: 'organization_id', create: true, write: authenticated },
    credentials: {
      resource: 'credential',
      column: 'organization_id',
      create: true,
      write: authenticated,
      // it has one owner: that the caller may own some does not count here
      offered: role('organization', 'credential_admin_role'),
    },
    instance_groups: instanceGroupsOf('organization'),
    galaxy_credentials: galaxyCredentials,
  };
}

export const organizationResource = (services: Services): Resource =>
  defineResource({
    type: 'organization',
    path: 'organizations',
    table: 'organizations',
    label: 'Organization',
    description: 'People, teams and everything that belongs to them; most rights are given by it.',
    fields: {
      name: field.string({ required: true }),
      description: field.text(),
      max_hosts: field.integer({ min: 0, help: 'How many hosts the organization may have; 0 means any number.' }),
      default_environment: field.computed({ compute: () => null, apiType: 'id' }),
    },
    access: services.permissions.organization,
    orderBy: ['name'],
    naming: ['name'],
    sublists: sublists(services),
    validate({ input, before, call }) {
      const [limit, old] = [input['max_hosts'], before?.max_hosts ?? 0];
      if (limit !== undefined && limit !== old && !call.actor?.is_superuser)
        throw ValidationError.field(
          'max_hosts',
          'Only a superuser may change how many hosts an organization may have.',
        );
    },
    summaries: organizationCounts(services.permissions),
    beforeDelete: (trx, { id }) => assertNoActiveRuns(trx, (runs) => runs.where('organization_id', id)),
  });
