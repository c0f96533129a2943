import type { Knex } from 'knex';

/** Of tokens `t`: what no refresh token may still renew. It would go with its token. */
export const notRenewable =
  'not exists (select 1 from oauth_refresh_tokens r where r.token_id = t.id and r.expires > now())';

/** Deletes tokens that ended so many days ago and cannot be renewed. */
export async function deleteExpiredTokens(db: Knex, days: number): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from tokens t where t.expires < now() - make_interval(days => ?) and ${notRenewable}`,
    [days],
  );
  return rowCount ?? 0;
}
