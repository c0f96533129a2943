import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { roleDefinitions } from './definitions.ts';
import type { RoleRow } from './roles.ts';
import { accessRoles, grantsOf } from './grant-paths.ts';

export type GrantTarget =
  | { kind: 'user'; id: number; name: string; is_superuser: boolean }
  | { kind: 'team'; id: number; name: string; organization_id: number };

interface Attempt {
  actor: Actor | null;
  role: RoleRow;
  target: GrantTarget;
  revoke: boolean;
}

interface Problem {
  applies: (attempt: Attempt) => boolean;
  /** the record's organization, asked for once when a problem needs it */
  holds: (attempt: Attempt, organization: number | null, trx: Knex) => boolean | Promise<boolean>;
  msg: string;
}

const ofCredential = ({ role }: Attempt) => role.content_type === 'credential';
const always = () => true;

/** Pairs of role and holder that cannot be, whoever asks. What was given before may always be taken back. */
const problems: readonly Problem[] = [
  {
    applies: ({ role, target }) => target.kind === 'team' && role.singleton_name !== null,
    holds: always,
    msg: 'You cannot assign a system-wide role to a team.',
  },
  {
    applies: ({ role, target }) =>
      target.kind === 'team' &&
      role.content_type === 'organization' &&
      roleDefinitions.organization[role.role_field]?.userOnly === true,
    holds: always,
    msg: 'You cannot assign an Organization participation role as a child role for a Team.',
  },
  {
    applies: (attempt) => ofCredential(attempt) && attempt.target.kind === 'team' && !attempt.revoke,
    holds: ({ target }, organization) => target.kind === 'team' && organization !== target.organization_id,
    msg: 'You cannot grant credential access to a team when the credential has no organization or belongs to another one.',
  },
  {
    applies: (attempt) => ofCredential(attempt) && attempt.target.kind === 'user' && !attempt.actor?.is_superuser,
    holds: (_attempt, organization) => organization === null,
    msg: 'You cannot grant private credential access to another user.',
  },
  {
    applies: (attempt) => ofCredential(attempt) && attempt.target.kind === 'user' && !attempt.revoke,
    holds: async ({ target }, organization, trx) =>
      organization !== null && !(await isMember(trx, organization, target)),
    msg: "You cannot grant credential access to a user who is not in the credential's organization.",
  },
];

async function isMember(trx: Knex, organization: number, target: GrantTarget): Promise<boolean> {
  const roles = (await accessRoles(trx, 'organization', organization)).filter((role) =>
    role.gives.includes('member_role'),
  );
  return (await grantsOf(trx, roles, [target.id])).length > 0;
}

/** Why this pair cannot be; undefined when it can. */
export async function grantProblem(trx: Knex, attempt: Attempt): Promise<string | undefined> {
  const asked = problems.filter((problem) => problem.applies(attempt));
  if (!asked.length) return undefined;
  const credential = ofCredential(attempt)
    ? await trx('credentials').where('id', attempt.role.object_id).first('organization_id')
    : undefined;
  for (const { holds, msg } of asked) if (await holds(attempt, credential?.organization_id ?? null, trx)) return msg;
  return undefined;
}
