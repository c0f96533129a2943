import type { Plugin } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { parkedTasks } from '../../jobs/parked.ts';
import { QUEUE_SCHEMA } from '../../jobs/tasks.ts';
import { createLog } from '../../observe/log.ts';
import { reasonOf } from '../../plugins/error.ts';
import { importPlugin } from '../../plugins/load.ts';
import { checkManifest } from '../../plugins/manifest.ts';
import { pendingPluginMigrations } from '../../plugins/migrate.ts';
import { pluginsWithData } from '../../plugins/own-data.ts';
import { preparePlugins } from '../../plugins/prepare.ts';
import { schemaOf } from '../../plugins/schema-name.ts';
import { judgeKeys } from '../../plugins/settings.ts';
import type { Config } from '../config.ts';
import { createDb } from '../database.ts';
import { runningUrl } from '../postgres.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** Can every plugin that is on be used, does its data fit it, and what do plugins that are gone leave behind? */
export async function checkPlugins(config: Config): Promise<Finding[]> {
  const loaded = await Promise.all(config.plugins.map(({ name, optional }) => loadOne(name, optional, config)));
  const plugins = loaded.flatMap(({ plugin }) => plugin ?? []);
  const findings = loaded.map(({ finding }) => finding);
  if (!findings.some(({ level }) => level === 'fail')) findings.push(await checkTogether(config));
  return [...findings, ...(await checkData(config, plugins))];
}

async function loadOne(
  name: string,
  optional: boolean,
  config: Config,
): Promise<{ finding: Finding; plugin?: Plugin }> {
  try {
    const plugin = await importPlugin(name, config);
    checkManifest(plugin, name);
    return { plugin, finding: ok(`${plugin.id} ${plugin.version}: ${plugin.title}, for SDK ${plugin.sdk}`) };
  } catch (error) {
    const finding = optional
      ? warn(reasonOf(error), 'It is optional: the service starts without it.')
      : fail(reasonOf(error), `Correct it, or run \`plugins disable ${name}\`; the service does not start like this.`);
    return { finding };
  }
}

/** What each needs of the others, whether two want the same, and whether every TAPLINE_<KEY> is a setting of core or theirs. */
async function checkTogether(config: Config): Promise<Finding> {
  try {
    const registries = await preparePlugins({ config });
    judgeKeys(config, registries);
    const { plugins, leftOut } = registries;
    if (!plugins.length && !leftOut.length) return ok('no plugin is on');
    if (leftOut.length)
      return warn(
        leftOut.map(({ id, reason }) => `${id} is left out: ${reason}`).join('; '),
        'It is optional: the service starts without it.',
      );
    return ok(`${plugins.length} ${plugins.length === 1 ? 'plugin registers' : 'plugins register'}, nothing clashes`);
  } catch (error) {
    return fail(reasonOf(error), 'The service does not start like this.');
  }
}

/** Does not start the embedded server: looking must not change anything. */
async function checkData(config: Config, plugins: readonly Plugin[]): Promise<Finding[]> {
  const databaseUrl = config.databaseUrl || runningUrl(config.dataDir);
  if (!databaseUrl) return [ok('embedded Postgres is not running now: data of plugins was not looked at')];
  const log = createLog({ config: { ...config, logLevel: 'silent' } });
  const db = createDb({ config: { databaseUrl }, log, max: 2 });
  try {
    return [
      ...(await Promise.all(plugins.filter(({ migrations }) => migrations).map((plugin) => migrationsOf(db, plugin)))),
      ...(await leftBehind(db, plugins)),
      ...(await waiting(db, plugins)),
    ];
  } catch (error) {
    return [fail(`data of plugins: ${reasonOf(error)}`, 'See `doctor`.')];
  } finally {
    await db.destroy();
  }
}

async function migrationsOf(db: Knex, plugin: Plugin): Promise<Finding> {
  const client = {
    query: (sql: string, values: unknown[] = []) => db.raw(sql.replaceAll(/\$\d+/g, '?'), values as any),
  };
  try {
    const pending = await pendingPluginMigrations(client as never, plugin);
    return pending.length
      ? warn(`${plugin.id}: its data lacks migrations: ${pending.join(', ')}`, 'Starting the service applies them.')
      : ok(`${plugin.id}: its data in ${schemaOf(plugin.id)} is up to date`);
  } catch (error) {
    return fail(reasonOf(error), 'The service does not start like this.');
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
