import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Log } from '../observe/log.ts';
import { outsideSections } from '../observe/section.ts';
import { guardAnswers } from './answers.ts';
import { connectionSettings, connectTimeoutMs } from './connection.ts';
import { sharePool } from './pool-shares.ts';

/** Ids and counts are bigint in Postgres and integers in the API; they stay far below 2^53. */
const bigint = 20;
const timestamptz = 1184;
pg.types.setTypeParser(bigint, Number);
const bigints: number = 1016;
const textsOf: (text: string) => string[] = pg.types.getTypeParser(bigints);
pg.types.setTypeParser(bigints, (text) => textsOf(text).map(Number));

const statementTimeoutMs = 30_000;

/** `2026-01-02 03:04:05.12+00` → `2026-01-02T03:04:05.120000Z`: a Date would lose the microseconds. */
export function toIso(text: string): string {
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text);
  if (!parts) return text;
  return `${parts[1]}T${parts[2]}${parts[3] ? `.${parts[3].padEnd(6, '0')}` : ''}Z`;
}

const isoTypes = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === timestamptz && format !== 'binary' ? toIso : pg.types.getTypeParser(id, format),
};

const limits = {
  statement_timeout: statementTimeoutMs,
  // the server enforces the limit; this one is for a server that fell silent
  query_timeout: statementTimeoutMs + 2000,
  idle_in_transaction_session_timeout: 60_000,
};

/**
 * For the queue, COPY and long work: no statement limit, timestamps as Date, as libraries expect.
 * An idle client's error must have a listener or it ends the process.
 */
export function createPool({
  config,
  log,
  max = 10,
}: {
  config: { databaseUrl: string };
  log: Log;
  max?: number;
}): pg.Pool {
  const pool = new pg.Pool({ ...connectionSettings(config.databaseUrl, 'pool'), max, idleTimeoutMillis: 30_000 });
  const onError = (err: Error) => log.warn({ err }, 'database connection lost');
  pool.on('error', onError);
  pool.on('connect', (client) => {
    client.on('error', onError);
    guardAnswers(client);
  });
  return pool;
}

interface DbOptions {
  config: { databaseUrl: string };
  log: Log;
  max?: number;
  /** bytes that a statement of a request may answer, where it does not say more itself */
  mostForRequests?: () => number;
}

/** Everything else: timestamps arrive as ISO texts with microseconds, as the API shows them. */
export function createDb({ config, log, max = 20, mostForRequests }: DbOptions): Knex {
  const db = knex({
    client: 'pg',
    log: libraryLog(log),
    connection: {
      ...connectionSettings(config.databaseUrl, 'api'),
      ...limits,
      types: isoTypes,
    } as Knex.PgConnectionConfig,
    // with it, values would be written into error messages and so into logs
    compileSqlOnError: false,
    acquireConnectionTimeout: connectTimeoutMs,
    pool: {
      min: 0,
      max,
      // tarn would keep trying until the acquire limit and then hide the reason behind its own timeout
      propagateCreateError: true,
      afterCreate: (client: pg.Client, done: (error: Error | null, client: pg.Client) => void) => {
        client.on('error', (err: Error) => log.warn({ err }, 'database connection lost'));
        guardAnswers(client);
        done(null, client);
      },
    } as Knex.PoolConfig,
  });
  // a connection outlives whoever made it necessary: it must not stand in the name of a plugin
  const connect = db.client.acquireRawConnection.bind(db.client);
  db.client.acquireRawConnection = () => outsideSections(connect);
  sharePool(db, { max, mostForRequests });
  return db;
}

/** What the library says goes along with errors that are thrown, and handled, as well. */
function libraryLog(log: Log): Knex.Logger {
  const say = (message: unknown) =>
    log.debug({ message: message instanceof Error ? message.message : String(message) }, 'knex');
  return {
    debug: say,
    warn: say,
    error: say,
    deprecate: (method, alternative) => say(`${method} is deprecated: ${alternative}`),
  };
}
