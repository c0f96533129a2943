import type { Plugin } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Config } from '../../config/config.ts';
import { createDb } from '../../db/database.ts';
import { createLog } from '../../observe/log.ts';
import { reasonOf } from '../../observe/plugin-error.ts';
import { pendingPluginMigrations } from '../../plugins/data/migrate.ts';
import { pluginsWithData } from '../../plugins/data/own-data.ts';
import { schemaOf } from '../../plugins/data/schema-name.ts';
import { parkedTasks } from '../../queue/parked.ts';
import { QUEUE_SCHEMA } from '../../queue/tasks.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

export interface DataFindings {
  findings: Finding[];
  /** plugins whose tables are not as they need them; undefined where that is not known */
  unready?: Set<string>;
}

/** What is stored for the plugins that are on, and what those that are gone left behind. */
export async function checkData(
  config: Config,
  databaseUrl: string,
  plugins: readonly Plugin[],
): Promise<DataFindings> {
  const log = createLog({ config: { ...config, logLevel: 'silent' } });
  const db = createDb({ config: { databaseUrl }, log, max: 2 });
  try {
    const judged = await Promise.all(
      plugins.filter(({ migrations }) => migrations).map((plugin) => migrationsOf(db, plugin)),
    );
    return {
      findings: [
        ...judged.map(({ finding }) => finding),
        ...(await leftBehind(db, plugins)),
        ...(await waiting(db, plugins)),
      ],
      unready: new Set(judged.flatMap(({ plugin, finding }) => (finding.level === 'ok' ? [] : [plugin.id]))),
    };
  } catch (error) {
    return { findings: [fail(`data of plugins: ${reasonOf(error)}`, 'See what is said of the database.')] };
  } finally {
    await db.destroy();
  }
}

async function migrationsOf(db: Knex, plugin: Plugin): Promise<{ plugin: Plugin; finding: Finding }> {
  const client = {
    query: (sql: string, values: Knex.RawBinding[] = []) => db.raw(sql.replaceAll(/\$\d+/g, '?'), values),
  };
  try {
    const pending = await pendingPluginMigrations(client as never, plugin);
    const finding = pending.length
      ? warn(`${plugin.id}: its data lacks migrations: ${pending.join(', ')}`, 'Starting the service applies them.')
      : ok(`${plugin.id}: its data in ${schemaOf(plugin.id)} is up to date`);
    return { plugin, finding };
  } catch (error) {
    return { plugin, finding: fail(reasonOf(error), 'The service does not start like this.') };
  }
}

async function leftBehind(db: Knex, plugins: readonly Plugin[]): Promise<Finding[]> {
  const stored = await pluginsWithData(db);
  return stored
    .filter((id) => !plugins.some((plugin) => plugin.id === id))
    .map((id) =>
      warn(
        `${id} is not on, and its data is kept in ${schemaOf(id)}`,
        `Switch it on again, or drop the data: \`plugins uninstall ${id} --drop-data\`.`,
      ),
    );
}

async function waiting(db: Knex, plugins: readonly Plugin[]): Promise<Finding[]> {
  const { rows } = await db.raw('select to_regclass(?) is not null as there', [`${QUEUE_SCHEMA}.jobs`]);
  if (!rows[0].there) return [];
  const parked = await parkedTasks(db, { plugins: ['core', ...plugins.map(({ id }) => id)] });
  return parked.map(({ plugin, count, tasks, oldest }) =>
    warn(
      `${count} ${count === 1 ? 'task waits' : 'tasks wait'} for plugin ${plugin} since ${oldest}: ${tasks.join(', ')}`,
      `They run when it is on again; \`plugins uninstall ${plugin} --drop-data\` drops them.`,
    ),
  );
}
