import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashPassword } from '../accounts/password.ts';
import { boot, type BootOptions, type Running } from '../app/boot.ts';
import { loadConfig } from '../config/config.ts';
import type { Executor } from '../runner/executor.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { atExit, serverOfProcess } from './server.ts';
import { removeFolder } from './remove-folder.ts';

export const adminPassword = 'test-admin-password';

export interface Given {
  /** besides those that TAPLINE_PLUGINS names */
  plugins?: BootOptions['plugins'];
  /** one that exists already, and stays */
  database?: TestDatabase;
  dataDir?: string;
}

export interface ThrowAway {
  running: Running;
  database: TestDatabase;
  dataDir: string;
  /** Leaves nothing behind of what was made for it. */
  stop(): Promise<void>;
}

/** The whole service in this process: its own database, data folder and port. `env` as an operator would set it. */
export async function startThrowAway(env: Record<string, string>, given: Given): Promise<ThrowAway> {
  const dataDir = given.dataDir ?? mkdtempSync(join(tmpdir(), 'tapline-service-'));
  // those who run playbooks have to get through
  chmodSync(dataDir, 0o711);
  const forget = given.dataDir ? () => undefined : atExit(() => removeFolder(dataDir));
  if (!given.dataDir) recallEngine(dataDir);
  const config = loadConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    TAPLINE_DATA: dataDir,
    ADMIN_PASSWORD: adminPassword,
    // tests name images that are nowhere
    CONTAINER_COMMAND: '',
    ...env,
  });
  const plugins = config.plugins.map(({ name }) => name);
  const database = given.database ?? (await cloneDatabase(await serverOfProcess(), plugins));
  if (!given.database && config.adminPassword === adminPassword) await makeAdmin(database.db);
  const clean = async () => {
    if (!given.database) await database.drop();
    if (!given.dataDir) removeFolder(dataDir);
    forget();
  };
  try {
    const running = await boot({ ...config, databaseUrl: database.url }, { plugins: given.plugins ?? [] });
    return {
      running,
      database,
      dataDir,
      async stop() {
        const { executor } = running.services;
        await running.stop();
        noteEngine(dataDir);
        if (!given.dataDir) await endRuns(executor);
        await clean();
      },
    };
  } catch (error) {
    await clean();
    throw error;
  }
}

let hashed: Promise<string> | undefined;

/** As a first start does, but for the cost of the hash: that of real ones is paid by each start and each first login, some 80 ms. */
async function makeAdmin(db: TestDatabase['db']): Promise<void> {
  const password = await (hashed ??= hashPassword(adminPassword, { memory: 8, passes: 1, parallelism: 1 }));
  await db('users').insert({ username: 'admin', password, is_superuser: true, initial_password: false });
}

/** What services of this process were told of the engine, as they keep it: asking it costs each more than all the rest of its start. */
let engine: Buffer | undefined;
const engineFile = (dataDir: string) => join(dataDir, 'cache', 'engine.json');

function noteEngine(dataDir: string): void {
  if (existsSync(engineFile(dataDir))) engine = readFileSync(engineFile(dataDir));
}

/** It names the engine that it is of: a service with another one asks that one. */
function recallEngine(dataDir: string): void {
  if (!engine) return;
  mkdirSync(join(dataDir, 'cache'), { mode: 0o700 });
  writeFileSync(engineFile(dataDir), engine, { mode: 0o600 });
}

/** Runs go on without the service; here they would write to folders that are being removed. */
async function endRuns(executor: Executor): Promise<void> {
  for (const run of await executor.held()) {
    const handle = await executor.recover(run);
    if (handle) await executor.cleanup(handle);
  }
}
