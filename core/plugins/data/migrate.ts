import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PluginManifest } from '@tapline/plugin-sdk';
import knex, { type Knex } from 'knex';
import type pg from 'pg';
import { connectionSettings } from '../../db/connection.ts';
import { migrationSource, misnamedMigrations, underMigrationLock } from '../../db/migrate.ts';
import type { Log } from '../../observe/log.ts';
import { PluginError } from '../../observe/plugin-error.ts';
import { differences, objectsOutside } from './outside.ts';
import { migrationTable, schemaOf } from './schema-name.ts';

export type MigratedPlugin = Pick<PluginManifest, 'id' | 'version' | 'migrations'> & {
  /** left out instead of aborting the boot */
  optional?: boolean;
};

export interface PluginMigrations {
  /** names applied now, by plugin */
  applied: Record<string, string[]>;
  /** optional plugins whose data could not be brought up to date, and why */
  leftOut: { id: string; error: Error }[];
}

type Client = { query: pg.Client['query'] };

/**
 * Brings the data of plugins up to date, each in a schema of its own, in the order given; any number of nodes may do so
 * at once. A failing plugin leaves nothing behind of what it did now.
 * @throws PluginError naming the plugin, the file and the reason
 */
export async function migratePlugins({
  databaseUrl,
  plugins,
  log,
}: {
  databaseUrl: string;
  plugins: readonly MigratedPlugin[];
  log: Pick<Log, 'info' | 'error'>;
}): Promise<PluginMigrations> {
  const result: PluginMigrations = { applied: {}, leftOut: [] };
  const withData = plugins.filter(({ migrations }) => migrations);
  if (!withData.length) return result;
  await underMigrationLock(databaseUrl, async (lock) => {
    for (const plugin of withData) {
      try {
        const applied = await migrateOne(databaseUrl, lock, plugin);
        if (!applied.length) continue;
        result.applied[plugin.id] = applied;
        log.info({ plugin: plugin.id, applied }, 'data of the plugin migrated');
      } catch (error) {
        if (!plugin.optional) throw error;
        log.error({ plugin: plugin.id, err: error }, 'the optional plugin is left out: its data could not be migrated');
        result.leftOut.push({ id: plugin.id, error: error as Error });
      }
    }
  });
  return result;
}

/** @throws when its folder is missing, or when a newer version of the plugin has changed its data */
export async function pendingPluginMigrations(client: Client, plugin: MigratedPlugin): Promise<string[]> {
  const known = (await migrationSource(folderOf(plugin)).getMigrations([])) as string[];
  const table = `${schemaOf(plugin.id)}.${migrationTable}`;
  const { rows } = await client.query('select to_regclass($1) is not null as there', [table]);
  if (!rows[0].there) return known;
  const done = await client.query(`select name from ${table}`);
  const applied = new Set(done.rows.map((row) => row.name as string));
  const foreign = [...applied].filter((name) => !known.includes(name));
  if (foreign.length)
    throw new PluginError(
      plugin.id,
      `its data was migrated by a newer version of it than ${plugin.version} (${schemaOf(plugin.id)} has ${foreign.join(', ')}): install that version, switch the plugin off, or restore a backup from before`,
    );
  return known.filter((name) => !applied.has(name));
}

function folderOf({ id, migrations }: MigratedPlugin): string {
  const folder = fileURLToPath(migrations!);
  if (!existsSync(folder))
    throw new PluginError(
      id,
      `there is no folder of migrations at ${folder}: correct \`migrations\` in its manifest, or ship the folder with the package`,
    );
  const misnamed = misnamedMigrations(folder);
  if (misnamed.length)
    throw new PluginError(
      id,
      `${misnamed.join(', ')} in ${folder} would never run: name migrations like 0001_words.ts, and keep anything else in another folder`,
    );
  return folder;
}

async function migrateOne(databaseUrl: string, lock: Client, plugin: MigratedPlugin): Promise<string[]> {
  if (!(await pendingPluginMigrations(lock, plugin)).length) return [];
  const schema = schemaOf(plugin.id);
  const { rows } = await lock.query('select to_regnamespace($1) is null as fresh', [schema]);
  await lock.query(`create schema if not exists ${schema}`);
  // what goes wrong is thrown; the library would print it as well
  const silent = { debug() {}, warn() {}, error() {}, deprecate() {} };
  const db = knex({
    client: 'pg',
    log: silent,
    connection: connectionSettings(databaseUrl, `migrate ${plugin.id}`) as Knex.PgConnectionConfig,
    // what it makes lands in its own schema; core's tables are found behind it
    searchPath: [schema, 'public'],
    pool: { min: 0, max: 2 },
  });
  const options = { migrationSource: guarded(plugin), tableName: migrationTable, schemaName: schema };
  try {
    await db.migrate.forceFreeMigrationsLock(options);
    // all that are pending run in one transaction
    const [, applied] = await db.migrate.latest(options);
    return applied;
  } catch (error) {
    if (rows[0].fresh) await lock.query(`drop schema if exists ${schema} cascade`);
    throw error;
  } finally {
    await db.destroy();
  }
}

/** The plugin's migrations, each of which names itself when it fails and is refused when it leaves its schema. */
function guarded(plugin: MigratedPlugin): Knex.MigrationSource<string> {
  const source = migrationSource(folderOf(plugin)) as Required<Knex.MigrationSource<string>>;
  const named = (name: string, reason: string, cause?: unknown) =>
    new PluginError(plugin.id, `its migration ${name} ${reason}`, { cause });
  return {
    ...source,
    async getMigration(name) {
      const migration = await Promise.resolve(source.getMigration(name)).catch((error: Error) => {
        throw named(name, `cannot be loaded: ${error.message}`, error);
      });
      if (typeof migration.up !== 'function') throw named(name, 'has no function `up`: export it');
      if ((migration as { config?: { transaction?: boolean } }).config?.transaction === false)
        throw named(name, 'asks to run outside a transaction: remove its `config`, so that it can be taken back');
      return {
        up: (trx) =>
          runGuarded(
            trx,
            plugin,
            () => migration.up(trx),
            (reason, cause) => named(name, reason, cause),
          ),
        // going back is never done: uninstalling drops the schema
        down: async () => undefined,
      };
    },
  };
}

async function runGuarded(
  trx: Knex,
  plugin: MigratedPlugin,
  up: () => unknown,
  named: (reason: string, cause?: unknown) => Error,
): Promise<void> {
  const schema = schemaOf(plugin.id);
  const before = await objectsOutside(trx, schema);
  try {
    await up();
  } catch (error) {
    throw named(`failed: ${(error as Error).message}`, error);
  }
  const found = differences(before, await objectsOutside(trx, schema));
  if (found.length)
    throw named(
      `reaches outside the plugin's schema ${schema}: it ${found.slice(0, 5).join(', ')}: a plugin keeps its data in its own tables, and further fields of core's resources in a side table (\`api.extend\`)`,
    );
}
