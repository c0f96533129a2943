import { performance } from 'node:perf_hooks';
import type { Context, Middleware } from 'koa';
import { ApiError, forbidden, inTime } from '@tapline/plugin-sdk';
import { unauthenticated } from '../accounts/unauthenticated.ts';
import type { Metrics } from '../observe/metrics.ts';
import { isLoopback } from '../outbound/addresses.ts';
import type { Settings } from '../settings/settings.ts';
import type { Auth } from './auth/authenticate.ts';

/** What `/readyz` asks: resolves when the part can serve, throws with the reason when not. */
export type ReadyChecks = Record<string, () => Promise<void> | void>;

const checkTimeoutMs = 2000;
const late = () => new Error(`no answer within ${checkTimeoutMs} ms`);

async function runCheck(check: () => Promise<void> | void): Promise<string> {
  try {
    await inTime(check, { ms: checkTimeoutMs, late });
    return 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface Observed {
  metrics: Metrics;
  checks: ReadyChecks;
  auth: Pick<Auth, 'authenticate'>;
  settings: Pick<Settings, 'get'>;
  /** how plugins are, by id */
  pluginHealth?: { statuses(): Promise<Record<string, string>> };
}

/** Headers that some proxy adds: then the connection comes from this machine, but the request need not. */
const ofProxies = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/**
 * How much work there is, and how plugins are, is for those who look after the service: on its own machine, or with
 * credentials of a superuser or auditor.
 * @throws ApiError 401, 403
 */
async function assertLooksAfter(ctx: Context, { auth, settings }: Pick<Observed, 'auth' | 'settings'>): Promise<void> {
  if (settings.get('ALLOW_METRICS_FOR_ANONYMOUS_USERS')) return;
  if (isLoopback(ctx.ip) && !ofProxies.some((name) => name in ctx.headers)) return;
  const actor = await auth.authenticate(ctx);
  if (!actor) throw unauthenticated();
  if (!actor.is_superuser && !actor.is_system_auditor) throw forbidden();
}

/** `/healthz` (the process lives) and `/readyz` (it can serve) for everybody, `/metrics` (Prometheus) for some; no data of users in them. */
export function observeRoutes(observed: Observed): Middleware {
  const { metrics, checks, pluginHealth } = observed;
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    switch (ctx.path) {
      case '/healthz':
        ctx.body = { status: 'ok' };
        return;
      case '/readyz': {
        const results = Object.fromEntries(
          await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check)])),
        );
        const ready = Object.values(results).every((result) => result === 'ok');
        ctx.status = ready ? 200 : 503;
        ctx.body = { status: ready ? 'ok' : 'unavailable', checks: results };
        // told to those who ask, but no reason to take the node out: everything else of it serves
        if ('verbose' in ctx.query && pluginHealth) {
          await assertLooksAfter(ctx, observed);
          ctx.body = { ...ctx.body, plugins: await pluginHealth.statuses() };
        }
        return;
      }
      case '/metrics':
        await assertLooksAfter(ctx, observed);
        ctx.type = metrics.registry.contentType;
        ctx.body = await metrics.registry.metrics();
        return;
      default:
        return next();
    }
  };
}

/** Counts and times every request; the router leaves the matched pattern in `ctx.state.route` or `ctx._matchedRoute`. */
export function measureRequests({ metrics }: { metrics: Metrics }): Middleware {
  return async (ctx, next) => {
    const begin = performance.now();
    try {
      await next();
    } finally {
      const matched = ctx.state.route ?? (ctx as { _matchedRoute?: unknown })._matchedRoute;
      const labels = { method: ctx.method, route: matched === undefined ? 'other' : String(matched) };
      metrics.httpRequests.inc({ ...labels, status: String(ctx.status) });
      metrics.httpDuration.observe(labels, (performance.now() - begin) / 1000);
    }
  };
}

interface Availability {
  readonly available: boolean;
  onAvailable(listener: (available: boolean) => void): () => void;
}

const away = () =>
  new ApiError(503, 'The database cannot be reached at the moment. Try again later.', { 'Retry-After': '5' });

/** Answers 503 as soon as Postgres is known to be away, also to requests that already wait for it. */
export function refuseWhenDatabaseAway({ bus }: { bus: Availability }): Middleware {
  return async (_ctx, next) => {
    if (!bus.available) throw away();
    let off = () => {};
    const lost = new Promise<never>((_, reject) => {
      off = bus.onAvailable((available) => {
        if (!available) reject(away());
      });
    });
    try {
      await Promise.race([next(), lost]);
    } finally {
      off();
    }
  };
}
