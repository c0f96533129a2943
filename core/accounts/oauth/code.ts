import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Settings } from '../../settings/settings.ts';
import { isSame } from '../csrf-token.ts';
import { type Application, sha256 } from './application.ts';
import { type Issued, issueTokens } from './issue.ts';
import { oauthError } from './oauth-error.ts';

interface NewCode {
  applicationId: number;
  userId: number;
  redirectUri: string | null;
  scope: string;
  challenge: string | null;
}

export async function createCode(
  db: Knex,
  settings: Pick<Settings, 'get'>,
  { applicationId, userId, redirectUri, scope, challenge }: NewCode,
): Promise<string> {
  const code = randomBytes(32).toString('base64url');
  await db('oauth_codes').whereRaw(`expires < now() - interval '1 day'`).delete();
  await db('oauth_codes').insert({
    code_hash: sha256(code),
    application_id: applicationId,
    user_id: userId,
    redirect_uri: redirectUri,
    scope,
    code_challenge: challenge,
    expires: db.raw('now() + make_interval(secs => ?)', [settings.get('OAUTH2_CODE_EXPIRE_SECONDS')]),
  });
  return code;
}

const invalid = () => oauthError('invalid_grant', 'The authorization code is not valid for this request.');

export type Exchanged = Issued & { user_id: number; username: string };

/** Once only: a code that comes a second time has leaked, so what it was exchanged for ends (RFC 6749 §4.1.2). */
export async function exchangeCode(
  db: Knex,
  settings: Pick<Settings, 'get'>,
  application: Application,
  body: Record<string, string>,
): Promise<Exchanged> {
  const issued = await db.transaction(async (trx) => {
    const row = await trx('oauth_codes as c')
      .join('users as u', 'u.id', 'c.user_id')
      .where({ 'c.code_hash': sha256(body.code ?? ''), 'c.application_id': application.id })
      .first('c.*', 'u.username', 'u.is_active', trx.raw('c.expires < now() as late'))
      .forUpdate('c');
    if (!row) return null;
    if (row.used) {
      await trx('tokens').where({ id: row.token_id }).delete();
      return null;
    }
    if (
      row.late ||
      !row.is_active ||
      (row.redirect_uri ?? '') !== (body.redirect_uri ?? '') ||
      !provesChallenge(row.code_challenge, body.code_verifier)
    )
      return null;
    const tokens = await issueTokens(trx, settings, {
      userId: row.user_id,
      applicationId: application.id,
      scope: row.scope,
    });
    await trx('oauth_codes')
      .where({ code_hash: row.code_hash })
      .update({ used: trx.fn.now(), token_id: tokens.token_id });
    return { ...tokens, user_id: row.user_id, username: row.username };
  });
  // thrown out here, since inside it would undo the revocation
  if (!issued) throw invalid();
  return issued;
}

/** PKCE, RFC 7636 §4.6. A verifier without a challenge is a mix-up and refused as well (RFC 9700 §4.8.2). */
function provesChallenge(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return verifier === undefined;
  return (
    /^[\w.~-]{43,128}$/.test(verifier ?? '') &&
    isSame(createHash('sha256').update(verifier!).digest('base64url'), challenge)
  );
}
