import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { runPrepared } from '../db/prepared.ts';
import type { Settings } from '../settings/settings.ts';
import { type UserRow, userColumns } from './user-row.ts';

/** The prefix lets secret scanners recognise a leaked token. */
export const newToken = () => `svc_${randomBytes(32).toString('base64url')}`;

/** 256 random bits need no slow hash. */
export const tokenHash = (token: string) => createHash('sha256').update(token).digest();

/** The end of the year 9999 is as far as clients can read. */
const latest = Date.UTC(9999, 11, 31);

export const tokenExpiry = (settings: Pick<Settings, 'get'>): string =>
  new Date(Math.min(Date.now() + settings.get('TOKEN_EXPIRE_SECONDS') * 1000, latest)).toISOString();

export const canWrite = (scope: string) => scope.split(' ').includes('write');

const userByToken = {
  name: 'user_by_token',
  text: `
    select ${userColumns.map((column) => `u.${column}`).join(', ')}, t.scope, t.id as token_id,
           (t.last_used is null or t.last_used < now() - interval '1 minute') as stale
    from tokens t join users u on u.id = t.user_id
    where t.token_hash = $1 and t.expires > now() and u.is_active`,
};

interface TokenRow extends UserRow {
  scope: string;
  token_id: number;
  stale: boolean;
}

/** The user and scope behind a token; null when it is unknown, expired, or its user is switched off. */
export async function findToken(db: Knex, token: string): Promise<{ id: number; user: UserRow; scope: string } | null> {
  const [row]: TokenRow[] = await runPrepared(db, userByToken, [tokenHash(token)]);
  if (!row) return null;
  if (row.stale) {
    await db('tokens')
      .where({ id: row.token_id })
      .whereRaw(`(last_used is null or last_used < now() - interval '1 minute')`)
      .update({ last_used: db.fn.now() });
  }
  return { id: row.token_id, user: row, scope: row.scope };
}
