import { performance } from 'node:perf_hooks';
import type { Middleware } from 'koa';
import type { Settings } from '../settings/settings.ts';

export interface Product {
  settings: Pick<Settings, 'get'>;
  version: string;
  node: string;
}

/** The headers by which clients recognise the service and its node; the version is for users only. */
export function apiHeaders({ settings, version, node }: Product): Middleware {
  return async (ctx, next) => {
    const begin = performance.now();
    await next();
    const seconds = `${((performance.now() - begin) / 1000).toFixed(3)}s`;
    ctx.set('X-API-Product-Name', settings.get('API_PRODUCT_NAME'));
    ctx.set('X-API-Node', node);
    ctx.set('X-API-Time', seconds);
    ctx.set('X-API-Total-Time', seconds);
    if (ctx.state.actor) ctx.set('X-API-Product-Version', version);
  };
}
