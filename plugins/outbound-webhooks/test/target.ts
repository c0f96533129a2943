import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Arrived {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

export interface Target {
  url: string;
  arrived: Arrived[];
  /** what it does from now on; 204 unless told */
  answer: (response: ServerResponse, request: Arrived) => void;
  stop(): Promise<void>;
}

/** Where webhooks go in tests: an HTTP server, or with a key and a certificate an HTTPS server, that keeps what it is sent. */
export async function startTarget(tls?: { key: Buffer; cert: Buffer }): Promise<Target> {
  const target: Target = {
    url: '',
    arrived: [],
    answer: (response) => response.writeHead(204).end(),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const take: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => void parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const one = { path: request.url ?? '', headers: request.headers, body, at: performance.now() };
      target.arrived.push(one);
      target.answer(response, one);
    });
  };
  const server = tls ? createSecureServer(tls, take) : createServer(take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return target;
}
