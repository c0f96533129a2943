import type { Access, Actor, Call, Columns, Resource, Row, Shown } from '@tapline/plugin-sdk';
import { ValidationError, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { actorOf } from '../../accounts/user-row.ts';
import { accessList } from '../../rbac/access-list.ts';
import { isRoleType } from '../../rbac/definitions.ts';
import { addSummaries } from '../../rbac/descriptor.ts';
import type { Doors } from '../../rbac/doors.ts';
import { explainAccess, hideNames } from '../../rbac/explain.ts';
import type { RoleSettings } from '../../rbac/people.ts';
import { objectRoleIdsSql, objectRoles } from '../../rbac/roles.ts';
import { authenticated } from '../../rbac/rules.ts';
import { objectRolesOf } from './role-sublists.ts';

interface Services {
  db: Knex;
  settings: RoleSettings;
  doors: Doors;
}

/** By `objectRoleIdsSql`. */
type RoleIds = Record<string, number> | null;

const explanation = {
  type: 'object',
  properties: {
    user: { type: 'object', properties: { id: { type: 'integer' }, username: { type: 'string' } } },
    roles: {
      type: 'object',
      description: 'By role field: whether it is held, by which grants, or which would give it.',
    },
    rights: { type: 'object', description: 'By right: whether it is granted, and by what.' },
  },
  required: ['user', 'roles', 'rights'],
};

/** What every record shows of the access to it: its roles, who has them, and why. */
export function withRoles(resource: Resource, services: Services): Resource {
  const { type, access } = resource;
  if (resource.methods?.detail?.length === 0) return resource;
  const listed = isRoleType(type) || type === 'user';
  const more: Resource = {
    ...resource,
    sublists: { ...resource.sublists, ...(isRoleType(type) && { object_roles: objectRolesOf(type) }) },
    actions: {
      ...resource.actions,
      ...(listed && {
        access_list: {
          access: { GET: access.see },
          answers: { GET: { type: 'user', page: true as const } },
          summary: 'Who has access to it, and how',
          handler: (call: Call, row: Row) => showAccessList(services, type, call, row),
        },
      }),
      'explain-access': {
        // the lookup asks for the row; who asks about himself must be somebody
        access: { GET: authenticated },
        summary: 'Which grants give or miss a user each right',
        related: false as const,
        answers: { GET: { schema: explanation } },
        handler: async (call: Call, row: Row) => ({
          status: 200,
          body: await explain(services, resource, call, row),
        }),
      },
    },
  };
  if (!isRoleType(type)) return more;
  more.extraSql = { ...more.extraSql, object_role_ids: objectRoleIdsSql(type) };
  return addSummaries(
    more,
    async (_db, rows) =>
      new Map(
        rows.map(({ id, object_role_ids }) => [id, { object_roles: objectRoles(type, object_role_ids as RoleIds) }]),
      ),
  );
}

async function showAccessList({ db, settings }: Services, type: string, call: Call, row: Row) {
  const { narrow, entries } = await accessList(db, type, row.id);
  const reply = await call.list('user', (builder, alias) => narrow(builder, alias));
  const { results } = reply.body as { results: Shown[] };
  const found = await entries(
    results.map(({ id }) => id),
    call.actor,
    settings,
  );
  for (const user of results) {
    delete user.auth;
    user.summary_fields = { ...user.summary_fields, ...found.get(user.id) };
  }
  return reply;
}

/** Everybody may ask about themselves; about others only who administers the record, or sees everything anyhow. */
async function explain({ db, doors }: Services, { type, access, rights }: Resource, call: Call, row: Row) {
  const { actor } = call;
  const text = call.query.get('user') ?? String(actor?.id);
  const user = /^[1-9]\d{0,14}$/.test(text) ? await db('users').where('id', Number(text)).first() : undefined;
  const self = user?.id === actor?.id;
  if (!user || !(self || (await doors.visible('user').row(actor, user, db))))
    throw ValidationError.field('user', `Invalid pk "${text.slice(0, 100)}" - object does not exist.`);
  if (!self && !(await mayExplain(access, actor, row, db))) throw forbidden();
  const asked = actorOf(user, 'system');
  const { create: _create, ...others } = { ...access, ...rights };
  // what is hidden cannot be changed either
  const narrowed = Object.entries(others).flatMap(([name, rule]) => (rule ? [[name, doors.narrowed(type, rule)]] : []));
  const explained = await explainAccess(db, type, row, asked, Object.fromEntries(narrowed));
  await hideNames(db, actor, explained);
  return explained;
}

const mayExplain = async ({ change, delete: remove }: Access, actor: Actor | null, row: Columns, db: Knex) =>
  actor !== null &&
  (actor.is_superuser || actor.is_system_auditor || Boolean(await (change ?? remove)?.row(actor, row, db)));
