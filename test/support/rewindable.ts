import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asValue } from 'awilix';
import type { Knex } from 'knex';
import { boot } from '../../core/app/boot.ts';
import { loadConfig } from '../../core/app/config.ts';
import { buildContainer, type Services } from '../../core/app/container.ts';
import { createActivity } from '../../core/engine/activity.ts';
import { compileResources } from '../../core/engine/compile.ts';
import { tokenHash } from '../../core/http/auth/token.ts';
import { coreResources, coreRoutes } from '../../core/resources/index.ts';
import { followStored } from '../../core/settings/store.ts';
import { createTestDatabase } from './database.ts';

export interface Answer {
  status: number;
  headers: Headers;
  /** parsed when it is JSON, else the text */
  body: any;
}

export interface Question {
  method: string;
  path: string;
  /** a token; anonymous without */
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export type Ask = (question: Question) => Promise<Answer>;

export interface Rewindable {
  url: string;
  services: Services;
  /** outside of every transaction */
  db: Knex;
  ask: Ask;
  /**
   * What `work` asks and writes happens in one transaction that is taken back afterwards: requests on `ask`, rows on `trx`.
   * Constraints that wait for the commit are checked before.
   */
  undone<T>(work: (ask: Ask, trx: Knex) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

const header = 'x-test-transaction';

/** The whole API as it is served, wired by the container, on a database of its own; only workers are missing. */
export async function startRewindable(env: Record<string, string> = {}): Promise<Rewindable> {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'tapline-rewind-'));
  const config = loadConfig({
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    TAPLINE_DATA: dataDir,
    TAPLINE_ROLES: 'web',
    TAPLINE_LOGIN_ATTEMPTS_PER_MINUTE: '0',
    ADMIN_PASSWORD: 'test-admin-password',
    ...env,
  });
  // what a first start leaves behind: the administrator, managed types, the queue's tables
  await (await boot({ ...config, port: 0 })).stop();

  const open = new Map<string, Knex.Transaction>();
  const current = new AsyncLocalStorage<Knex>();
  const { db } = database;
  const container = buildContainer(config);
  container.register({ db: asValue(switching(db, current)) });
  const { cradle } = container;
  await cradle.bus.start();
  const unfollow = await followStored(cradle);
  const resources = coreResources(cradle);
  const engineApi = await compileResources({
    db: cradle.db,
    log: cradle.log,
    resources,
    routes: coreRoutes(cradle, resources),
    doors: cradle.doors,
    activity: createActivity({ settings: cradle.settings, node: cradle.config.nodeName }),
  });
  container.register({ engineApi: asValue(engineApi), checks: asValue({}) });
  const { http } = cradle;
  runInside(http.server, (request) => open.get(String(request.headers[header])), current);
  const url = `http://127.0.0.1:${await http.listen(0)}`;

  return {
    url,
    services: cradle,
    db,
    ask: asking(url, {}),
    async undone(work) {
      const trx = await db.transaction();
      const name = randomUUID();
      open.set(name, trx);
      try {
        const result = await work(asking(url, { [header]: name }), trx);
        await trx.raw('set constraints all immediate');
        return result;
      } finally {
        open.delete(name);
        await trx.rollback();
      }
    },
    async stop() {
      unfollow();
      await http.close(0);
      await cradle.bus.stop();
      await cradle.pool.end();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The connection as everybody holds it, which inside a request that is to be undone is that one's transaction. */
function switching(db: Knex, current: AsyncLocalStorage<Knex>): Knex {
  const target = () => current.getStore() ?? db;
  return new Proxy(db, {
    apply: (_db, _this, parts) => (target() as any)(...parts),
    get(_db, name) {
      const value = (target() as any)[name];
      return typeof value === 'function' ? value.bind(target()) : value;
    },
  });
}

type Server = Services['http']['server'];

function runInside(
  server: Server,
  transactionOf: (request: IncomingMessage) => Knex | undefined,
  current: AsyncLocalStorage<Knex>,
): void {
  const [serve] = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request').on('request', (request: IncomingMessage, response: ServerResponse) => {
    const trx = transactionOf(request);
    if (trx) current.run(trx, () => serve!(request, response));
    else serve!(request, response);
  });
}

const asking =
  (url: string, more: Record<string, string>): Ask =>
  async ({ method, path, token, body, headers = {} }) => {
    const raw = typeof body === 'string';
    const reply = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...more,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : raw ? (body as string) : JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await reply.text();
    const json = reply.headers.get('content-type')?.includes('json') && text !== '';
    return { status: reply.status, headers: reply.headers, body: json ? JSON.parse(text) : text };
  };

/** A token for the user, as good as one handed out; used a moment ago, so that using it writes nothing. */
export async function tokenFor(db: Knex, user: { id: number }, scope = 'write'): Promise<string> {
  const token = `svc_${randomUUID()}`;
  await db('tokens').insert({
    user_id: user.id,
    token_hash: tokenHash(token),
    scope,
    expires: '2100-01-01',
    last_used: db.raw(`now() + interval '1 hour'`),
  });
  return token;
}
