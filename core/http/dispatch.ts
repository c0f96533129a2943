import { Readable } from 'node:stream';
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
import { makeCall } from '../descriptors/call.ts';
import type { Catalog } from '../descriptors/compile.ts';
import { describeRoute } from '../descriptors/describe/options.ts';
import { allowOf, type CompiledRoute, type Endpoint } from '../descriptors/routes/routes.ts';
import { networkOf } from '../outbound/addresses.ts';
import { readGiven, withGiven } from '../runs/given-texts.ts';
import { isPreview } from '../runs/templates/preview.ts';
import { everybody } from '../rbac/rules.ts';
import type { Auth } from './auth/authenticate.ts';
import { deprecationHeaders } from './deprecation-headers.ts';
import { unauthenticated } from '../accounts/unauthenticated.ts';
import { type ReadBody, readRawBody } from './body.ts';
import { launchOnce } from './idempotency.ts';
import { isVisit, negotiate } from './negotiate.ts';
import { createRecordDenials } from './record-denials.ts';
import type { InTurn } from './requests-in-work.ts';
import type { LimitToken } from './token-limit.ts';
import { createRouting } from './router.ts';

interface Deps {
  catalog: Catalog;
  auth: Pick<Auth, 'authenticate'>;
  readBody: ReadBody;
  inTurn: InTurn;
  limitToken: LimitToken;
  /** answers a browser that opened a path of the API */
  browse?: ((ctx: Context) => Promise<void>) | undefined;
}

const safe = new Set(['GET', 'OPTIONS']);
const withBody = new Set(['POST', 'PUT', 'PATCH']);

/** The catalog's route table behind the checks, in the order 401, 403 (read scope), 405, 404, 403, 400. */
export function dispatch(deps: Deps): Middleware {
  const recordDenials = createRecordDenials(deps.catalog);
  const { middleware, knows } = createRouting(deps.catalog.routes, (route) =>
    recordDenials(route, answer(deps, route)),
  );

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

function answer(deps: Deps, route: CompiledRoute): Middleware {
  const { catalog, auth, inTurn, limitToken, browse } = deps;
  const allow = allowOf(route);
  const deprecated = route.deprecated ? deprecationHeaders(route.deprecated) : {};
  const anyOpen = Object.values(route.endpoints).some(({ rule }) => rule === everybody);
  return async (ctx) => {
    // HEAD is a GET whose answer goes without its body: nobody behind this need know it, who might take it for a write
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const query = new URLSearchParams(ctx.querystring);
    ctx.state.route = route.path;
    ctx.state.plugin = route.plugin;
    if (browse && isVisit(ctx, query, route)) return browse(ctx);
    ctx.set('Allow', allow);
    ctx.set(deprecated);
    const format = negotiate(ctx, query, route);
    const endpoint = route.endpoints[method];
    const open = endpoint ? endpoint.rule === everybody : anyOpen;
    const actor = await identify(auth, ctx, open);
    await limitToken(ctx, actor);
    if (actor?.read_only && !safe.has(method)) throw forbidden();
    if (!endpoint && method !== 'OPTIONS') throw methodNotAllowed(ctx.method, allow);
    const call = makeCall(
      catalog,
      {
        actor,
        method,
        query,
        params: ctx.params,
        path: ctx.path,
        ip: ctx.ip,
        accept: ctx.get('Accept'),
        format,
        // of a list below an object it would mean the list, which has no version
        ifMatch: route.kind === 'detail' ? ctx.headers['if-match'] : undefined,
        requestId: ctx.state.requestId,
      },
      { signal: () => abortSignal(ctx), headers: () => headersOf(ctx, open) },
    );
    const caller = {
      who: actor?.id ?? networkOf(ctx.ip),
      launches: endpoint?.launches !== undefined,
      gone: () => ctx.res.destroyed,
    };
    const work = () => (endpoint ? carryOut(deps, ctx, endpoint, call) : describeRoute(catalog, route, call));
    send(ctx, await inTurn(caller, work));
  };
}

async function carryOut({ catalog, readBody }: Deps, ctx: Context, endpoint: Endpoint, call: Call): Promise<Reply> {
  const row = await endpoint.prepare?.(call);
  if (withBody.has(call.method)) await takeBody(ctx, call, endpoint.body, readBody);
  const run = () => endpoint.run(call, row!);
  const taken = endpoint.launches ? Object.keys(catalog.launchTexts()) : [];
  const work = taken.length ? () => withGiven(readGiven(taken, call.body), run) : run;
  // a key is its user's own; callers without a name have none
  const starts = endpoint.launches && !(endpoint.previews && isPreview(call));
  const key = starts && call.actor ? ctx.headers['idempotency-key'] : undefined;
  if (key === undefined) return work();
  const { db, log } = catalog;
  return launchOnce({ db, log, key: String(key), call, path: ctx.path, status: endpoint.launches!, work });
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
  // what ends early must not look whole, not even to a client that knows no chunks
  if (body instanceof Readable) body.once('error', () => ctx.res.socket?.resetAndDestroy());
}

function abortSignal(ctx: Context): AbortSignal {
  const controller = new AbortController();
  ctx.res.once('close', () => !ctx.res.writableFinished && controller.abort());
  return controller.signal;
}
