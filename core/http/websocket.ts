import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Actor, ApiError, notFound, type WebsocketGroup } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { WebSocketServer } from 'ws';
import type { Catalog } from '../descriptors/compile.ts';
import { forRequest } from '../db/pool-shares.ts';
import type { Bus, BusMessages } from '../queue/bus.ts';
import type { Log } from '../observe/log.ts';
import type { Settings } from '../settings/settings.ts';
import type { RunKinds } from '../runs/kinds.ts';
import type { Auth } from './auth/authenticate.ts';
import { type Audience, createAudience, send } from './websocket/client.ts';
import { createConnections, sayGoodbye } from './websocket/connections.ts';
import { createEventFeed } from './websocket/event-feed.ts';
import { createGate } from './websocket/gate.ts';
import { createInventoryFeed } from './websocket/inventory-feed.ts';
import { identify, isWebsocketPath, refuse } from './websocket/handshake.ts';
import { controlGroup, sayToSession } from './websocket/control.ts';
import { createResume } from './websocket/resume.ts';
import { createScheduleFeed } from './websocket/schedule-feed.ts';
import { createStatusFeed } from './websocket/status-feed.ts';
import { sightOf } from './websocket/witnesses.ts';

interface WebsocketDeps {
  auth: Auth;
  bus: Bus;
  db: Knex;
  log: Log;
  settings: Settings;
  kinds: RunKinds;
  catalog: Pick<Catalog, 'find' | 'models'>;
  /** groups of plugins */
  groups?: readonly WebsocketGroup[];
  /** How often connections are pinged and their rights looked at again; the default is 30 s. */
  checkEveryMs?: number;
}

const serverOptions = { noServer: true, maxPayload: 262_144, perMessageDeflate: false, clientTracking: false };
const mostConnections = 5000;

/** `/websocket/`: live status and events. Any node serves any client, since what to send arrives over the bus. */
export function createWebsocket(deps: WebsocketDeps) {
  const { auth, bus, db, log, settings, kinds, catalog, groups = [], checkEveryMs = 30_000 } = deps;
  const server = new WebSocketServer(serverOptions);
  const audience = createAudience();
  const { canSee, canWitness } = sightOf(catalog);
  const gate = createGate({ canSee, kinds, groups, db, log });
  const resume = createResume({ db, kinds, canSee: canWitness });
  const connections = createConnections({ auth, settings, audience, gate, resume, log });
  const rate = () => Number(settings.get('MAX_WEBSOCKET_EVENT_RATE'));
  const events = createEventFeed({ db, kinds, log, audience, canSee: canWitness, rate });
  const statuses = createStatusFeed({ db, kinds, log, audience, canSee: canWitness });
  const inventories = createInventoryFeed({ log, audience, canSee: canWitness });
  const schedules = createScheduleFeed({ log, audience, canSee: canWitness });
  const unsubscribe = listen(bus, { events, statuses, inventories, schedules, audience, log });
  const timer = setInterval(() => audience.clients.forEach(connections.check), checkEveryMs).unref();
  let stopped = false;

  async function upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      if (!isWebsocketPath(req.url)) throw notFound();
      if (stopped || audience.clients.size >= mostConnections)
        throw new ApiError(503, 'No further connections are accepted now.');
      const actor = await identify({ auth, settings }, req);
      if (socket.destroyed || stopped) return void socket.destroy();
      assertRoom(audience, actor, settings.get('WEBSOCKETS_PER_USER'));
      server.handleUpgrade(req, socket, head, (ws) => connections.welcome(ws, req, actor));
    } catch (error) {
      if (!(error instanceof ApiError)) log.error({ err: error }, 'a WebSocket could not be opened');
      refuse(socket, error);
    }
  }

  return {
    attach(http: Server): void {
      http.on('upgrade', (req, socket, head) => void upgrade(req, socket, head));
    },
    /** Says goodbye to every client and takes no further ones. */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      unsubscribe.forEach((off) => off());
      await sayGoodbye(audience);
    },
  };
}

interface Feeds extends Pick<WebsocketDeps, 'log'> {
  events: ReturnType<typeof createEventFeed>;
  statuses: ReturnType<typeof createStatusFeed>;
  inventories: ReturnType<typeof createInventoryFeed>;
  schedules: ReturnType<typeof createScheduleFeed>;
  audience: Audience;
}

function listen(bus: Bus, { events, statuses, inventories, schedules, audience, log }: Feeds): (() => void)[] {
  const catchUp = () =>
    Promise.all([events.catchUp(), statuses.catchUp()]).catch((err) =>
      log.warn({ err }, 'missed messages could not be read'),
    );
  return [
    bus.on('events', (notice) => forRequest(() => events.notice(notice))),
    bus.on('status', (notice) => forRequest(() => statuses.notice(notice))),
    bus.on('inventory', (notice) => forRequest(() => inventories.notice(notice))),
    bus.on('schedules', (notice) => forRequest(async () => schedules.notice(notice))),
    bus.on('plugin', (notice) => passOn(audience, notice)),
    bus.on('reconnected', () => void forRequest(catchUp)),
  ];
}

function assertRoom({ clients }: Audience, { id }: Actor, most: number): void {
  if (most === 0) return;
  const own = clients.values().reduce((count, { actor }) => count + Number(actor.id === id), 0);
  if (own >= most)
    throw new ApiError(429, `You have ${own} WebSockets open, and WEBSOCKETS_PER_USER allows no more.`, {
      'Retry-After': '10',
    });
}

function passOn(audience: Audience, { group, item, message }: BusMessages['plugin']): void {
  if (group === controlGroup) return sayToSession(audience, item, message);
  const text = JSON.stringify({ ...message, group_name: group });
  for (const client of audience.listeners(`${group}-${item}`) ?? []) send(client, text);
}

export type Websocket = ReturnType<typeof createWebsocket>;
