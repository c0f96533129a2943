import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot, type BootOptions } from '../../core/app/boot.ts';
import { loadConfig } from '../../core/app/config.ts';
import type { Services } from '../../core/app/container.ts';
import { type Answer, ask, basic, type Service } from './client.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface RequestOptions {
  body?: unknown;
  /** `user:password`, a token, or null for none; the administrator unless given */
  auth?: string | null;
  headers?: Record<string, string>;
}

export interface TestService {
  url: string;
  dataDir: string;
  services: Services;
  database: TestDatabase;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export const adminPassword = 'test-admin-password';

export interface Given {
  /** besides those that TAPLINE_PLUGINS names */
  plugins?: BootOptions['plugins'];
  /** one that exists already, and stays */
  database?: TestDatabase;
  dataDir?: string;
}

/** The whole service in this process: its own database, data folder and port. `env` as an operator would set it. */
export async function startService(env: Record<string, string> = {}, given: Given = {}): Promise<TestService> {
  const database = given.database ?? (await createTestDatabase());
  const dataDir = given.dataDir ?? mkdtempSync(join(tmpdir(), 'tapline-service-'));
  chmodSync(dataDir, 0o711);
  const clean = async () => {
    if (!given.database) await database.drop();
    if (!given.dataDir) await rm(dataDir, { recursive: true, force: true });
  };
  const config = loadConfig({
    PORT: '0',
    LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    DATABASE_URL: database.url,
    TAPLINE_DATA: dataDir,
    ADMIN_PASSWORD: adminPassword,
    ENGINE_COMMAND: process.env.ENGINE_COMMAND ?? '',
    ...env,
  });
  const running = await boot(config, { plugins: given.plugins ?? [] }).catch(async (error: unknown) => {
    await clean();
    throw error;
  });
  const request = createRequest(running);
  return {
    url: running.url,
    dataDir,
    services: running.services,
    database,
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, body = {}, options = {}) => request('POST', path, { body, ...options }),
    async stop() {
      await running.stop();
      await clean();
    },
  };
}

/** Paths without a leading slash are below /api/v2/. */
export const createRequest =
  (service: Service): TestService['request'] =>
  (method, path, { body, auth = `admin:${adminPassword}`, headers } = {}) =>
    ask(service, {
      method,
      path: path.startsWith('/') ? path : `/api/v2/${path}`,
      authorization: auth === null ? undefined : authorization(auth),
      body,
      headers,
    });

const authorization = (auth: string) => {
  const [username, ...password] = auth.split(':');
  return password.length ? basic(username!, password.join(':')) : `Bearer ${auth}`;
};
