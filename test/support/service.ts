import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot } from '../../core/app/boot.ts';
import { loadConfig } from '../../core/app/config.ts';
import type { Services } from '../../core/app/container.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface RequestOptions {
  body?: unknown;
  /** `user:password`, a token, or null for none; the administrator unless given */
  auth?: string | null;
  headers?: Record<string, string>;
}

export interface Response {
  status: number;
  headers: Headers;
  /** parsed when it is JSON */
  body: any;
}

export interface TestService {
  url: string;
  dataDir: string;
  services: Services;
  database: TestDatabase;
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
  get(path: string, options?: RequestOptions): Promise<Response>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Response>;
  stop(): Promise<void>;
}

export const adminPassword = 'test-admin-password';

/** The whole service in this process: its own database, data folder and port. `env` as an operator would set it. */
export async function startService(env: Record<string, string> = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'tapline-service-'));
  chmodSync(dataDir, 0o711);
  const config = loadConfig({
    PORT: '0',
    LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    DATABASE_URL: database.url,
    TAPLINE_DATA: dataDir,
    ADMIN_PASSWORD: adminPassword,
    ENGINE_COMMAND: process.env.ENGINE_COMMAND ?? '',
    ...env,
  });
  const running = await boot(config);
  const request = createRequest(running.url);
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
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Paths without a leading slash are below /api/v2/. */
export function createRequest(url: string): TestService['request'] {
  return async (method, path, { body, auth = `admin:${adminPassword}`, headers = {} } = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const reply = await fetch(path.startsWith('/') ? `${url}${path}` : `${url}/api/v2/${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(auth === null ? {} : { authorization: authorization(auth) }),
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
}

const authorization = (auth: string) =>
  auth.includes(':') ? `Basic ${Buffer.from(auth).toString('base64')}` : `Bearer ${auth}`;
