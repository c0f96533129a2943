import type { Knex } from 'knex';

/** Deletes tokens that ended long ago, unless a refresh token may still renew them: it would go with its token. */
export async function deleteExpiredTokens(db: Knex): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from tokens t where t.expires < now() - interval '30 days'
       and not exists (select from oauth_refresh_tokens r where r.token_id = t.id and r.expires > now())`,
  );
  return rowCount ?? 0;
}
