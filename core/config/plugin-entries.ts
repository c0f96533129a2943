import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirError, dataDirProblem, makeDataDir } from './data-dir.ts';

/** One line of the list of enabled plugins. */
export interface PluginEntry {
  /** id of a bundled plugin (its folder in plugins/), name of a package, or path of a module or folder */
  name: string;
  /** left out instead of ending the boot when it fails */
  optional: boolean;
}

export type PluginSwitch = string | { name: string; optional?: boolean };

/** What the command line changed about the list of config/plugins.ts; stored in the data folder. */
export interface PluginLayer {
  enable: PluginSwitch[];
  /** names, as the list has them */
  disable: string[];
}

export const layerPath = (dataDir: string) => join(dataDir, 'plugins.json');

export const asEntry = (entry: PluginSwitch): PluginEntry =>
  typeof entry === 'string'
    ? { name: entry, optional: false }
    : { name: entry.name, optional: entry.optional ?? false };

/** TAPLINE_PLUGINS: names separated by commas; `?` after a name makes it optional. */
const fromText = (text: string): PluginEntry =>
  text.endsWith('?') ? { name: text.slice(0, -1), optional: true } : { name: text, optional: false };

/** @throws naming the file and what it must hold */
export function readLayer(dataDir: string): PluginLayer {
  const path = layerPath(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR'].includes(code)) return { enable: [], disable: [] };
    if (code === 'EACCES') throw new DataDirError(dataDirProblem(dataDir, error as Error), { cause: error });
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const layer = parse(text);
  if (!layer)
    throw new Error(
      `${path} must hold {"enable": [names], "disable": [names]}: correct it, or remove it and switch plugins on again by "tapline plugins enable"`,
    );
  return layer;
}

/** Whole or not at all: a node may be reading it. */
export function writeLayer(dataDir: string, layer: PluginLayer): void {
  const path = layerPath(dataDir);
  const draft = `${path}.${process.pid}`;
  makeDataDir(dataDir);
  writeFileSync(draft, `${JSON.stringify(layer, null, 2)}\n`);
  renameSync(draft, path);
}

function parse(text: string): PluginLayer | undefined {
  try {
    const { enable = [], disable = [] } = JSON.parse(text);
    const named = (entry: unknown) =>
      typeof entry === 'string' || typeof (entry as { name?: unknown } | null)?.name === 'string';
    return Array.isArray(enable) && Array.isArray(disable) && [...enable, ...disable].every(named)
      ? { enable, disable }
      : undefined;
  } catch {
    return undefined;
  }
}

interface Layers {
  configured: readonly PluginSwitch[];
  layer: PluginLayer;
  /** TAPLINE_PLUGINS split up; it replaces the rest */
  environment?: readonly string[];
}

/** The plugins that are switched on, in the order in which they are loaded; each once. */
export function enabledEntries({ configured, layer, environment }: Layers): PluginEntry[] {
  if (environment) return once(environment.map(fromText));
  const off = new Set(layer.disable);
  return once([...layer.enable, ...configured].map(asEntry).filter(({ name }) => !off.has(name)));
}

/** The list keeps the place of a name in config/plugins.ts; what the layer says of it counts. */
function once(entries: readonly PluginEntry[]): PluginEntry[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.name, entry])).values()].toReversed();
}
