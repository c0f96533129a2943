import { notFound } from '@tapline/plugin-sdk';
import Koa, { type Middleware } from 'koa';
import type { Engine } from '../engine/compile.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { measureRequests, observeRoutes, type ReadyChecks, refuseWhenDatabaseAway } from '../observe/routes.ts';
import { accessLog } from './access-log.ts';
import { apiHeaders } from './api-headers.ts';
import type { Auth } from './auth/authenticate.ts';
import { createReadBody } from './body.ts';
import { knowClientAddress } from './client-address.ts';
import { dispatch } from './dispatch.ts';
import { answerErrors } from './errors.ts';
import { requestId } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

export interface AppDeps {
  config: { version: string; nodeName: string };
  log: Log;
  metrics: Metrics;
  auth: Pick<Auth, 'authenticate'>;
  engineApi: Engine;
  /** login, logout and OAuth */
  authRoutes?: Middleware;
  /** tells whether Postgres can be reached */
  bus?: Parameters<typeof refuseWhenDatabaseAway>[0]['bus'];
  settings?: { get: (key: any) => any };
  /** public files; they stay there while the database is away */
  pages?: Middleware;
  checks?: ReadyChecks;
  pluginHealth?: Parameters<typeof observeRoutes>[0]['pluginHealth'];
  /** largest body */
  bodyLimit?: string;
}

/** What every request passes, outermost first. */
export function createApp(deps: AppDeps) {
  const { config, log, metrics, auth, engineApi, authRoutes, bus, pages, checks = {}, pluginHealth, bodyLimit } = deps;
  const app = new Koa();
  // its own handler would print what `answerErrors` has logged, and clients that went away
  app.silent = true;
  if (deps.settings) app.use(knowClientAddress({ settings: deps.settings }));
  app.use(requestId);
  app.use(apiHeaders({ name: 'Tapline', version: config.version, node: config.nodeName }));
  app.use(accessLog({ log }));
  app.use(measureRequests({ metrics }));
  app.use(securityHeaders);
  app.use(answerErrors({ log }));
  app.use(observeRoutes({ metrics, checks, pluginHealth }));
  if (pages) app.use(pages);
  if (bus) app.use(refuseWhenDatabaseAway({ bus }));
  if (authRoutes) app.use(authRoutes);
  app.use(dispatch({ engine: engineApi, auth, readBody: createReadBody({ limit: bodyLimit }) }));
  app.use(() => {
    throw notFound('The requested resource could not be found.');
  });
  return app;
}
