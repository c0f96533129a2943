import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { CompiledRoute } from '../descriptors/routes/routes.ts';

export interface Routing {
  middleware: Middleware;
  /** whether a route answers this path, by whatever method */
  knows: (path: string) => boolean;
}

/**
 * The router tries one route after the other, so each of the hundreds goes to a small one for where its path begins
 * (`/api/v2/jobs`); those that begin with a parameter are tried last, as they would be in a single table.
 */
export function createRouting(routes: readonly CompiledRoute[], answer: (route: CompiledRoute) => Middleware): Routing {
  const routers = new Map<string, Router>();
  const anywhere = newRouter();
  for (const route of plainFirst(routes)) {
    const start = startOf(route.path);
    const router = isPlain(start) ? (routers.get(start) ?? newRouter()) : anywhere;
    if (router !== anywhere) routers.set(start, router);
    router.all(route.path, answer(route) as never);
  }
  const started = new Map([...routers].map(([start, router]) => [start, middlewareOf(router)]));
  const last = middlewareOf(anywhere);
  return {
    middleware: (ctx, next) => {
      const first = started.get(startOf(ctx.path));
      return first ? first(ctx, () => last(ctx, next)) : last(ctx, next);
    },
    knows: (path) =>
      [routers.get(startOf(path)), anywhere].some((router) => router && router.match(path, 'GET').path.length > 0),
  };
}

const newRouter = () => new Router({ strict: true, sensitive: true });
const middlewareOf = (router: Router) => router.routes() as unknown as Middleware;

/** The first three segments. */
const startOf = (path: string) => path.split('/', 4).join('/');
const isPlain = (start: string) => /^[\w/.-]*$/.test(start);

/** A plain segment goes before a parameter, wherever the routes come from: `/hosts/compare/` before `/hosts/:id/`. */
function plainFirst(routes: readonly CompiledRoute[]): CompiledRoute[] {
  // `/./~/`: a dot sorts before a tilde
  const shape = (path: string) => path.replaceAll(/:[^/]*/g, '~').replaceAll(/[^/~]+/g, '.');
  return routes
    .map((route) => ({ route, key: shape(route.path) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ route }) => route);
}
