import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
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

/** Where webhooks go in tests: an HTTP server that keeps what it is sent. */
export async function startTarget(): Promise<Target> {
  const target: Target = {
    url: '',
    arrived: [],
    answer: (response) => response.writeHead(204).end(),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => void parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const one = { path: request.url ?? '', headers: request.headers, body, at: performance.now() };
      target.arrived.push(one);
      target.answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return target;
}
