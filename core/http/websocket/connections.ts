import type { IncomingMessage } from 'node:http';
import { type Actor, ApiError } from '@tapline/plugin-sdk';
import type { WebSocket } from 'ws';
import { forRequest } from '../../db/pool-shares.ts';
import type { Log } from '../../observe/log.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Auth } from '../auth/authenticate.ts';
import { sessionCsrfToken } from '../auth/csrf.ts';
import { type Audience, type Client, sendJson } from './client.ts';
import { identify } from './handshake.ts';
import { recheck, subscribe } from './subscribe.ts';
import type { Gate } from './gate.ts';
import type { Resume } from './resume.ts';

const mostWaiting = 50;
const closeGraceMs = 1000;

interface Deps {
  auth: Auth;
  settings: Pick<Settings, 'get'>;
  audience: Audience;
  gate: Gate;
  resume: Resume;
  log: Log;
}

/** Open connections: their messages, whether they still live, and whether they may still be there. */
export function createConnections({ auth, settings, audience, gate, resume, log }: Deps) {
  /** Messages of a client are handled one after the other: each replaces the subscription before it. */
  function receive(client: Client, text: string): void {
    if (client.backlog >= mostWaiting) return client.socket.close(1008, 'too many messages');
    client.backlog += 1;
    client.turn = client.turn
      .then(() => forRequest(() => subscribe({ audience, gate, resume }, client, text)))
      .catch((err: unknown) => {
        log.warn({ err }, 'a subscription failed');
        sendJson(client, { error: 'the subscription could not be made now' });
      })
      .finally(() => void (client.backlog -= 1));
  }

  /** Rights can end while a connection lasts: a revoked token, a user switched off, a role taken away. */
  async function review(client: Client): Promise<void> {
    const actor = await client.identify().catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return null;
      throw error;
    });
    if (!actor) return client.socket.close(1008, 'credentials are no longer valid');
    client.actor = actor;
    await recheck(audience, gate, client);
  }

  return {
    welcome(socket: WebSocket, req: IncomingMessage, actor: Actor): void {
      const client = newClient({ auth, settings }, socket, req, actor);
      audience.clients.add(client);
      socket.on('pong', () => void (client.alive = true));
      socket.on('message', (data) => receive(client, String(data)));
      socket.on('close', () => audience.remove(client));
      // the close event follows
      socket.on('error', (err) => log.debug({ err }, 'a WebSocket failed'));
      sendJson(client, { accept: true, user: actor.id });
    },
    check(client: Client): void {
      if (!client.alive) return client.socket.terminate();
      client.alive = false;
      client.socket.ping();
      client.turn = client.turn
        .then(() => forRequest(() => review(client)))
        .catch((err: unknown) => log.warn({ err }, 'a WebSocket could not be checked'));
    },
  };
}

const newClient = (
  deps: Pick<Deps, 'auth' | 'settings'>,
  socket: WebSocket,
  req: IncomingMessage,
  actor: Actor,
): Client => ({
  socket,
  actor,
  groups: new Set(),
  csrf: actor.via === 'session' ? sessionCsrfToken(req) : null,
  identify: () => identify(deps, req),
  alive: true,
  backlog: 0,
  turn: Promise.resolve(),
});

/** Says goodbye to every client; those that do not answer are cut off. */
export async function sayGoodbye(audience: Audience): Promise<void> {
  const open = [...audience.clients].map(({ socket }) => {
    socket.close(1001, 'the server is going down');
    return new Promise<void>((done) => {
      const cut = setTimeout(() => socket.terminate(), closeGraceMs);
      socket.once('close', () => done(clearTimeout(cut)));
    });
  });
  await Promise.all(open);
}
