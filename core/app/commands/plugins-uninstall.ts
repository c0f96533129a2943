import type { Plugin } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { readLayer, writeLayer } from '../../config/plugin-entries.ts';
import { installedPlugins } from '../../plugins/find/installed.ts';
import { importPlugin } from '../../plugins/find/load.ts';
import { livingNodes } from '../../nodes/living.ts';
import { dropOwnData, type OwnData, ownData, pluginsWithData } from '../../plugins/data/own-data.ts';
import { schemaOf } from '../../plugins/data/schema-name.ts';
import { settingKeysOf } from '../../plugins/data/setting-keys.ts';
import { notedSettingKeys } from '../../plugins/data/noted-settings.ts';
import type { Config } from '../../config/config.ts';
import { CommandError } from './command-error.ts';
import { withDatabase } from './with-database.ts';

interface Options {
  dropData?: boolean;
  yes?: boolean;
}

/** Removes what a plugin that is off has stored; shows first what that is. */
export async function uninstallPlugin(name: string, { dropData, yes }: Options): Promise<void> {
  await withDatabase(async ({ config, db }) => {
    const { entry, plugin } = await packageOf(name, config);
    const id = plugin?.id ?? name;
    await assertOff(entry, id, config);
    const keys = new Set([...(await notedSettingKeys(db, id)), ...settingKeys(id, plugin)]);
    const data = await ownData(db, id, [...keys]);
    if (!plugin && !data.tables && !keys.size) throw await unknown(db, name);
    describe(id, data);
    if (!plugin) console.log('  its package is not here: its settings are those that it had when it was on last');
    const nothing = !data.tables && !data.settings.length && !data.tasks;
    if (dropData && !nothing) {
      await assertUnused(db, id);
      if (!yes)
        throw new CommandError(
          'Nothing was dropped. Make a backup, then repeat with --yes to drop all of this for good.',
        );
      await dropOwnData(db, id, data);
      console.log(`Dropped. ${id} left nothing in the database but its entries in the activity stream.`);
    } else if (!nothing)
      console.log('All of it stays, and is there again when the plugin is switched on. --drop-data drops it.');
    forget(entry, config);
  });
}

/** By the name of its package, or by its id: then it is looked for among those that are installed. */
async function packageOf(name: string, config: Config): Promise<{ entry: string; plugin?: Plugin }> {
  for (const entry of [name, ...installedPlugins(config).map((one) => one.name)]) {
    const plugin = await importPlugin(entry, config).catch(() => undefined);
    if (plugin && (entry === name || plugin.id === name)) return { entry, plugin };
  }
  return { entry: name };
}

async function assertOff(name: string, id: string, config: Config): Promise<void> {
  const ids = await Promise.all(
    config.plugins.map(async (entry) => [
      entry.name,
      (await importPlugin(entry.name, config).catch(() => undefined))?.id ?? entry.name,
    ]),
  );
  const on = ids.find(([entry, known]) => entry === name || known === id);
  if (on)
    throw new CommandError(
      `${id} is switched on: run \`plugins disable ${on[0]}\`, restart the service on every node, then uninstall it.`,
    );
}

/** Of one that cannot say which settings it has, those go that it is known to have had: others might have keys that look alike. */
function settingKeys(id: string, plugin: Plugin | undefined): string[] {
  try {
    return plugin ? settingKeysOf(plugin) : [];
  } catch (error) {
    console.log(`  ${id} cannot be asked for its settings (${(error as Error).message})`);
    return [];
  }
}

async function unknown(db: Knex, name: string): Promise<CommandError> {
  const stored = await pluginsWithData(db);
  return new CommandError(
    `There is no plugin ${name}, and no data of one. ${stored.length ? `Plugins with data here: ${stored.join(', ')}.` : 'No plugin has data here.'}`,
  );
}

function describe(id: string, { tables, settings, tasks }: OwnData): void {
  console.log(`What plugin ${id} has stored:`);
  if (!tables) console.log('  no tables');
  else {
    console.log(`  schema ${schemaOf(id)}${tables.length ? '' : ', without tables'}`);
    for (const table of tables) console.log(`    ${table.name}: ${table.rows} ${table.rows === 1 ? 'row' : 'rows'}`);
  }
  console.log(settings.length ? `  settings: ${settings.join(', ')}` : '  no settings of its own');
  console.log(tasks ? `  ${tasks} waiting ${tasks === 1 ? 'task' : 'tasks'}` : '  no waiting tasks');
}

/** A node that still runs it would fail at once, and make its tables again at its next start. */
async function assertUnused(db: Knex, id: string): Promise<void> {
  const nodes = (await livingNodes(db)).flatMap(({ node, plugins }) => (id in plugins ? [node] : []));
  if (nodes.length)
    throw new CommandError(
      `Nothing was dropped: ${id} still runs on ${nodes.join(', ')}. Restart the service there first; it is switched off from then on.`,
    );
}

/** The switch goes; the package goes by the tool that brought it. */
function forget(name: string, config: Config): void {
  const layer = readLayer(config.dataDir);
  if (layer.disable.includes(name)) {
    const bundled = installedPlugins(config).some((one) => one.name === name && one.kind === 'bundled');
    if (!bundled) writeLayer(config.dataDir, { ...layer, disable: layer.disable.filter((entry) => entry !== name) });
  }
  const installed = installedPlugins(config).find((one) => one.name === name && one.kind === 'package');
  if (installed)
    console.log(`Its package stays; remove it by: npm uninstall --prefix ${config.dataDir}/plugins ${name}`);
}
