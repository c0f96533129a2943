import { ApiError } from '@tapline/plugin-sdk';
import type { Context } from 'koa';
import type { AuthDeps } from '../auth-deps.ts';
import { type Application, parseScope } from '../../../accounts/oauth/application.ts';
import { authenticateClient, parameters } from './authenticate-client.ts';
import { exchangeCode } from '../../../accounts/oauth/code.ts';
import { type Issued, issueTokens, tokenReply } from '../../../accounts/oauth/issue.ts';
import { oauthError } from '../../../accounts/oauth/oauth-error.ts';
import { refreshTokens } from '../../../accounts/oauth/refresh.ts';

type Grant = (deps: AuthDeps, ctx: Context, application: Application, body: Record<string, string>) => Promise<Issued>;

const grants: Record<string, Grant> = {
  password: byPassword,
  authorization_code: byCode,
  refresh_token: byRefreshToken,
};

/** The token endpoint of RFC 6749 §3.2. */
export async function issueToken(deps: AuthDeps, ctx: Context): Promise<void> {
  ctx.set('Cache-Control', 'no-store');
  const body = parameters(await deps.readForm(ctx));
  const application = await authenticateClient(deps.db, ctx, body);
  const grant = Object.hasOwn(grants, body.grant_type ?? '') ? grants[body.grant_type!] : undefined;
  if (!grant)
    throw oauthError('unsupported_grant_type', 'grant_type must be password, authorization_code or refresh_token.');
  ctx.body = tokenReply(await grant(deps, ctx, application, body));
}

const about = (ctx: Context, application: Application) => ({
  ip: ctx.ip,
  user_agent: ctx.get('User-Agent'),
  via: 'oauth' as const,
  application_id: application.id,
});

async function byPassword(
  { db, settings, auth, audit }: AuthDeps,
  ctx: Context,
  application: Application,
  body: Record<string, string>,
): Promise<Issued> {
  assertGrant(application, 'password');
  const scope = parseScope(body.scope);
  if (!scope) throw oauthError('invalid_scope', 'The scope may be read, write or both.');
  if (!body.username || !body.password) throw oauthError('invalid_request', 'username and password are required.');
  const from = about(ctx, application);
  const user = await auth.credentials
    .check(body.username, body.password, { ip: ctx.ip, via: 'oauth', user_agent: from.user_agent })
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401)
        throw oauthError('invalid_grant', 'The user name or the password is not right.');
      throw error;
    });
  const issued = await db.transaction((trx) =>
    issueTokens(trx, settings, { userId: user.id, applicationId: application.id, scope }),
  );
  await audit({
    action: 'token_issued',
    user_id: user.id,
    username: user.username,
    token_id: issued.token_id,
    ...from,
  });
  return issued;
}

async function byCode(
  { db, settings, audit }: AuthDeps,
  ctx: Context,
  application: Application,
  body: Record<string, string>,
): Promise<Issued> {
  assertGrant(application, 'authorization-code');
  const issued = await exchangeCode(db, settings, application, body);
  const { user_id, username, token_id } = issued;
  await audit({ action: 'token_issued', user_id, username, token_id, ...about(ctx, application) });
  return issued;
}

async function byRefreshToken(
  { db, settings, audit }: AuthDeps,
  ctx: Context,
  application: Application,
  body: Record<string, string>,
): Promise<Issued> {
  const { user_id, username, token_id, issued } = await refreshTokens(db, settings, application, body);
  const action = issued ? 'token_refreshed' : 'token_reused';
  await audit({ action, user_id, username, token_id, ...about(ctx, application) });
  if (!issued) throw oauthError('invalid_grant', 'The refresh token is not valid.');
  return issued;
}

function assertGrant(application: Application, wanted: Application['authorization_grant_type']): void {
  if (application.authorization_grant_type !== wanted)
    throw oauthError('unauthorized_client', 'The application was not registered for this grant type.');
}
