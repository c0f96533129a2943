import { ApiError, methodNotAllowed } from '@tapline/plugin-sdk';
import type { Context, Middleware } from 'koa';
import { createReadBody } from '../body.ts';
import type { AuthDeps } from './auth-deps.ts';
import { authorize, decide } from './oauth/authorize.ts';
import { revokeToken } from './oauth/revoke-token.ts';
import { issueToken } from './oauth/token.ts';
import { logIn, logOut, showLogin } from './session/login.ts';
import { ensureCsrfCookie } from './session/session-cookies.ts';

type Handler = (deps: AuthDeps, ctx: Context) => Promise<void>;

const oauthLinks: Handler = async (_deps, ctx) =>
  void (ctx.body = { authorize: '/api/o/authorize/', token: '/api/o/token/', revoke_token: '/api/o/revoke_token/' });

/** All of them public: they are where a caller becomes somebody. Apart from the API's routes, since they speak forms, pages, cookies and redirects. */
export const authPaths: Readonly<Record<string, Partial<Record<'GET' | 'POST', Handler>>>> = {
  '/api/login/': { GET: showLogin, POST: logIn },
  // by GET any page could log its visitors out with a picture
  '/api/logout/': { POST: logOut },
  '/api/o/': { GET: oauthLinks },
  '/api/o/authorize/': { GET: authorize, POST: decide },
  '/api/o/token/': { POST: issueToken },
  '/api/o/revoke_token/': { POST: revokeToken },
};

export function authRoutes(deps: Omit<AuthDeps, 'readForm'>): Middleware {
  const all: AuthDeps = { ...deps, readForm: createReadBody({ limit: '64kb', forms: true }) };
  return async (ctx, next) => {
    const handlers = Object.hasOwn(authPaths, ctx.path) ? authPaths[ctx.path] : undefined;
    if (handlers) return answer(all, ctx, handlers);
    if (Object.hasOwn(authPaths, `${ctx.path}/`)) {
      ctx.status = 301;
      ctx.set('Location', `${ctx.path}/${ctx.search}`);
      return;
    }
    await next();
    // where the command line client fetches its token before the login
    if (ctx.path === '/api/' && ctx.method === 'GET') ensureCsrfCookie(ctx, ctx.state.actor?.via === 'session');
  };
}

async function answer(deps: AuthDeps, ctx: Context, handlers: NonNullable<(typeof authPaths)[string]>): Promise<void> {
  const methods = Object.keys(handlers);
  const allow = [...methods, ...(handlers.GET ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  ctx.state.route = ctx.path;
  ctx.set('Allow', allow);
  if (ctx.method === 'OPTIONS') {
    ctx.body = {
      name: ctx.path,
      description: '',
      renders: ['text/html', 'application/json'],
      parses: ['application/x-www-form-urlencoded', 'application/json'],
    };
    return;
  }
  const handler = handlers[(ctx.method === 'HEAD' ? 'GET' : ctx.method) as 'GET'];
  if (!handler) throw methodNotAllowed(ctx.method, allow);
  const length = Number(ctx.get('Content-Length'));
  if (length > 65_536) throw new ApiError(413, 'The request body is too large.', { Connection: 'close' });
  await handler(deps, ctx);
}
