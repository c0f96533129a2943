import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';
import { type AppDeps, createApp } from './app.ts';

export interface HttpDeps extends AppDeps {
  /** a request must have arrived whole within this time, else 408 */
  requestTimeoutMs?: number;
}

export interface Http {
  app: Koa;
  server: Server;
  /** Resolves to the port. */
  listen: (port: number, host?: string) => Promise<number>;
  /** Takes no new requests and resolves when the running ones are answered, at the latest after `graceMs`. */
  close: (graceMs?: number) => Promise<void>;
}

export function createHttp(deps: HttpDeps): Http {
  const { requestTimeoutMs = 60_000 } = deps;
  const app = createApp(deps);
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
  // a connection whose request was under way just now is kept by its client, and so are those that it opened in advance
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
