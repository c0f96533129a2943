import { ApiError } from '@tapline/plugin-sdk';
import type { Context } from 'koa';
import { announceLimit } from '../../websocket/control.ts';
import type { AuthDeps } from '../auth-deps.ts';
import { readCookie, sessionCookie } from '../cookies.ts';
import { assertCsrf, assertOrigin } from '../csrf.ts';
import { redirect } from '../html.ts';
import { sendLoginPage } from '../login-page.ts';
import { safeNext } from '../safe-next.ts';
import { unauthenticated } from '../../../accounts/unauthenticated.ts';
import { openSession } from './authenticate-session.ts';
import { ensureCsrfCookie, setLoginCookies, setLogoutCookies } from './session-cookies.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export async function showLogin({ auth }: AuthDeps, ctx: Context): Promise<void> {
  if (ctx.get('Accept') !== '' && !ctx.accepts('text/html'))
    throw new ApiError(406, 'Could not satisfy the request Accept header.');
  const session = await openSession(auth.sessions, ctx);
  sendLoginPage(ctx, { status: 200, csrf: ensureCsrfCookie(ctx, session !== null), next: safeNext(ctx.query.next) });
}

/** Answers 302 to `next` with the cookies of a new session; a session that the caller had before ends. */
export async function logIn(deps: AuthDeps, ctx: Context): Promise<void> {
  const { db, auth, settings, audit, bus, readForm } = deps;
  const body = await readForm(ctx);
  const isForm = !ctx.is('application/json');
  assertLoginCsrf(ctx, isForm, body.csrfmiddlewaretoken, settings.get('CSRF_TRUSTED_ORIGINS'));
  const [username, password] = [textOf(body.username), textOf(body.password)];
  const from = { ip: ctx.ip, user_agent: ctx.get('User-Agent') };
  try {
    if (!username || !password) throw unauthenticated();
    const user = await auth.credentials.check(username, password, { ...from, via: 'session' });
    const old = readCookie(ctx.req, sessionCookie);
    if (old) await auth.sessions.end(old);
    const { secret, dropped, session } = await auth.sessions.start(user, {
      ip: ctx.ip,
      userAgent: from.user_agent,
      assurance: 'password',
    });
    await audit({
      action: 'login',
      user_id: user.id,
      username: user.username,
      via: 'session',
      session_id: session.id,
      ...from,
    });
    if (dropped.length) {
      const { id: user_id, username: name } = user;
      await audit({ action: 'sessions_dropped', user_id, username: name, count: dropped.length, ...from });
      if (bus) await announceLimit(bus, db, dropped);
    }
    setLoginCookies(ctx, secret, session);
    redirect(ctx, safeNext(body.next));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refuse(ctx, error, isForm || ctx.get('Accept').includes('text/html'), {
      username: username.slice(0, 150),
      next: safeNext(body.next),
    });
  }
}

/**
 * A form, which any page can send anywhere, needs the double-submitted token. JSON is what no foreign page can send
 * without asking first (and nobody here says yes), so a client that never fetched a cookie may log in with it,
 * as long as nothing says that it comes from elsewhere.
 */
function assertLoginCsrf(ctx: Context, isForm: boolean, field: unknown, trustedOrigins: readonly string[]): void {
  if (isForm || ctx.get('X-CSRFToken')) return assertCsrf({ req: ctx.req, field, trustedOrigins });
  if (ctx.get('Sec-Fetch-Site') === 'cross-site' && !ctx.get('Origin'))
    throw new ApiError(403, 'CSRF Failed: the request comes from another site.');
  assertOrigin(ctx.req, trustedOrigins, false);
}

function refuse(ctx: Context, error: ApiError, asPage: boolean, shown: { username: string; next: string }): void {
  const csrf = ensureCsrfCookie(ctx, false);
  if (!asPage) throw error;
  const problem = error.status === 401 ? 'The user name or the password is not right.' : String(error.body.detail);
  ctx.set(error.headers);
  sendLoginPage(ctx, { status: error.status, csrf, problem, ...shown });
}

export async function logOut({ auth, settings, audit, readForm }: AuthDeps, ctx: Context): Promise<void> {
  const secret = readCookie(ctx.req, sessionCookie);
  const session = secret === null ? null : await auth.sessions.find(secret, { renew: false });
  if (secret !== null && session) {
    const { csrfmiddlewaretoken: field } = ctx.get('X-CSRFToken') ? {} : await readForm(ctx);
    assertCsrf({ req: ctx.req, field, expected: session.csrf, trustedOrigins: settings.get('CSRF_TRUSTED_ORIGINS') });
    await auth.sessions.end(secret);
    await audit({
      action: 'logout',
      user_id: session.user.id,
      username: session.user.username,
      session_id: session.id,
      ip: ctx.ip,
      via: 'session',
    });
  }
  setLogoutCookies(ctx);
  redirect(ctx, '/api/');
}
