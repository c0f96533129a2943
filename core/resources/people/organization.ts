import { type Resource, type Rule, type Sublist, ValidationError, defineResource, field } from '@tapline/plugin-sdk';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';
import { notificationsOfOrganization } from '../../notifications/attach.ts';
import { managing, type RoleSettings } from '../../rbac/people.ts';
import type { Visible } from '../../runs/access.ts';
import { role } from '../../rbac/role-rules.ts';
import { allOf, anyOf, authenticated, superuser } from '../../rbac/rules.ts';
import { organizationCounts } from './organization-counts.ts';
import { galaxyCredentials, instanceGroupsOf } from '../ordered-lists.ts';
import { membersOf } from './role-sublists.ts';

interface Services {
  visible: Visible;
  settings: RoleSettings;
}

const kept = role('organization', 'admin_role');
const mayNotifyFor = role('organization', 'notification_admin_role');

function sublists(services: Services, members: Rule): Record<string, Sublist> {
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
    applications: { resource: 'o_auth2_application', column: 'organization_id', create: true, write: authenticated },
    credentials: {
      resource: 'credential',
      column: 'organization_id',
      create: true,
      write: authenticated,
      // it has one owner: that the caller may own some does not count here
      offered: role('organization', 'credential_admin_role'),
    },
    execution_environments: {
      resource: 'execution_environment',
      column: 'organization_id',
      attach: true,
      create: true,
      write: role('organization', 'execution_environment_admin_role'),
    },
    notification_templates: {
      resource: 'notification_template',
      column: 'organization_id',
      attach: true,
      create: true,
      write: mayNotifyFor,
    },
    ...notificationsOfOrganization({ write: anyOf(kept, role('organization', 'auditor_role')), approvals: true }),
    instance_groups: instanceGroupsOf('organization'),
    galaxy_credentials: galaxyCredentials,
  };
}

export function organizationResource(services: Services): Resource {
  const members = allOf(managing(services.settings), kept);
  return defineResource({
    type: 'organization',
    path: 'organizations',
    table: 'organizations',
    label: 'Organization',
    description: 'People, teams and everything that belongs to them; most rights are given by it.',
    fields: {
      name: field.string({ required: true }),
      description: field.text(),
      max_hosts: field.integer({ min: 0, help: 'How many hosts the organization may have; 0 means any number.' }),
      default_environment: field.ref('execution_environment', { column: 'default_environment_id' }),
    },
    access: { see: role('organization', 'read_role'), create: superuser, change: kept, delete: kept },
    rights: { members },
    capabilities: { edit: 'change', delete: 'delete' },
    stream: true,
    orderBy: ['name'],
    naming: ['name'],
    sublists: sublists(services, members),
    validate({ input, before, call }) {
      const [limit, old] = [input['max_hosts'], before?.max_hosts ?? 0];
      if (limit !== undefined && limit !== old && !call.actor?.is_superuser)
        throw ValidationError.field(
          'max_hosts',
          'Only a superuser may change how many hosts an organization may have.',
        );
    },
    summaries: organizationCounts(services.visible),
    beforeDelete: (trx, { id }) => assertNoActiveRuns(trx, (runs) => runs.where('organization_id', id)),
  });
}
