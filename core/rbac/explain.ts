import type { Actor, Columns, Row, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type RoleType, isRoleType, roleDefinitions } from './definitions.ts';
import { type AccessRole, type Grant, accessRoles, grantsOf } from './grant-paths.ts';
import { missingRights } from './rights.ts';
import { teamNames } from './role-links.ts';
import type { CoreRule } from './rules.ts';

export interface ExplainedRole {
  id: number;
  name: string;
  role_field: string;
  resource_type: string | null;
  resource_id: number | null;
  resource_name: string | null;
  /** the grant came with this team */
  team?: { id: number; name: string };
}

export interface Explanation {
  rule: string;
  granted: boolean;
  /** grants that give it */
  by?: ExplainedRole[];
  /** roles any one of which would give it */
  missing?: ExplainedRole[];
  parts?: Explanation[];
}

const shown = (role: AccessRole): ExplainedRole => ({
  id: role.id,
  name: role.name,
  role_field: role.role_field,
  resource_type: role.content_type,
  resource_id: role.object_id,
  resource_name: role.resource_name,
});

async function ways(
  db: Knex,
  actor: Actor,
  type: string,
  id: number,
): Promise<{ roles: AccessRole[]; grants: (Grant & { shown: ExplainedRole })[] }> {
  const roles = await accessRoles(db, type, id);
  const grants = await grantsOf(db, roles, [actor.id]);
  const teams = await teamNames(
    db,
    grants.flatMap((grant) => grant.team_id ?? []),
  );
  return {
    roles,
    grants: grants.map((grant) => {
      const team = grant.team_id === null ? undefined : { id: grant.team_id, name: teams.get(grant.team_id)!.name };
      return { ...grant, shown: { ...shown(grant.role), ...(team && { team }) } };
    }),
  };
}

const recordOf = async (
  db: Knex,
  { table, column }: { table: string; column: string },
  row: Columns,
): Promise<Row | undefined> => (row[column] == null ? undefined : db(table).where('id', row[column]).first());

/** Why a rule holds for this person and row, or what is missing: the parts it is made of, down to the grants. */
export async function explainRule(db: Knex, rule: Rule, actor: Actor, row: Columns): Promise<Explanation> {
  const { parts, asks } = rule as CoreRule;
  const granted = Boolean(await rule.row(actor, row, db));
  const result: Explanation = { rule: rule.name, granted };
  const about = parts?.of === 'via' ? await recordOf(db, parts, row) : row;
  if (parts && about) {
    result.parts = [];
    for (const part of parts.rules) result.parts.push(await explainRule(db, part, actor, about));
  }
  const { type, field, column } = asks ?? {};
  if (type && field && column && row[column] != null) {
    const { roles, grants } = await ways(db, actor, type, Number(row[column]));
    result.by = grants.filter(({ role }) => role.gives.includes(field)).map((grant) => grant.shown);
    if (!granted) result.missing = roles.filter((one) => one.gives.includes(field)).map(shown);
  }
  return result;
}

export interface AccessExplanation {
  user: { id: number; username: string };
  /** per role field of the record; empty for records without roles of their own */
  roles: Record<string, { held: boolean; by: ExplainedRole[]; missing: ExplainedRole[] }>;
  rights: Record<string, Explanation>;
}

/** The body of `GET …/explain-access/`: which grant gives or misses each role and each right of a person on a row. */
export async function explainAccess(
  db: Knex,
  type: string,
  row: Columns,
  user: Actor,
  rights: Record<string, Rule | undefined>,
): Promise<AccessExplanation> {
  const { roles, grants } = isRoleType(type) ? await ways(db, user, type, Number(row.id)) : { roles: [], grants: [] };
  const fields = isRoleType(type) ? Object.keys(roleDefinitions[type]) : [];
  const explained: AccessExplanation = { user: { id: user.id, username: user.username }, roles: {}, rights: {} };
  for (const field of fields) {
    const by = grants.filter(({ role }) => role.gives.includes(field)).map((grant) => grant.shown);
    explained.roles[field] = {
      held: by.length > 0,
      by,
      missing: by.length ? [] : roles.filter((role) => role.gives.includes(field)).map(shown),
    };
  }
  for (const [name, rule] of Object.entries(rights))
    if (rule) explained.rights[name] = await explainRule(db, rule, user, row);
  return explained;
}

/** Records that the asking caller does not read keep their names to themselves; one statement for all of them. */
export async function hideNames(db: Knex, actor: Actor | null, { roles, rights }: AccessExplanation): Promise<void> {
  const all = [
    ...Object.values(roles).flatMap(({ by, missing }) => [...by, ...missing]),
    ...namedIn(Object.values(rights)),
  ];
  const records = new Map(
    all.flatMap(({ resource_type: type, resource_id: id }) =>
      type && id !== null ? [[`${type}.${id}`, { type: type as RoleType, field: 'read_role', id }]] : [],
    ),
  );
  const hidden = new Set(
    (await missingRights(db, actor, [...records.values()])).map(({ type, id }) => `${type}.${id}`),
  );
  for (const role of all) if (hidden.has(`${role.resource_type}.${role.resource_id}`)) role.resource_name = null;
}

const namedIn = (explanations: readonly Explanation[]): ExplainedRole[] =>
  explanations.flatMap(({ by = [], missing = [], parts = [] }) => [...by, ...missing, ...namedIn(parts)]);
