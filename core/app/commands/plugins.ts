import { plugins as configured } from '../../../config/plugins.ts';
import {
  asEntry,
  enabledEntries,
  layerPath,
  type PluginEntry,
  type PluginLayer,
  readLayer,
  writeLayer,
} from '../../config/plugin-entries.ts';
import { reasonOf } from '../../observe/plugin-error.ts';
import { closest, installedPlugins } from '../../plugins/find/installed.ts';
import { importPlugin } from '../../plugins/find/load.ts';
import { checkManifest, optionalProblem } from '../../plugins/find/manifest.ts';
import { knownPlugins } from '../../plugins/switch/known.ts';
import { planDisable, planEnable, SwitchError } from '../../plugins/switch/plan.ts';
import { type Config, loadConfig } from '../../config/config.ts';
import { CommandError } from './command-error.ts';

const overridden = () => process.env.TAPLINE_PLUGINS !== undefined;

/** Every plugin that there is, switched on or not, and what switched it on. */
export async function listPlugins(): Promise<void> {
  const config = loadConfig();
  const installed = installedPlugins(config);
  const on = await Promise.all(config.plugins.map((entry) => stateOf(entry, config)));
  const off = installed
    .filter(({ name }) => !config.plugins.some((entry) => entry.name === name))
    .map(({ name, kind, version, description }) => [name, 'off', version, kind, '', description]);
  const rows = [...on, ...off];
  if (!rows.length) return console.log('There are no plugins: none is bundled, and none is installed.');
  printTable(['NAME', 'STATE', 'VERSION', 'KIND', 'SWITCHED ON BY', 'WHAT IT IS'], rows);
  if (overridden())
    console.log(`\nTAPLINE_PLUGINS is set: it replaces config/plugins.ts and ${layerPath(config.dataDir)}.`);
}

async function stateOf({ name, optional }: PluginEntry, config: Config): Promise<string[]> {
  const known = installedPlugins(config).find((one) => one.name === name);
  const state = optional ? 'on, optional' : 'on';
  const source = sourceOf(name, config);
  try {
    const plugin = await importPlugin(name, config);
    checkManifest(plugin, name);
    const problem = optional && optionalProblem(plugin, name);
    if (problem) throw problem;
    return [name, state, plugin.version, known?.kind ?? 'path', source, plugin.description ?? plugin.title];
  } catch (error) {
    return [name, `${state}, FAILS`, known?.version ?? '', known?.kind ?? '', source, reasonOf(error)];
  }
}

function sourceOf(name: string, { dataDir }: Config): string {
  if (overridden()) return 'TAPLINE_PLUGINS';
  return readLayer(dataDir).enable.some((entry) => asEntry(entry).name === name) ? 'plugins.json' : 'config/plugins.ts';
}

function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
}

/** The plugins that are on where TAPLINE_PLUGINS does not say. */
const layered = (dataDir: string) => enabledEntries({ configured, layer: readLayer(dataDir) });

export async function enablePlugin(name: string, { optional = false }: { optional?: boolean }): Promise<void> {
  const config = loadConfig();
  const before = layered(config.dataDir);
  const same = before.find((entry) => entry.name === name);
  if (same && same.optional === optional) return console.log(`${name} is on already.`);
  const known = await knownPlugins([...new Set([name, ...before.map((entry) => entry.name)])], config);
  const layer = readLayer(config.dataDir);
  writeLayer(
    config.dataDir,
    planned(() => planEnable({ name, optional, known, configured, layer }), config, name),
  );
  const { id } = known.find((one) => one.name === name)!;
  console.log(`Plugin ${id} is switched on${optional ? ', and left out when it fails' : ''}.`);
  tellOfRestart(config);
}

/** @throws CommandError, with the likely name where one stands for nothing */
function planned(plan: () => PluginLayer, config: Config, name = ''): PluginLayer {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof SwitchError)) throw error;
    const installed = installedPlugins(config).map((one) => one.name);
    const meant = error.field === 'name' ? closest(name, installed) : undefined;
    throw new CommandError(`${meant && meant !== name ? `Did you mean ${meant}?\n` : ''}${error.message}`);
  }
}

export async function disablePlugin(name: string): Promise<void> {
  const config = loadConfig();
  const entries = layered(config.dataDir).map((entry) => entry.name);
  const known = await knownPlugins(entries, config);
  const found = known.find((one) => one.name === name || one.id === name);
  if (!found) return refuseUnknown(name, config);
  const layer = readLayer(config.dataDir);
  writeLayer(
    config.dataDir,
    planned(() => planDisable({ name: found.name, known, configured, layer }), config),
  );
  console.log(`Plugin ${found.id ?? found.name} is switched off. Its data stays; its tasks wait until it is back.`);
  tellOfRestart(config);
}

function refuseUnknown(name: string, config: Config): void {
  const installed = installedPlugins(config).map((one) => one.name);
  if (installed.includes(name)) return console.log(`${name} is off already.`);
  const meant = closest(name, [...layered(config.dataDir).map((entry) => entry.name), ...installed]);
  throw new CommandError(
    `No plugin ${name} is on.${meant ? ` Did you mean ${meant}?` : ''} \`plugins list\` shows them.`,
  );
}

function tellOfRestart({ dataDir }: Config): void {
  console.log('Restart the service, on every node, for this to take effect.');
  if (overridden())
    console.log(`But TAPLINE_PLUGINS is set and replaces ${layerPath(dataDir)}: unset it, or change it as well.`);
}
