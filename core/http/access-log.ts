import { performance } from 'node:perf_hooks';
import type { Context, Middleware } from 'koa';
import type { Log } from '../observe/log.ts';

/** Asked again and again by machines. */
const probes = new Set(['/healthz', '/readyz', '/metrics']);

/** What was read is for whoever looks closely: pages poll, and what is changed or refused would be lost among it. */
function levelOf({ method, path, status }: Context): 'debug' | 'info' {
  const reading = method === 'GET' || method === 'HEAD';
  return reading && (status < 400 || probes.has(path)) ? 'debug' : 'info';
}

/** One line per answered request. Without the query: filters may hold what is nobody else's business. */
export function accessLog({ log }: { log: Log }): Middleware {
  return async (ctx, next) => {
    const begin = performance.now();
    try {
      await next();
    } finally {
      const ms = Math.round((performance.now() - begin) * 10) / 10;
      const { requestId, actor } = ctx.state;
      log[levelOf(ctx)](
        {
          request_id: requestId,
          method: ctx.method,
          path: ctx.path,
          status: ctx.status,
          ms,
          user: actor?.username,
          ip: ctx.ip,
        },
        'request',
      );
    }
  };
}
