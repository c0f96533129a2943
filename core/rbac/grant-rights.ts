import { type Actor, connection, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type Condition, holds } from './condition.ts';
import { type RoleType, roleTables } from './definitions.ts';
import { type RoleSettings, administers, teamVisible, userVisible } from './people.ts';
import type { RoleRow } from './roles.ts';

/** A role and whom it goes to or is taken from; without user and team it asks for the role's own side alone. */
export interface GrantPair {
  role: Pick<RoleRow, 'content_type' | 'object_id' | 'role_field' | 'singleton_name'>;
  user_id: number | null;
  team_id: number | null;
}

interface Facts {
  managing: boolean;
  administered: ReadonlySet<string>;
  users: ReadonlyMap<number, { visible: boolean; administered: boolean }>;
  teams: ReadonlySet<number>;
}

interface Requirement {
  applies: (pair: GrantPair) => boolean;
  met: (pair: GrantPair, facts: Facts) => boolean;
}

const membership = ({ role }: GrantPair, type: RoleType) =>
  role.content_type === type && ['admin_role', 'member_role'].includes(role.role_field);

/** What everybody but superusers needs to give or take a role (contract A §4): every line that applies must be met. */
const requirements: readonly Requirement[] = [
  { applies: ({ role }) => role.singleton_name !== null, met: () => false },
  {
    applies: ({ role }) => role.content_type !== null,
    met: ({ role }, { administered }) => administered.has(`${role.content_type}.${role.object_id}`),
  },
  {
    applies: (pair) => membership(pair, 'organization') || membership(pair, 'team'),
    met: (_pair, { managing }) => managing,
  },
  {
    applies: ({ user_id }) => user_id !== null,
    met: ({ user_id }, { users }) => users.get(user_id!)?.visible === true,
  },
  { applies: ({ team_id }) => team_id !== null, met: ({ team_id }, { teams }) => teams.has(team_id!) },
  {
    applies: (pair) => membership(pair, 'organization') && pair.user_id !== null,
    met: ({ user_id }, { users }) => users.get(user_id!)?.administered === true,
  },
];

/** May the actor give or take each of these? At most three statements however many are asked. */
export async function mayChangeGrants(
  db: Knex,
  actor: Actor | null,
  settings: RoleSettings,
  pairs: readonly GrantPair[],
): Promise<boolean[]> {
  if (!actor || actor.read_only) return pairs.map(() => false);
  if (actor.is_superuser) return pairs.map(() => true);
  const facts: Facts = {
    managing: settings.get('MANAGE_ORGANIZATION_AUTH'),
    administered: await administeredRecords(db, actor, pairs),
    users: await userFacts(
      db,
      actor,
      settings,
      pairs.flatMap((pair) => pair.user_id ?? []),
    ),
    teams: await visibleTeams(
      db,
      actor,
      settings,
      pairs.flatMap((pair) => pair.team_id ?? []),
    ),
  };
  return pairs.map((pair) => requirements.every(({ applies, met }) => !applies(pair) || met(pair, facts)));
}

async function administeredRecords(db: Knex, actor: Actor, pairs: readonly GrantPair[]): Promise<Set<string>> {
  const types = [...new Set(pairs.flatMap(({ role }) => role.content_type ?? []))];
  if (!types.length) return new Set();
  const parts = types.map((type) => {
    const { sql, bindings } = holds(actor, type, 'admin_role', 'x') as Condition & object;
    const ids = pairs.flatMap(({ role }) => (role.content_type === type ? (role.object_id ?? []) : []));
    return {
      sql: `select '${type}.' || x.id as key from ${roleTables[type].table} x where x.id = any (?::bigint[]) and ${sql}`,
      bindings: [ids, ...bindings],
    };
  });
  const { rows } = await db.raw(
    parts.map((part) => part.sql).join(' union all '),
    parts.flatMap((part) => part.bindings),
  );
  return new Set(rows.map((row: { key: string }) => row.key));
}

async function userFacts(db: Knex, actor: Actor, settings: RoleSettings, ids: number[]): Promise<Facts['users']> {
  if (!ids.length) return new Map();
  const among = (rule: ReturnType<typeof userVisible>) => {
    const builder = db.from('users as t').select('t.id').whereRaw('t.id = any (?)', [ids]);
    rule.query(actor, builder, 't');
    return builder;
  };
  const { rows } = await db.raw(
    'select v.id, a.id is not null as administered from (?) v left join (?) a on a.id = v.id',
    [among(userVisible(settings)), among(administers(settings, { orphans: true }))],
  );
  return new Map(
    rows.map((row: { id: number; administered: boolean }) => [
      row.id,
      { visible: true, administered: row.administered },
    ]),
  );
}

async function visibleTeams(db: Knex, actor: Actor, settings: RoleSettings, ids: number[]): Promise<Set<number>> {
  if (!ids.length) return new Set();
  const builder = db.from('teams as t').select('t.id').whereRaw('t.id = any (?)', [ids]);
  teamVisible(settings).query(actor, builder, 't');
  return new Set((await builder).map((row: { id: number }) => row.id));
}

/** May the actor take each of these away (`user_capabilities.unattach`)? At most two statements more than for giving. */
export async function mayRevoke(
  db: Knex,
  actor: Actor | null,
  settings: RoleSettings,
  pairs: readonly GrantPair[],
): Promise<boolean[]> {
  const may = await mayChangeGrants(db, actor, settings, pairs);
  const asked = pairs.filter((_pair, index) => may[index]);
  const kept = new Set([...(await ofPrivateCredentials(db, actor, asked)), ...(await ofLastSuperuser(db, asked))]);
  return may.map((allowed, index) => allowed && !kept.has(pairs[index]!));
}

/** The owner of a credential without organization keeps it: only superusers hand it on. */
async function ofPrivateCredentials(db: Knex, actor: Actor | null, pairs: readonly GrantPair[]): Promise<GrantPair[]> {
  const asked = pairs.filter(({ role, user_id }) => role.content_type === 'credential' && user_id !== null);
  if (!asked.length || actor?.is_superuser) return [];
  const ids = asked.map(({ role }) => role.object_id);
  const own = await db('credentials')
    .whereRaw('id = any (?)', [ids as number[]])
    .whereNull('organization_id')
    .pluck('id');
  return asked.filter(({ role }) => own.includes(role.object_id));
}

async function ofLastSuperuser(db: Knex, pairs: readonly GrantPair[]): Promise<GrantPair[]> {
  const asked = pairs.filter(({ role }) => role.singleton_name === 'system_administrator');
  if (!asked.length) return [];
  const all = await db('users').where({ is_superuser: true, is_active: true }).orderBy('id').limit(2).pluck('id');
  return asked.filter(({ user_id }) => !all.some((id) => id !== user_id));
}

/** The same in access lists, where system-wide roles are never taken away. */
export async function mayRevokeAll(
  db: Knex,
  actor: Actor | null,
  settings: RoleSettings,
  pairs: readonly GrantPair[],
): Promise<boolean[]> {
  const may = await mayRevoke(
    db,
    actor,
    settings,
    pairs.map((pair) => (pair.team_id === null ? pair : { ...pair, user_id: null })),
  );
  return may.map((allowed, index) => allowed && pairs[index]!.role.singleton_name === null);
}

/** The role's side of giving it: whom it may go to is another question. */
export const mayGive = (settings: RoleSettings): Pick<Rule, 'row'> => ({
  row: async (actor, role: RoleRow, db) =>
    (await mayChangeGrants(connection(db, 'roles'), actor, settings, [{ role, user_id: null, team_id: null }]))[0]!,
});

const adminFields = ['admin_role', 'project_admin_role', 'inventory_admin_role', 'credential_admin_role'];
const templateAdminFields = ['job_template_admin_role', 'workflow_admin_role'];

/** Who administers anything has roles to give. */
export const givesSomething: Pick<Rule, 'row'> = {
  row: async (actor, _row, db) =>
    actor !== null &&
    (actor.is_superuser ||
      (await connection(
        db,
        'held roles',
      )('held_roles')
        .where('user_id', actor.id)
        .whereRaw('role_field = any (?)', [[...adminFields, ...templateAdminFields]])
        .first('role_field')) !== undefined),
};
