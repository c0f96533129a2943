import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { ensureManagedTypes } from '../../core/credentials/managed-types.ts';
import { createActivity } from '../../core/engine/activity.ts';
import { compileResources } from '../../core/engine/compile.ts';
import { createAuth } from '../../core/http/auth/authenticate.ts';
import { hashPassword } from '../../core/http/auth/password.ts';
import { createHttp } from '../../core/http/server.ts';
import { createMetrics } from '../../core/observe/metrics.ts';
import { coreResources, coreRoutes } from '../../core/resources/index.ts';
import { createKeyRing, type KeyRing } from '../../core/secrets/key-ring.ts';
import { createSettings } from '../../core/settings/settings.ts';
import { type Answer, ask, basic } from './client.ts';
import { createTestDatabase } from './database.ts';

export { type Answer, basic };

export interface Client {
  (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Api {
  url: string;
  db: Knex;
  keyRing: KeyRing;
  dataDir: string;
  /** everything logged so far */
  logged(): string;
  /** the superuser `admin` */
  admin: Client;
  /** a client with its own Authorization header; none without */
  as(authorization?: string): Client;
  stop(): Promise<void>;
}

export const adminPassword = 'admin pass:wörd ';

function recordingLog() {
  let text = '';
  const stream = new Writable({
    write: (chunk, _, done) => {
      text += chunk;
      done();
    },
  });
  return { log: pino({ level: 'trace' }, stream), logged: () => text };
}

/** The API as it is served, on a database of its own, without dispatcher and runner. */
export async function startApi(
  settingTexts: Record<string, string> = {},
  more: Record<string, unknown> = {},
): Promise<Api> {
  const { db, drop, url: databaseUrl } = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'tapline-api-'));
  const config = {
    version: '0.0.0',
    nodeName: 'test',
    dataDir,
    databaseUrl,
    secretKey: '',
    settings: settingTexts,
    roles: ['web'],
    root: dataDir,
  } as any;
  const { log, logged } = recordingLog();
  const settings = createSettings({ config });
  const keyRing = createKeyRing({ config });
  await ensureManagedTypes(db);
  await db('users').insert({ username: 'admin', password: await hashPassword(adminPassword), is_superuser: true });
  const metrics = createMetrics();
  const services = { db, config, settings, keyRing, log, metrics, ...more } as any;
  const resources = coreResources(services);
  const engineApi = await compileResources({
    db,
    log,
    resources,
    routes: coreRoutes(services, resources),
    activity: createActivity({ settings, node: 'test' }),
    doors: services.doors,
  });
  const http = createHttp({
    config,
    log,
    metrics,
    auth: createAuth({ db, settings }),
    engineApi,
    settings,
  });
  const url = `http://127.0.0.1:${await http.listen(0)}`;
  const as =
    (authorization?: string): Client =>
    (method, path, body, headers) =>
      ask({ url, services: { engineApi } }, { method, path, authorization, body, headers });
  return {
    url,
    db,
    keyRing,
    dataDir,
    logged,
    as,
    admin: as(basic('admin', adminPassword)),
    async stop() {
      await http.close(0);
      await drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
