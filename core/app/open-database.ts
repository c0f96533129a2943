import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../observe/log.ts';
import type { Config } from './config.ts';
import { isDatabaseAway } from './database-errors.ts';
import { connectionSettings } from './connection.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

export interface OpenDatabase {
  databaseUrl: string;
  /** null when DATABASE_URL names a server that is not ours */
  server: PostgresServer | null;
}

const oldestVersion = 150_000;

type Needs = Parameters<typeof openDatabase>[0];

/**
 * Opens the database now, for whoever asks first: the embedded server starts while the rest of the service is still
 * being loaded. Who asks again gets it opened anew.
 */
export class EarlyDatabase {
  readonly #needs: Needs;
  readonly #closed = new AbortController();
  #early: Promise<OpenDatabase> | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#early = openDatabase({ ...needs, signal: this.#closed.signal });
    // told to whoever asks
    this.#early.catch(() => undefined);
  }

  open(): Promise<OpenDatabase> {
    const early = this.#early;
    this.#early = undefined;
    return early ?? openDatabase(this.#needs);
  }

  /** Nobody is going to ask any more. */
  async close(): Promise<void> {
    const early = this.#early;
    this.#early = undefined;
    this.#closed.abort();
    try {
      await (await early)?.server?.release();
    } catch (err) {
      // whoever closes it has a reason of its own to tell
      this.#needs.log.debug({ err }, 'a database that nobody asked for could not be opened, or not be closed');
    }
  }
}

/** The configured server, or the embedded one, started. Waits a while for a server that is still starting itself. */
export async function openDatabase({
  config,
  log,
  waitMs = 60_000,
  signal,
}: {
  config: Pick<Config, 'databaseUrl' | 'dataDir'>;
  log: Log;
  waitMs?: number;
  /** ends the waiting */
  signal?: AbortSignal;
}): Promise<OpenDatabase> {
  if (!config.databaseUrl) {
    const server = await startPostgres({ dataDir: config.dataDir, log });
    return { databaseUrl: server.url, server };
  }
  await waitForServer(config.databaseUrl, log, waitMs, signal);
  return { databaseUrl: config.databaseUrl, server: null };
}

async function waitForServer(databaseUrl: string, log: Log, waitMs: number, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let told = false; ; told = true) {
    const client = new pg.Client({ ...connectionSettings(databaseUrl, 'boot'), query_timeout: 5000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query(`select current_setting('server_version_num')::int as version`);
      if (rows[0].version < oldestVersion)
        throw new Error(`the server is Postgres ${Math.floor(rows[0].version / 10_000)}, 15 or newer is needed`);
      return;
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > deadline) throw error;
      if (!told) log.warn({ err: error }, 'database not reached yet; trying again');
    } finally {
      client.end().catch(() => undefined);
    }
    await delay(500, undefined, { signal });
  }
}
