import { ApiError } from '@tapline/plugin-sdk';
import type { Context } from 'koa';
import type { AuthDeps } from '../auth-deps.ts';
import { assertCsrf } from '../csrf.ts';
import { escapeHtml, redirect, sendPage } from '../html.ts';
import { openSession } from '../session/authenticate-session.ts';
import { ensureCsrfCookie } from '../session/session-cookies.ts';
import type { Session } from '../../../accounts/sessions.ts';
import {
  type AuthorizationRequest,
  readAuthorizationRequest,
  requestParameters,
} from '../../../accounts/oauth/authorization-request.ts';
import { createCode } from '../../../accounts/oauth/code.ts';
import { sendConsentPage } from './consent-page.ts';

/** A browser arrives from the application: it logs in where it has not yet, and is asked whether it agrees. */
export async function authorize(deps: AuthDeps, ctx: Context): Promise<void> {
  const session = await openSession(deps.auth.sessions, ctx);
  if (!session) return redirect(ctx, `/api/login/?next=${encodeURIComponent(ctx.path + ctx.search)}`);
  const query = pick(Object.fromEntries(new URLSearchParams(ctx.querystring)));
  const request = await readRequest(deps, ctx, query);
  if (!request) return;
  if (request.problem)
    return answer(ctx, request, { error: request.problem.error, error_description: request.problem.description });
  if (request.application.skip_authorization) return grant(deps, ctx, request, session);
  sendConsentPage(ctx, {
    request,
    username: session.user.username,
    fields: { csrfmiddlewaretoken: ensureCsrfCookie(ctx, true), ...query },
  });
}

/** The consent page's form comes back. Nothing in it is believed: the request is judged anew. */
export async function decide(deps: AuthDeps, ctx: Context): Promise<void> {
  const { auth, audit, settings, readForm } = deps;
  const session = await openSession(auth.sessions, ctx);
  if (!session) return redirect(ctx, '/api/login/');
  const body = await readForm(ctx);
  assertCsrf({
    req: ctx.req,
    field: body.csrfmiddlewaretoken,
    expected: session.csrf,
    trustedOrigins: settings.get('CSRF_TRUSTED_ORIGINS'),
  });
  const request = await readRequest(deps, ctx, pick(body));
  if (!request) return;
  if (request.problem)
    return answer(ctx, request, { error: request.problem.error, error_description: request.problem.description });
  if (body.decision === 'allow') return grant(deps, ctx, request, session);
  await audit({ action: 'authorization_denied', ...about(ctx, request, session) });
  answer(ctx, request, { error: 'access_denied' });
}

const pick = (all: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    requestParameters
      .filter((name) => Object.hasOwn(all, name))
      .map((name) => [name, typeof all[name] === 'string' ? all[name] : '']),
  );

/** undefined once the user has been told what is wrong. */
async function readRequest(
  { db }: AuthDeps,
  ctx: Context,
  query: Record<string, string>,
): Promise<AuthorizationRequest | undefined> {
  try {
    return await readAuthorizationRequest(db, query);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    sendPage(ctx, {
      status: error.status,
      title: 'This cannot be authorized',
      content: `<p role="alert">${escapeHtml(String(error.body.detail))}</p>`,
    });
    return undefined;
  }
}

async function grant(
  { db, settings, audit }: AuthDeps,
  ctx: Context,
  request: AuthorizationRequest,
  session: Session,
): Promise<void> {
  const { application, namedUri, scope, challenge } = request;
  const code = await createCode(db, settings, {
    applicationId: application.id,
    userId: session.user.id,
    redirectUri: namedUri,
    scope,
    challenge,
  });
  await audit({ action: 'authorization_granted', ...about(ctx, request, session) });
  answer(ctx, request, { code });
}

const about = (ctx: Context, { application }: AuthorizationRequest, session: Session) => ({
  user_id: session.user.id,
  username: session.user.username,
  session_id: session.id,
  application_id: application.id,
  ip: ctx.ip,
  via: 'session' as const,
});

/** The address was registered, so it is the client's; what joins it is encoded. */
function answer(ctx: Context, { redirectUri, state }: AuthorizationRequest, parameters: Record<string, string>): void {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set('state', state);
  ctx.set('Referrer-Policy', 'no-referrer');
  redirect(ctx, url.href);
}
