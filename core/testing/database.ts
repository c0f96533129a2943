import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runMigrations } from 'graphile-worker';
import type { Knex } from 'knex';
import pg from 'pg';
import { pino } from 'pino';
import { root } from '../config/config.ts';
import { createDb, createPool } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { migratePlugins } from '../plugins/data/migrate.ts';
import { QUEUE_SCHEMA } from '../queue/tasks.ts';

export interface TestDatabase {
  url: string;
  db: Knex;
  pool: pg.Pool;
  /** Ends every connection and drops the database. */
  drop(): Promise<void>;
}

const folder = join(root, 'migrations');
/** names the queue's version */
const versions = join(root, 'core', 'package.json');
const lockKey = 7_236_002;
const log = pino({ level: process.env.TEST_LOG ?? 'silent' });

/**
 * A fresh database on the server, cloned from a template in some milliseconds. It is migrated for the bundled plugins that
 * are named, too, as if a service with them had been started before: that takes as long as all else of a start.
 */
export async function cloneDatabase(server: string, plugins: readonly string[] = []): Promise<TestDatabase> {
  const template = await ensureTemplate(server, plugins);
  // copying files costs a third of writing every page to the log, which nobody replays
  const { url, drop } = await makeDatabase(server, `template ${template} strategy file_copy`);
  const db = createDb({ config: { databaseUrl: url }, log });
  const pool = createPool({ config: { databaseUrl: url }, log });
  return {
    url,
    db,
    pool,
    async drop() {
      await db.destroy();
      if (!pool.ended) await pool.end();
      await drop();
    },
  };
}

/** A database without any table. */
export async function makeDatabase(server: string, like = ''): Promise<Pick<TestDatabase, 'url' | 'drop'>> {
  const name = `tapline_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await withClient(server, (client) => client.query(`create database ${name} ${like}`));
  return {
    url: databaseUrl(server, name),
    drop: () =>
      withClient(server, async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  };
}

/** With the queue's tables, too, which every start would make otherwise. Named after what makes it, so that a changed migration never meets an old template. */
async function ensureTemplate(server: string, plugins: readonly string[]): Promise<string> {
  const withData = plugins.filter((id) => existsSync(dataOf(id))).toSorted();
  if (!withData.length)
    return makeTemplate(server, [folder], '', async (databaseUrl) => {
      await migrate({ databaseUrl, folder });
      await runMigrations({ connectionString: databaseUrl, schema: QUEUE_SCHEMA });
    });
  const base = await ensureTemplate(server, []);
  return makeTemplate(server, [folder, ...withData.map(dataOf)], `template ${base}`, async (databaseUrl) => {
    const migrations = withData.map((id) => ({ id, version: '', migrations: pathToFileURL(dataOf(id)) }));
    await migratePlugins({ databaseUrl, plugins: migrations, log });
  });
}

const dataOf = (plugin: string) => join(root, 'plugins', plugin, 'migrations');

async function makeTemplate(
  server: string,
  folders: readonly string[],
  like: string,
  fill: (databaseUrl: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  for (const one of folders)
    for (const file of readdirSync(one).toSorted()) hash.update(file).update(readFileSync(join(one, file)));
  hash.update(readFileSync(versions));
  const name = `tapline_template_${hash.digest('hex').slice(0, 12)}`;
  await withClient(server, async (client) => {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rows.length) return;
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft} ${like}`);
    await fill(databaseUrl(server, draft));
    await client.query(`alter database ${draft} rename to ${name}`);
  });
  return name;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The same server, another database; works for socket URLs too, which the URL class refuses. */
function databaseUrl(server: string, name: string): string {
  return server.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`);
}
