import { notFound } from '@tapline/plugin-sdk';
import Koa, { type Middleware } from 'koa';
import type { Catalog } from '../descriptors/compile.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Settings } from '../settings/settings.ts';
import { measureRequests, observeRoutes, type ReadyChecks, refuseWhenDatabaseAway } from './observe-routes.ts';
import { accessLog } from './access-log.ts';
import { apiHeaders } from './api-headers.ts';
import type { Auth } from './auth/authenticate.ts';
import { createReadBody } from './body.ts';
import { knowClientAddress } from './client-address.ts';
import { dispatch } from './dispatch.ts';
import { answerErrors } from './errors.ts';
import type { PagesMiddleware } from './pages.ts';
import { requestId } from './request-id.ts';
import { limitByAddress, takeTurns } from './requests-in-work.ts';
import { limitTokens } from './token-limit.ts';
import { securityHeaders } from './security-headers.ts';

export interface AppDeps {
  config: { version: string; nodeName: string };
  log: Log;
  metrics: Metrics;
  auth: Pick<Auth, 'authenticate'>;
  catalog: Catalog;
  /** login, logout and OAuth */
  authRoutes?: Middleware;
  /** tells whether Postgres can be reached */
  bus?: Parameters<typeof refuseWhenDatabaseAway>[0]['bus'];
  settings: Pick<Settings, 'get'>;
  /** public files; they stay there while the database is away */
  pages?: PagesMiddleware;
  checks?: ReadyChecks;
  pluginHealth?: Parameters<typeof observeRoutes>[0]['pluginHealth'];
  /** largest body */
  bodyLimit?: string;
}

/** What every request passes, outermost first. */
export function createApp(deps: AppDeps) {
  const { config, log, metrics, auth, catalog, authRoutes, bus, settings, pages } = deps;
  const { checks = {}, pluginHealth, bodyLimit } = deps;
  const app = new Koa();
  // its own handler would print what `answerErrors` has logged, and clients that went away
  app.silent = true;
  app.use(knowClientAddress({ settings }));
  app.use(requestId);
  app.use(apiHeaders({ settings, version: config.version, node: config.nodeName }));
  app.use(accessLog({ log }));
  app.use(measureRequests({ metrics }));
  app.use(securityHeaders);
  app.use(answerErrors({ log }));
  app.use(observeRoutes({ metrics, checks, pluginHealth, auth, settings }));
  if (pages) app.use(pages.serve);
  app.use(limitByAddress({ settings }));
  if (bus) app.use(refuseWhenDatabaseAway({ bus }));
  if (authRoutes) app.use(authRoutes);
  const limits = { inTurn: takeTurns({ settings }), limitToken: limitTokens({ settings }) };
  const readBody = createReadBody({ limit: bodyLimit });
  app.use(dispatch({ catalog, auth, readBody, browse: pages?.browse, ...limits }));
  app.use(() => {
    throw notFound('The requested resource could not be found.');
  });
  return app;
}
