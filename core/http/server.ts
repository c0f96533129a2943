import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { notFound } from '@tapline/plugin-sdk';
import helmet from 'helmet';
import Koa, { type Middleware } from 'koa';
import type { Engine } from '../engine/compile.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { measureRequests, observeRoutes, type ReadyChecks, refuseWhenDatabaseAway } from '../observe/routes.ts';
import { accessLog } from './access-log.ts';
import { apiHeaders } from './api-headers.ts';
import type { Auth } from './auth/authenticate.ts';
import { createReadBody } from './body.ts';
import { dispatch } from './dispatch.ts';
import { answerErrors } from './errors.ts';
import { requestId } from './request-id.ts';

export interface HttpDeps {
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
  checks?: ReadyChecks;
  /** a request must have arrived whole within this time, else 408 */
  requestTimeoutMs?: number;
  /** largest body */
  bodyLimit?: string;
}

export interface Http {
  app: Koa;
  server: Server;
  /** Resolves to the port. */
  listen: (port: number, host?: string) => Promise<number>;
  /** Takes no new requests and resolves when the running ones are answered, at the latest after `graceMs`. */
  close: (graceMs?: number) => Promise<void>;
}

export function createHttp({
  config,
  log,
  metrics,
  auth,
  engineApi,
  authRoutes,
  bus,
  checks = {},
  requestTimeoutMs = 60_000,
  bodyLimit,
}: HttpDeps): Http {
  const app = new Koa();
  // its own handler would print what `answerErrors` has logged, and clients that went away
  app.silent = true;
  // TLS ends in front of us: whoever ends it decides whether every visit must use it
  const secure = helmet({
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  });
  const securityHeaders: Middleware = async (ctx, next) => {
    await new Promise<void>((resolve, reject) =>
      secure(ctx.req, ctx.res, (error?: unknown) => (error ? reject(error) : resolve())),
    );
    await next();
  };
  app.use(requestId);
  app.use(apiHeaders({ name: 'Tapline', version: config.version, node: config.nodeName }));
  app.use(accessLog({ log }));
  app.use(measureRequests({ metrics }));
  app.use(securityHeaders);
  app.use(answerErrors({ log }));
  app.use(observeRoutes({ metrics, checks }));
  if (bus) app.use(refuseWhenDatabaseAway({ bus }));
  if (authRoutes) app.use(authRoutes);
  app.use(dispatch({ engine: engineApi, auth, readBody: createReadBody({ limit: bodyLimit }) }));
  app.use(() => {
    throw notFound('The requested resource could not be found.');
  });

  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(15_000, requestTimeoutMs),
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs / 2),
      keepAliveTimeout: 65_000,
    },
    app.callback(),
  );
  server.on('clientError', refuseMalformed);
  return {
    app,
    server,
    listen: (port, host = '127.0.0.1') => listen(server, port, host),
    close: (graceMs = 10_000) => close(server, graceMs),
  };
}

const protocolErrors: Record<string, [number, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large'],
};

/** What is no HTTP, or did not arrive in time, never becomes a request. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, reason] = protocolErrors[error.code ?? ''] ?? [400, 'Bad Request'];
  const body = JSON.stringify({ detail: `${reason}.` });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function close(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(late);
}
