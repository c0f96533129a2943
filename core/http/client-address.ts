import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Middleware } from 'koa';
import { isWithin } from '../outbound/addresses.ts';

interface Deps {
  settings: { get: (key: 'PROXY_IP_ALLOWED_LIST' | 'REMOTE_HOST_HEADERS') => readonly string[] };
}

type Request = Pick<IncomingMessage, 'headers'> & { socket?: { remoteAddress?: string } };

/** Names of REMOTE_HOST_HEADERS that stand for the connection itself. */
const connection = new Set(['REMOTE_ADDR', 'REMOTE_HOST']);

/**
 * Where a request comes from. Anybody can send a header that names an address, so one counts only where the connection
 * comes from a proxy of PROXY_IP_ALLOWED_LIST; of several addresses the last one that is no such proxy is the client's.
 */
export function clientAddress({ settings }: Deps, { headers, socket }: Request): string {
  const peer = socket?.remoteAddress ?? '';
  const proxies = settings.get('PROXY_IP_ALLOWED_LIST');
  if (!proxies.length || !isWithin(peer, proxies)) return peer;
  for (const name of settings.get('REMOTE_HOST_HEADERS')) {
    if (connection.has(name)) return peer;
    const value =
      headers[
        name
          .replace(/^HTTP_/, '')
          .replaceAll('_', '-')
          .toLowerCase()
      ];
    const addresses = String(value ?? '')
      .split(',')
      .map((text) => text.trim());
    const client = addresses.findLast((address) => !isWithin(address, proxies));
    if (client && ipaddr.isValid(client)) return client;
  }
  return peer;
}

export const knowClientAddress =
  (deps: Deps): Middleware =>
  (ctx, next) => {
    ctx.request.ip = clientAddress(deps, ctx.req);
    return next();
  };
