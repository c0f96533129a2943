import type { Knex } from 'knex';
import type { Settings } from '../../settings/settings.ts';
import { newToken, tokenExpiry, tokenHash } from '../token.ts';

export interface Issued {
  token_id: number;
  access_token: string;
  refresh_token: string;
  expires: string;
  scope: string;
}

interface Grant {
  userId: number;
  applicationId: number;
  scope: string;
}

/** A token of an application for a user, and what renews it. */
export async function issueTokens(
  trx: Knex,
  settings: Pick<Settings, 'get'>,
  { userId, applicationId, scope }: Grant,
): Promise<Issued> {
  const access = newToken();
  const expires = tokenExpiry(settings);
  const [row] = await trx('tokens')
    .insert({ user_id: userId, application_id: applicationId, scope, token_hash: tokenHash(access), expires })
    .returning('id');
  const refresh = await addRefreshToken(trx, settings, row.id);
  return { token_id: row.id, access_token: access, refresh_token: refresh, expires, scope };
}

export async function addRefreshToken(trx: Knex, settings: Pick<Settings, 'get'>, tokenId: number): Promise<string> {
  const refresh = newToken();
  await trx('oauth_refresh_tokens').insert({
    token_id: tokenId,
    token_hash: tokenHash(refresh),
    expires: trx.raw('now() + make_interval(secs => ?)', [settings.get('OAUTH2_REFRESH_EXPIRE_SECONDS')]),
  });
  return refresh;
}

export const tokenReply = ({ access_token, refresh_token, expires, scope }: Issued) => ({
  access_token,
  token_type: 'Bearer',
  expires_in: Math.round((Date.parse(expires) - Date.now()) / 1000),
  refresh_token,
  scope,
});
