import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Actor, ApiError } from '@tapline/plugin-sdk';
import { isDatabaseAway } from '../../db/database-errors.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Auth } from '../auth/authenticate.ts';
import { assertOrigin } from '../auth/csrf.ts';
import { clientAddress } from '../client-address.ts';

interface Deps {
  auth: Pick<Auth, 'authenticate'>;
  settings: Pick<Settings, 'get'>;
}

const paths = new Set(['/websocket/', '/api/websocket/', '/websocket', '/api/websocket']);

export const isWebsocketPath = (url = ''): boolean => paths.has(url.split('?', 1)[0] as string);

/** Who opens the connection. Throws ApiError: 403 without good credentials (never 401: a browser would ask for a password). */
export async function identify({ auth, settings }: Deps, req: IncomingMessage): Promise<Actor> {
  const actor = await auth.authenticate({ req, ip: clientAddress({ settings }, req) }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status !== 401) throw error;
    if (isDatabaseAway(error)) throw new ApiError(503, 'The database cannot be reached.');
    if (!(error instanceof ApiError)) throw error;
    return null;
  });
  if (!actor) throw new ApiError(403, 'Authentication credentials were not provided or are not valid.');
  // browsers add cookies and remembered passwords to any page's connection, but say whose page it is
  if (actor.via !== 'token') assertOrigin(req, settings.get('CSRF_TRUSTED_ORIGINS'), false);
  return actor;
}

const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** Answers an upgrade with an ordinary error and ends the connection. */
export function refuse(socket: Duplex, error: unknown): void {
  const { status, body, headers } =
    error instanceof ApiError ? error : new ApiError(503, 'The connection cannot be opened now.');
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  });
  socket.end(
    `HTTP/1.1 ${status} ${phrases[status] ?? 'Error'}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`,
  );
}
