import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Settings } from '../../settings/settings.ts';
import { newToken, tokenExpiry, tokenHash } from '../token.ts';
import { type Application, parseScope } from './application.ts';
import { addRefreshToken, type Issued } from './issue.ts';
import { oauthError } from './oauth-error.ts';

export interface Refreshed {
  user_id: number;
  username: string;
  token_id: number;
  /** null: the refresh token had been used before, so somebody else holds a copy; all that came of it was ended */
  issued: Issued | null;
}

const invalid = () => oauthError('invalid_grant', 'The refresh token is not valid.');

/** Both tokens are new afterwards; the token's row stays, under the same id. */
export async function refreshTokens(
  db: Knex,
  settings: Pick<Settings, 'get'>,
  application: Application,
  body: Record<string, string>,
): Promise<Refreshed> {
  return db.transaction(async (trx) => {
    const row = await trx('oauth_refresh_tokens as r')
      .join('tokens as t', 't.id', 'r.token_id')
      .join('users as u', 'u.id', 't.user_id')
      .where({
        'r.token_hash': tokenHash(body.refresh_token ?? ''),
        't.application_id': application.id,
        'u.is_active': true,
      })
      .first('r.id', 'r.token_id', 'r.used', 't.scope', 't.user_id', 'u.username', trx.raw('r.expires < now() as late'))
      .forUpdate('r', 't');
    if (!row) throw invalid();
    const { token_id, user_id, username } = row;
    if (row.used) {
      await trx('tokens').where({ id: token_id }).delete();
      return { user_id, username, token_id, issued: null };
    }
    if (row.late) throw new ApiError(403, 'The refresh token has expired.', { 'Cache-Control': 'no-store' });
    const scope = narrowed(row.scope, body.scope);
    const [access_token, expires] = [newToken(), tokenExpiry(settings)];
    await trx('tokens')
      .where({ id: token_id })
      .update({ token_hash: tokenHash(access_token), expires, scope, modified: trx.fn.now() });
    await trx('oauth_refresh_tokens').where({ id: row.id }).update({ used: trx.fn.now() });
    await trx('oauth_refresh_tokens').where({ token_id }).whereRaw('expires < now()').delete();
    const refresh_token = await addRefreshToken(trx, settings, token_id);
    return { user_id, username, token_id, issued: { token_id, access_token, refresh_token, expires, scope } };
  });
}

/** A refresh may ask for less, never for more. */
function narrowed(granted: string, asked: string | undefined): string {
  const scope = parseScope(asked, granted);
  const within = scope
    ?.split(' ')
    .every((word) => granted.split(' ').includes(word) || (word === 'read' && granted.includes('write')));
  if (!scope || !within) throw oauthError('invalid_scope', 'The scope must be within the one that was granted.');
  return scope;
}
