import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Actor, ApiError, notFound } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Bus } from '../jobs/bus.ts';
import type { Log } from '../observe/log.ts';
import type { Settings } from '../settings/settings.ts';
import type { Auth } from './auth/authenticate.ts';
import { sessionCsrfToken } from './auth/csrf.ts';
import { type Client, createAudience, sendJson } from './websocket/client.ts';
import { createEventFeed } from './websocket/event-feed.ts';
import { identify, isWebsocketPath, refuse } from './websocket/handshake.ts';
import { createStatusFeed } from './websocket/status-feed.ts';
import { recheck, subscribe } from './websocket/subscribe.ts';

interface WebsocketDeps {
  auth: Auth;
  bus: Bus;
  db: Knex;
  log: Log;
  settings: Settings;
  /** Finds a row of a type as the actor sees it. */
  engineApi: { find: (type: string, id: number, actor: Actor | null) => Promise<unknown> };
  /** How often connections are pinged and their rights looked at again; the default is 30 s. */
  checkEveryMs?: number;
}

const largestMessage = 262_144;
const mostConnections = 5000;
const mostWaiting = 50;
const closeGraceMs = 1000;

/** `/websocket/`: live status and events. Any node serves any client, since what to send arrives over the bus. */
export function createWebsocket({ auth, bus, db, log, settings, engineApi, checkEveryMs = 30_000 }: WebsocketDeps) {
  const server = new WebSocketServer({ noServer: true, maxPayload: largestMessage, perMessageDeflate: false, clientTracking: false });
  const audience = createAudience();
  const canSee = async (kind: string, id: number, actor: Actor) => (await engineApi.find(kind, id, actor)) !== undefined;
  const events = createEventFeed({ db, log, audience, rate: () => Number(settings.get('MAX_WEBSOCKET_EVENT_RATE')) });
  const statuses = createStatusFeed({ db, log, audience, canSee });
  const catchUp = () => Promise.all([events.catchUp(), statuses.catchUp()]).catch((err) => log.warn({ err }, 'missed messages could not be read'));
  const unsubscribe = [bus.on('events', events.notice), bus.on('status', statuses.notice), bus.on('reconnected', () => void catchUp())];
  const timer = setInterval(() => audience.clients.forEach((client) => check(client)), checkEveryMs);
  timer.unref();
  let stopped = false;

  async function upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      if (!isWebsocketPath(req.url)) throw notFound();
      if (stopped || audience.clients.size >= mostConnections) throw new ApiError(503, 'No further connections are accepted now.');
      const actor = await identify(auth, req);
      if (socket.destroyed || stopped) return void socket.destroy();
      server.handleUpgrade(req, socket, head, (ws) => welcome(ws, req, actor));
    } catch (error) {
      if (!(error instanceof ApiError)) log.error({ err: error }, 'a WebSocket could not be opened');
      refuse(socket, error);
    }
  }

  function welcome(socket: WebSocket, req: IncomingMessage, actor: Actor): void {
    const csrf = actor.via === 'session' ? sessionCsrfToken(req) : null;
    const client: Client = { socket, actor, groups: new Set(), csrf, identify: () => identify(auth, req), alive: true, backlog: 0, turn: Promise.resolve() };
    audience.clients.add(client);
    socket.on('pong', () => void (client.alive = true));
    socket.on('message', (data) => receive(client, String(data)));
    socket.on('close', () => audience.remove(client));
    // the close event follows
    socket.on('error', (err) => log.debug({ err }, 'a WebSocket failed'));
    sendJson(client, { accept: true, user: actor.id });
  }

  /** Messages of a client are handled one after the other: each replaces the subscription before it. */
  function receive(client: Client, text: string): void {
    if (client.backlog >= mostWaiting) return client.socket.close(1008, 'too many messages');
    client.backlog += 1;
    client.turn = client.turn
      .then(() => subscribe(audience, canSee, client, text))
      .catch((err: unknown) => {
        log.warn({ err }, 'a subscription failed');
        sendJson(client, { error: 'the subscription could not be made now' });
      })
      .finally(() => void (client.backlog -= 1));
  }

  function check(client: Client): void {
    if (!client.alive) return client.socket.terminate();
    client.alive = false;
    client.socket.ping();
    client.turn = client.turn.then(() => review(client)).catch((err) => log.warn({ err }, 'a WebSocket could not be checked'));
  }

  /** Rights can end while a connection lasts: a revoked token, a user switched off, a role taken away. */
  async function review(client: Client): Promise<void> {
    const actor = await client.identify().catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return null;
      throw error;
    });
    if (!actor) return client.socket.close(1008, 'credentials are no longer valid');
    client.actor = actor;
    await recheck(audience, canSee, client);
  }

  return {
    attach(http: Server): void {
      http.on('upgrade', (req, socket, head) => void upgrade(req, socket, head));
    },
    /** Says goodbye to every client; those that do not answer are cut off. */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      for (const off of unsubscribe) off();
      const open = [...audience.clients].map(({ socket }) => {
        socket.close(1001, 'the server is going down');
        return new Promise<void>((done) => {
          const cut = setTimeout(() => socket.terminate(), closeGraceMs);
          socket.once('close', () => done(clearTimeout(cut)));
        });
      });
      await Promise.all(open);
    },
  };
}

export type Websocket = ReturnType<typeof createWebsocket>;
