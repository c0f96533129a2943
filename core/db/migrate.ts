import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { connectionSettings } from './connection.ts';

const named = /^\d{4}_\w+\.(ts|js)$/;
const migrationFiles = (folder: string) => readdirSync(folder).filter((file) => named.test(file));

/** Files that nothing would ever run, though they look as if it would: no types, no source maps, nothing hidden. */
export const misnamedMigrations = (folder: string): string[] =>
  readdirSync(folder).filter(
    (file) => /^(?!\.).*\.([cm]?[tj]s|sql)$/.test(file) && !/\.d\.[cm]?ts$/.test(file) && !named.test(file),
  );

const nameOf = (file: string) => file.replace(/\.(ts|js)$/, '');

/** Names without extension, so that a build to JavaScript would not lose sight of what was applied. */
export function migrationSource(folder: string): Knex.MigrationSource<string> {
  return {
    getMigrations: async () => [...new Set(migrationFiles(folder).map(nameOf))].toSorted(),
    getMigrationName: (name) => name,
    getMigration: async (name) => {
      // a built package may hold both: Node strips no types below node_modules
      const file = migrationFiles(folder)
        .toSorted()
        .find((entry) => nameOf(entry) === name);
      return import(pathToFileURL(join(folder, file ?? name)).href);
    },
  };
}

/** Any number of nodes may start at once: one migrates, the others wait for it. */
const lockKey = 7_236_001;
const lockWaitMs = 120_000;

/** Runs `work` while no other node migrates; `lock` is the connection that holds the lock. */
export async function underMigrationLock<T>(databaseUrl: string, work: (lock: pg.Client) => Promise<T>): Promise<T> {
  const lock = new pg.Client({ ...connectionSettings(databaseUrl, 'migrate'), lock_timeout: lockWaitMs });
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [lockKey]);
    return await work(lock);
  } finally {
    await lock.end();
  }
}

/** Brings the schema up to date; resolves to the names applied now. */
export function migrate({ databaseUrl, folder }: { databaseUrl: string; folder: string }): Promise<string[]> {
  return underMigrationLock(databaseUrl, async (lock) => {
    if (!(await pendingMigrations(lock, folder)).length) return [];
    // what goes wrong is thrown; the library would print it as well
    const silent = { debug() {}, warn() {}, error() {}, deprecate() {} };
    const db = knex({
      client: 'pg',
      log: silent,
      connection: connectionSettings(databaseUrl, 'migrate') as Knex.PgConnectionConfig,
      pool: { min: 0, max: 2 },
    });
    const options = { migrationSource: migrationSource(folder), tableName: 'tapline_migrations' };
    try {
      // knex's own lock row stays behind when a migrating process dies; ours went with its connection
      await db.migrate.forceFreeMigrationsLock(options);
      const [, applied] = await db.migrate.latest(options);
      return applied;
    } finally {
      await db.destroy();
    }
  });
}

/** @throws when the database holds migrations that this version does not know: it was used by a newer one */
export async function pendingMigrations(client: { query: pg.Client['query'] }, folder: string): Promise<string[]> {
  const known = (await migrationSource(folder).getMigrations([])) as string[];
  const table = await client.query(`select to_regclass('tapline_migrations') is not null as there`);
  if (!table.rows[0].there) return known;
  const { rows } = await client.query('select name from tapline_migrations');
  const applied = new Set(rows.map((row) => row.name as string));
  const foreign = [...applied].filter((name) => !known.includes(name));
  if (foreign.length) {
    throw new Error(
      `The database was migrated by a newer version (it has ${foreign.join(', ')}). Start that version, or restore a backup from before.`,
    );
  }
  return known.filter((name) => !applied.has(name));
}
