import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../observe/log.ts';
import type { Config } from '../config/config.ts';
import { makeDataDir } from '../config/data-dir.ts';
import { isDatabaseAway } from './database-errors.ts';
import { connectionSettings } from './connection.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

export interface OpenDatabase {
  databaseUrl: string;
  /** null when DATABASE_URL names a server that is not ours */
  server: PostgresServer | null;
}

const oldestVersion = 150_000;

/**
 * Opens the database now, for whoever asks first: the embedded server starts while the rest of the service is still
 * being loaded. Who asks again gets it opened anew.
 */
export class EarlyDatabase {
  readonly #needs: Opening;
  readonly #closed = new AbortController();
  #early: Promise<OpenDatabase> | undefined;

  constructor(needs: Opening) {
    this.#needs = needs;
    const signal = AbortSignal.any([this.#closed.signal, ...(needs.signal ? [needs.signal] : [])]);
    this.#early = openDatabase({ ...needs, signal });
    // told to whoever asks
    this.#early.catch(() => undefined);
  }

  /** aborted when nobody wants the start to go on */
  get signal(): AbortSignal | undefined {
    return this.#needs.signal;
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

/** The configured server could not be reached for as long as it was waited for. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}

const defaultWaitMs = 60_000;
/** Two of them are over within the 5 s in which somebody is to be told. */
const attemptMs = 2000;

interface Opening {
  config: Pick<Config, 'databaseUrl' | 'dataDir'>;
  log: Log;
  /** for a server that does not answer yet */
  waitMs?: number;
  /** ends the waiting */
  signal?: AbortSignal;
  /** told once, in a sentence for a person, that it is waited for */
  onWait?: (text: string) => void;
}

/**
 * The configured server, or the embedded one, started. Waits a while for a server that is still starting itself.
 * @throws UnreachableError, or the signal's reason
 */
export async function openDatabase({ config, log, ...waiting }: Opening): Promise<OpenDatabase> {
  if (!config.databaseUrl) {
    makeDataDir(config.dataDir);
    const server = await startPostgres({ dataDir: config.dataDir, log });
    return { databaseUrl: server.url, server };
  }
  await waitForServer(config.databaseUrl, waiting);
  return { databaseUrl: config.databaseUrl, server: null };
}

async function waitForServer(
  databaseUrl: string,
  { waitMs = defaultWaitMs, signal, onWait }: Pick<Opening, 'waitMs' | 'signal' | 'onWait'>,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  const seconds = Math.round(waitMs / 1000);
  let told = false;
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await askVersion(databaseUrl, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isDatabaseAway(error)) throw error;
      const what = `Postgres at ${addressOf(databaseUrl)}`;
      const reason = reasonOf(error);
      if (performance.now() > deadline)
        throw new UnreachableError(
          `${what} was not reached within ${seconds} s: ${reason}. Start it, or correct DATABASE_URL.`,
          { cause: error },
        );
      // a first timeout may be our own: the service is being loaded meanwhile
      if (!told && (attempt > 0 || !reason.startsWith('timeout'))) {
        told = true;
        onWait?.(`${what} is not reached yet: ${reason}. Start it, or correct DATABASE_URL; waiting ${seconds} s.`);
      }
    }
    await delay(500, undefined, { signal });
  }
}

async function askVersion(databaseUrl: string, signal: AbortSignal | undefined): Promise<void> {
  const client = new pg.Client({
    ...connectionSettings(databaseUrl, 'boot'),
    connectionTimeoutMillis: attemptMs,
    query_timeout: 5000,
  });
  client.on('error', () => undefined);
  // a server that does not answer is not waited for either
  const giveUp = () =>
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect();
    const { rows } = await client.query(`select current_setting('server_version_num')::int as version`);
    if (rows[0].version < oldestVersion)
      throw new Error(`the server is Postgres ${Math.floor(rows[0].version / 10_000)}, 15 or newer is needed`);
  } finally {
    signal?.removeEventListener('abort', giveUp);
    client.end().catch(() => undefined);
  }
}

/** Without user and password. */
function addressOf(databaseUrl: string): string {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  return host.startsWith('/') ? host : `${host}:${port}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
