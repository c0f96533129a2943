import { ValidationError, defineResource, field } from '@tapline/plugin-sdk';
import type { Call, Resource, Row, Rule, Sublist } from '@tapline/plugin-sdk';
import type { Visible } from '../../runs/access.ts';
import type { RoleType } from '../../rbac/definitions.ts';
import { allOf, anyOf, authenticated, not, owner, superuser } from '../../rbac/rules.ts';
import { rolesOfUser } from './role-sublists.ts';
import { administers, managing, type RoleSettings, userVisible } from '../../rbac/people.ts';
import { actorOf, type UserRow } from '../../accounts/user-row.ts';
import { keepOwnSession } from '../../accounts/sessions.ts';
import type { Settings } from '../../settings/settings.ts';
import { masked } from '../../secrets/masked.ts';
import { assertMayDelete, checkUser } from '../../accounts/check-user.ts';

interface Services {
  settings: Pick<Settings, 'get'> & RoleSettings;
  visible: Visible;
}

const languages = ['', 'ar', 'en', 'es', 'fr', 'hi', 'ja', 'ko', 'nl', 'zh'] as const;

/** Records of a kind on which the user stands in the member list of one of these roles. */
const directOn = (type: RoleType, ...fields: string[]): Sublist['where'] =>
  function narrow(builder, user, alias) {
    builder.whereRaw(
      `"${alias}".id in (select r.object_id from role_users g join roles r on r.id = g.role_id where g.user_id = ? and r.content_type = ? and r.role_field = any (?))`,
      [user.id, type, fields],
    );
  };

const sublists = (services: Services, administer: Rule): Record<string, Sublist> => ({
  roles: rolesOfUser(services),
  organizations: { resource: 'organization', where: directOn('organization', 'member_role') },
  admin_of_organizations: { resource: 'organization', where: directOn('organization', 'admin_role') },
  teams: { resource: 'team', where: directOn('team', 'member_role', 'admin_role') },
  projects: {
    resource: 'project',
    where: (builder, user: Row & UserRow, alias) =>
      services.visible('project').query(actorOf(user, 'system'), builder, alias),
  },
  tokens: {
    resource: 'o_auth2_access_token',
    column: 'user_id',
    create: true,
    // a superuser makes tokens for others, everybody else for himself
    offered: anyOf(superuser, owner('id')),
  },
  // the command line client logs in here, by user name; the token is the caller's own whoever is named
  personal_tokens: {
    resource: 'o_auth2_access_token',
    where: (builder, parent, alias) =>
      void builder.where(`${alias}.user_id`, parent.id).whereNull(`${alias}.application_id`),
    create: true,
    write: authenticated,
    prepare: ({ body }) => void (body.application = null),
  },
  authorized_tokens: {
    resource: 'o_auth2_access_token',
    where: (builder, parent, alias) =>
      void builder.where(`${alias}.user_id`, parent.id).whereNotNull(`${alias}.application_id`),
    create: true,
    write: authenticated,
    prepare: requireApplication,
  },
  applications: {
    resource: 'o_auth2_application',
    where: (builder, parent, alias) => void builder.where(`${alias}.created_by_id`, parent.id),
  },
  credentials: {
    resource: 'credential',
    column: 'user_id',
    create: true,
    write: authenticated,
    offered: anyOf(superuser, owner('id'), administer),
  },
});

export function userResource(services: Services): Resource {
  const { settings } = services;
  const administer = administers(settings);
  return defineResource({
    type: 'user',
    path: 'users',
    table: 'users',
    label: 'User',
    description: 'Somebody who logs in, with names, address and flags; rights come by roles.',
    fields: {
      username: field.string({ required: true, max: 150, help: 'Letters, digits and @ . + - _' }),
      first_name: field.string({ max: 150 }),
      last_name: field.string({ max: 150 }),
      email: field.string({ max: 254, label: 'Email address' }),
      is_superuser: field.boolean({ label: 'Superuser status' }),
      is_system_auditor: field.boolean(),
      // judged and hashed by checkUser: the form check would trim it
      password: field.string({ secret: true, max: 1000 }),
      ldap_dn: field.computed({ compute: () => '', apiType: 'string' }),
      preferred_language: field.choice(languages),
      last_login: field.datetime({ mode: 'ro', nullable: true }),
      modified: field.datetime({ mode: 'ro', nullable: true, sql: '{alias}.last_login' }),
      external_account: field.computed({ compute: () => null }),
      auth: field.computed({ optional: true, compute: () => [] }),
    },
    access: {
      see: userVisible(settings),
      create: superuser,
      change: allOf(managing(settings), anyOf(superuser, owner('id'), administer)),
      delete: allOf(administers(settings, { orphans: true }), not(owner('id'))),
    },
    // also what ordinary users may not change of themselves
    rights: { administer },
    capabilities: { edit: 'change', delete: 'delete' },
    stream: true,
    orderBy: ['username'],
    search: ['username', 'first_name', 'last_name', 'email'],
    summary: ['id', 'username', 'first_name', 'last_name'],
    naming: ['username'],
    hiddenColumns: ['password'],
    unique: { users_username_key: { field: 'username', message: 'A user with that username already exists.' } },
    sublists: sublists(services, administer),
    // access lists are narrowed by role
    spans: { roles: { resource: 'role', through: { table: 'role_users', parent: 'user_id', child: 'role_id' } } },
    async validate(context) {
      await checkUser(settings, administer, context);
      // who changes a password over a session goes on in it; all others of that user end
      if (context.sent.has('password')) await keepOwnSession(context.trx, context.call.actor?.session?.id);
    },
    beforeDelete: (trx, row, call) => assertMayDelete(trx, row, call.actor),
    present: (representation) => void (representation.password = masked),
  });
}

function requireApplication({ body }: Call): void {
  if (body.application === undefined || body.application === null || body.application === '')
    throw ValidationError.field('application', 'This field is required.');
}
