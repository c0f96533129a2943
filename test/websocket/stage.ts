import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Knex } from 'knex';
import { WebSocket } from 'ws';
import { createDb } from '../../core/db/database.ts';
import { compileResources } from '../../core/descriptors/compile.ts';
import { createAuth } from '../../core/http/auth/authenticate.ts';
import { createWebsocket } from '../../core/http/websocket.ts';
import { createBus } from '../../core/queue/pg-bus.ts';
import { createDoors, type Doors } from '../../core/rbac/doors.ts';
import { coreResources } from '../../core/resources/index.ts';
import { createSettings } from '../../core/settings/settings.ts';
import { silentLog } from '../support/log.ts';
import { withRuns } from '../support/runs.ts';
import { until } from '../support/until.ts';

/** A node that serves WebSockets only: its own pool, its own bus, the database shared with others. */
export async function startNode(
  databaseUrl: string,
  settingTexts: Record<string, string> = {},
  checkEveryMs = 30_000,
  doors: Doors = createDoors(),
) {
  const config = { databaseUrl, settings: settingTexts };
  const db = createDb({ config, log: silentLog, max: 4 });
  const bus = createBus({ config, log: silentLog });
  await bus.start();
  const settings = createSettings({ config });
  const services = withRuns({ db, config, settings, doors });
  const catalog = await compileResources({
    db,
    log: silentLog,
    resources: coreResources(services),
    doors,
  });
  const websocket = createWebsocket({
    auth: createAuth({ db, settings }),
    bus,
    db,
    log: silentLog,
    settings,
    kinds: services.kinds,
    catalog,
    checkEveryMs,
  });
  const http = createServer();
  websocket.attach(http);
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  return {
    db,
    bus,
    websocket,
    port: (http.address() as AddressInfo).port,
    async stop() {
      await websocket.stop();
      await bus.stop();
      await db.destroy();
      await new Promise((done) => http.close(done));
    },
  };
}

export type TestNode = Awaited<ReturnType<typeof startNode>>;

/** A client that keeps every message. */
export async function connect(node: TestNode, headers: Record<string, string>, path = '/websocket/') {
  const socket = new WebSocket(`ws://127.0.0.1:${node.port}${path}`, { headers });
  const messages: any[] = [];
  let closed: number | null = null;
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('close', (code) => void (closed = code));
  const refused = await new Promise<number | null>((done, fail) => {
    socket.once('open', () => done(null));
    socket.once('unexpected-response', (_req, res) => {
      done(res.statusCode ?? 0);
      res.resume();
    });
    socket.once('error', fail);
  });
  const send = (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  return {
    socket,
    messages,
    refused,
    send,
    closed: () => closed,
    of: (group: string) => messages.filter((message) => message.group_name === group),
    /** Subscribes and resolves to the answer. */
    async subscribe(groups: unknown, extra: object = {}) {
      const before = messages.length;
      send({ ...extra, groups });
      return until(() =>
        messages
          .slice(before)
          .find((message) => 'groups_current' in message || message.error === 'access denied to channel'),
      );
    },
  };
}

/** Everything sent before this has arrived once this resolves. */
export async function settle(
  db: Knex,
  node: TestNode,
  client: Awaited<ReturnType<typeof connect>>,
  groups: unknown,
): Promise<void> {
  let told = false;
  const off = node.bus.on('dispatch', () => void (told = true));
  await node.bus.notify(db, 'dispatch', {});
  await until(() => told);
  off();
  await client.subscribe(groups);
}
