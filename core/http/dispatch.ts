import {
  ApiError,
  type Actor,
  type BodyKind,
  type Call,
  forbidden,
  methodNotAllowed,
  notFound,
  type Reply,
} from '@tapline/plugin-sdk';
import type { Context, Middleware } from 'koa';
import { makeCall } from '../engine/call.ts';
import type { Engine } from '../engine/compile.ts';
import { describeRoute } from '../engine/options.ts';
import { allowOf, type CompiledRoute, type Endpoint } from '../engine/routes.ts';
import { everybody } from '../rbac/rules.ts';
import type { Auth } from './auth/authenticate.ts';
import { unauthenticated } from './auth/unauthenticated.ts';
import { type ReadBody, readRawBody } from './body.ts';
import { launchOnce } from './idempotency.ts';
import { negotiate } from './negotiate.ts';
import { createRouting } from './router.ts';

interface Deps {
  engine: Engine;
  auth: Pick<Auth, 'authenticate'> & Partial<Pick<Auth, 'recall'>>;
  readBody: ReadBody;
}

const safe = new Set(['GET', 'OPTIONS']);
const withBody = new Set(['POST', 'PUT', 'PATCH']);

/** The engine's route table behind the checks, in the order 401, 403 (read scope), 405, 404, 403, 400. */
export function dispatch({ engine, auth, readBody }: Deps): Middleware {
  const { middleware, knows } = createRouting(engine.routes, (route) => answer({ engine, auth, readBody }, route));

  return (ctx, next) =>
    middleware(ctx, async () => {
      if (ctx.path.startsWith('/api/') && !ctx.path.endsWith('/') && knows(`${ctx.path}/`)) {
        ctx.status = 301;
        ctx.set('Location', `${ctx.path}/${ctx.search}`);
        return;
      }
      if (ctx.path === '/api' || ctx.path.startsWith('/api/'))
        throw notFound('The requested resource could not be found.');
      await next();
    });
}

function answer({ engine, auth, readBody }: Deps, route: CompiledRoute): Middleware {
  const allow = allowOf(route);
  const anyOpen = Object.values(route.endpoints).some(({ rule }) => rule === everybody);
  return async (ctx) => {
    // HEAD is a GET whose answer goes without its body: nobody behind this need know it, who might take it for a write
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const query = new URLSearchParams(ctx.querystring);
    ctx.state.route = route.path;
    ctx.set('Allow', allow);
    negotiate(ctx, query, route.formats);
    const endpoint = route.endpoints[method];
    const open = endpoint ? endpoint.rule === everybody : anyOpen;
    const parts = {
      method,
      query,
      params: ctx.params,
      path: ctx.path,
      ip: ctx.ip,
      accept: ctx.get('Accept'),
      // of a list below an object it would mean the list, which has no version
      ifMatch: route.kind === 'detail' ? ctx.headers['if-match'] : undefined,
      requestId: ctx.state.requestId,
    };
    const callOf = (actor: Actor | null) =>
      makeCall(engine, { ...parts, actor }, { signal: () => abortSignal(ctx), headers: () => headersOf(ctx, open) });
    const early = await lookUpEarly(auth, ctx, endpoint, callOf);
    const actor = early ? early.call.actor : await identify(auth, ctx, open);
    if (actor?.read_only && !safe.has(method)) throw forbidden();
    if (!endpoint && method !== 'OPTIONS') throw methodNotAllowed(ctx.method, allow);
    const call = early?.call ?? callOf(actor);
    if (!endpoint) return send(ctx, await describeRoute(engine, route, call));
    const row = early ? early.row : await endpoint.prepare?.(call);
    if (withBody.has(method)) await takeBody(ctx, call, endpoint.body, readBody);
    const work = () => endpoint.run(call, row);
    // a key is its user's own; callers without a name have none
    const key = endpoint.launches && actor ? ctx.headers['idempotency-key'] : undefined;
    if (key === undefined) return send(ctx, await work());
    const { db, log } = engine;
    send(ctx, await launchOnce({ db, log, key: String(key), call, path: ctx.path, status: endpoint.launches!, work }));
  };
}

/**
 * The requests that clients repeat most, a record and a launch, cost one statement less: that the caller is who it was
 * a moment ago is asked along with the record. Where that fails, for whatever reason, everything is asked from the beginning.
 */
async function lookUpEarly(
  auth: Deps['auth'],
  ctx: Context,
  endpoint: Endpoint | undefined,
  callOf: (actor: Actor) => Call,
): Promise<{ call: Call; row: any } | undefined> {
  const recalled = endpoint?.prepareProving && auth.recall?.(ctx);
  if (!recalled) return undefined;
  const call = callOf(recalled.actor);
  const row = await endpoint.prepareProving!(call, recalled.proof).catch((error) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
  if (!row) return undefined;
  ctx.state.actor = recalled.actor;
  return { call, row };
}

async function takeBody(ctx: Context, call: Call, kind: BodyKind | undefined, readBody: ReadBody): Promise<void> {
  if (kind?.kind === 'raw') call.rawBody = await readRawBody(ctx, kind.limitBytes);
  else if (kind?.kind !== 'none') call.body = await readBody(ctx);
}

/** What the service itself has judged is not handed on. */
function headersOf({ headers }: Context, open: boolean): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name !== 'cookie' && (open || name !== 'authorization'));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

/** On a public route wrong credentials count as none. */
async function identify(auth: Deps['auth'], ctx: Context, open: boolean): Promise<Actor | null> {
  const actor = await auth.authenticate(ctx).catch((error) => {
    if (open && error instanceof ApiError && error.status === 401) return null;
    throw error;
  });
  if (!actor && !open) throw unauthenticated();
  ctx.state.actor = actor;
  return actor;
}

function send(ctx: Context, { status, body, type, headers }: Reply): void {
  ctx.status = status;
  if (headers) ctx.set(headers);
  if (body === undefined) {
    ctx.body = null;
    // setting no body makes a 204 of anything
    ctx.status = status;
    return;
  }
  ctx.body = body;
  if (type) ctx.type = type;
}

function abortSignal(ctx: Context): AbortSignal {
  const controller = new AbortController();
  ctx.res.once('close', () => !ctx.res.writableFinished && controller.abort());
  return controller.signal;
}
