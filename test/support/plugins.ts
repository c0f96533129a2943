import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin, type Plugin, type PluginApi } from '@tapline/plugin-sdk';
import { boot, type BootOptions } from '../../core/app/boot.ts';
import { loadConfig } from '../../core/app/config.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { adminPassword, createRequest, type TestService } from './service.ts';

export interface BootWith {
  plugins?: BootOptions['plugins'];
  /** as an operator would set it; no plugin is on unless TAPLINE_PLUGINS says so */
  env?: Record<string, string>;
  /** one that exists already, and stays */
  database?: TestDatabase;
  dataDir?: string;
}

/** The real core with these plugins, on a cloned database of its own unless one is given. */
export async function bootWith({ plugins = [], env = {}, ...given }: BootWith = {}): Promise<TestService> {
  const database = given.database ?? (await createTestDatabase());
  const dataDir = given.dataDir ?? mkdtempSync(join(tmpdir(), 'tapline-plugins-'));
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
    TAPLINE_PLUGINS: '',
    ADMIN_PASSWORD: adminPassword,
    ENGINE_COMMAND: process.env.ENGINE_COMMAND ?? '',
    ...env,
  });
  const running = await boot(config, { plugins }).catch(async (error: unknown) => {
    await clean();
    throw error;
  });
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
      await clean();
    },
  };
}

/** A plugin that does what the test says; the rest of its manifest is in order. */
export const testPlugin = (
  id: string,
  register: (api: PluginApi) => void = () => undefined,
  more: Partial<Plugin> = {},
): Plugin => definePlugin({ id, title: id, version: '1.0.0', sdk: '^1.0.0', register, ...more });
