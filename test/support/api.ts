import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { ensureManagedTypes } from '../../core/credentials/managed-types.ts';
import { ensureManagedDefinitions } from '../../core/rbac/assignments/managed-definitions.ts';
import { createActivity } from '../../core/descriptors/write/activity.ts';
import { type Catalog, compileResources } from '../../core/descriptors/compile.ts';
import { createAuth } from '../../core/http/auth/authenticate.ts';
import { hashPassword } from '../../core/accounts/password.ts';
import { createHttp } from '../../core/http/server.ts';
import { createMetrics } from '../../core/observe/metrics.ts';
import { coreResources, coreRoutes } from '../../core/resources/index.ts';
import { CredentialSources } from '../../core/credentials/sources/registry.ts';
import { createOutbound } from '../../core/outbound/request.ts';
import { createSandbox } from '../../core/sandbox/sandbox.ts';
import { createKeyRing, type KeyRing } from '../../core/secrets/key-ring.ts';
import { withRuns } from './runs.ts';
import { createSettings } from '../../core/settings/settings.ts';
import { type Answer, ask, basic } from './client.ts';
import { createTestDatabase } from './database.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

export { type Answer, basic };

export interface Client {
  (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Api {
  url: string;
  db: Knex;
  keyRing: KeyRing;
  catalog: Catalog;
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
  const sandbox = createSandbox({ log });
  const outbound = createOutbound({ settings, userAgent: 'test' });
  const credentialSources = new CredentialSources();
  await ensureManagedTypes(db, credentialSources.types());
  await ensureManagedDefinitions(db);
  await db('users').insert({ username: 'admin', password: await hashPassword(adminPassword), is_superuser: true });
  const metrics = createMetrics();
  const services = withRuns({
    db,
    config,
    settings,
    keyRing,
    sandbox,
    outbound,
    credentialSources,
    log,
    metrics,
    ...more,
  });
  const resources = coreResources(services);
  const catalog = await compileResources({
    db,
    log,
    resources,
    routes: coreRoutes(services, resources),
    longest: (setting) => settings.get(setting),
    activity: createActivity({ settings, node: 'test' }),
    doors: services.doors,
  });
  services.catalog = catalog;
  const http = createHttp({
    config,
    log,
    metrics,
    auth: createAuth({ db, settings }),
    catalog,
    settings,
  });
  const url = `http://127.0.0.1:${await http.listen(0)}`;
  const as =
    (authorization?: string): Client =>
    (method, path, body, headers) =>
      ask({ url, services: { catalog } }, { method, path, authorization, body, headers });
  return {
    url,
    db,
    keyRing,
    catalog,
    dataDir,
    logged,
    as,
    admin: as(basic('admin', adminPassword)),
    async stop() {
      await http.close(0);
      await sandbox.stop();
      await outbound.close();
      await drop();
      removeFolder(dataDir);
    },
  };
}
