import { performance } from 'node:perf_hooks';
import type { Middleware } from 'koa';
import type { Log } from '../observe/log.ts';

/** One line per answered request. Without the query: filters may hold what is nobody else's business. */
export function accessLog({ log }: { log: Log }): Middleware {
  return async (ctx, next) => {
    const begin = performance.now();
    try {
      await next();
    } finally {
      const ms = Math.round((performance.now() - begin) * 10) / 10;
      const { requestId, actor } = ctx.state;
      log.info(
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
