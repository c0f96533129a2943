import { type Resource, type Rule, type Sublist, defineResource, field, forbidden } from '@tapline/plugin-sdk';
import { managing, type RoleSettings, teamVisible } from '../../rbac/people.ts';
import { parent, role } from '../../rbac/role-rules.ts';
import { allOf } from '../../rbac/rules.ts';
import { membersOf, rolesOfTeam } from './role-sublists.ts';

const given = (type: string) =>
  `select r.object_id from role_teams g join roles r on r.id = g.role_id where g.team_id = ? and r.content_type = '${type}'`;

const sublists = (services: { settings: RoleSettings }, keeper: Rule): Record<string, Sublist> => ({
  users: membersOf(services, 'team', 'member_role', { offered: keeper }),
  roles: rolesOfTeam(services),
  projects: {
    resource: 'project',
    where: (builder, team, alias) => void builder.whereRaw(`"${alias}".id in (${given('project')})`, [team.id]),
  },
  credentials: {
    resource: 'credential',
    where: (builder, team, alias) => void builder.whereRaw(`"${alias}".id in (${given('credential')})`, [team.id]),
    create: true,
    fixes: ['team'],
    prepare: ({ body }, team) => {
      delete body.user;
      delete body.organization;
      body.team = team.id;
    },
  },
});

export function teamResource(services: { settings: RoleSettings }): Resource {
  const { settings } = services;
  const kept = allOf(managing(settings), role('team', 'admin_role'));
  return defineResource({
    type: 'team',
    path: 'teams',
    table: 'teams',
    label: 'Team',
    description: 'Users of an organization who are given roles together.',
    fields: {
      name: field.string({ required: true }),
      description: field.text(),
      organization: field.ref('organization', { required: true, nullable: false }),
    },
    access: {
      see: teamVisible(settings),
      create: allOf(managing(settings), parent('organization_id', 'organization', 'admin_role')),
      change: kept,
      delete: kept,
    },
    capabilities: { edit: 'change', delete: 'delete' },
    stream: true,
    orderBy: ['organization__name', 'name'],
    search: ['name', 'description'],
    naming: ['name', 'organization'],
    unique: {
      teams_name_organization: { field: '__all__', message: 'Team with this Name and Organization already exists.' },
    },
    sublists: sublists(services, kept),
    validate({ input, before }) {
      if (before && input.organization_id !== undefined && input.organization_id !== before.organization_id)
        throw forbidden('A team stays in its organization.');
    },
  });
}
