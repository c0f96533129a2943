import type { Plugin } from '@tapline/plugin-sdk';
import type { PluginEntry } from '../../config/plugin-entries.ts';
import { asPluginError, PluginError } from '../../observe/plugin-error.ts';
import { checkManifest, optionalProblem } from './manifest.ts';
import { provideSdk } from './one-sdk.ts';
import { bundledPlugins, type Places, resolvePlugin } from './resolve.ts';

/** A plugin that is on, as far as it was loaded. */
export interface LoadedPlugin {
  plugin: Plugin;
  optional: boolean;
  /** the name under which it was switched on */
  entry: string;
}

/** An optional plugin that failed: for this boot it is as if it were off. */
export interface LeftOut {
  /** its id where that is known, else its entry */
  id: string;
  reason: string;
}

export interface LoadedPlugins {
  /** each after those that it requires */
  plugins: LoadedPlugin[];
  leftOut: LeftOut[];
}

export interface LoadOptions {
  config: Places & { plugins: readonly PluginEntry[] };
  /** plugins at hand, after those of the configuration */
  inline?: readonly (Plugin | { plugin: Plugin; optional?: boolean })[];
  /** ids that a later phase has found wanting, with the reason */
  except?: ReadonlyMap<string, string>;
  /** keys of settings that were known before these were */
  idleKeys?: readonly string[];
}

/**
 * Imports what is switched on and nothing else, checks the manifests and puts them in order.
 * @throws PluginError for the first that cannot be used and is not optional, and for one that must not be optional
 */
export async function loadPlugins({ config, inline = [], except = new Map() }: LoadOptions): Promise<LoadedPlugins> {
  const leftOut: LeftOut[] = [];
  const loaded: LoadedPlugin[] = [];
  const take = (found: LoadedPlugin) => {
    checkManifest(found.plugin, found.entry);
    const reason = except.get(found.plugin.id);
    if (reason !== undefined) return leftOut.push({ id: found.plugin.id, reason });
    const twin = loaded.find(({ plugin }) => plugin.id === found.plugin.id);
    if (twin)
      throw new PluginError(
        found.plugin.id,
        `${twin.entry} and ${found.entry} have the same id: switch one of them off, or give it another id`,
      );
    return loaded.push(found);
  };
  const modules = await Promise.allSettled(config.plugins.map(({ name }) => importPlugin(name, config)));
  for (const [index, { name, optional }] of config.plugins.entries()) {
    const module = modules[index]!;
    if (module.status === 'fulfilled' && optional) refuseOptional(module.value, name);
    try {
      if (module.status === 'rejected') throw module.reason;
      take({ plugin: module.value, optional, entry: name });
    } catch (error) {
      if (!optional) throw error;
      leftOut.push({ id: error instanceof PluginError ? error.plugin : name, reason: (error as Error).message });
    }
  }
  for (const given of inline) {
    const { plugin, optional = false } = 'plugin' in given ? given : { plugin: given };
    if (optional) refuseOptional(plugin, plugin?.id ?? 'inline');
    take({ plugin, optional, entry: plugin?.id ?? 'inline' });
  }
  return { plugins: inOrder(loaded, leftOut), leftOut };
}

/** @throws PluginError, which nothing leaves out */
function refuseOptional(plugin: Plugin, entry: string): void {
  const problem = optionalProblem(plugin, entry);
  if (problem) throw problem;
}

/** @throws PluginError */
export async function importPlugin(name: string, places: Places): Promise<Plugin> {
  const url = resolvePlugin(name, places);
  if (!bundledPlugins(places.root).includes(name)) provideSdk();
  const module = await import(url.href).catch((error: unknown) => {
    throw asPluginError(name, `importing ${url.pathname}`, error);
  });
  if (module.default === undefined)
    throw new PluginError(
      name,
      `${url.pathname} has no default export: it must be "export default definePlugin({ … })"`,
    );
  return module.default;
}

/** Each after those it requires; otherwise in the order in which they are switched on. */
function inOrder(loaded: readonly LoadedPlugin[], leftOut: LeftOut[]): LoadedPlugin[] {
  const ordered: LoadedPlugin[] = [];
  const byId = new Map(loaded.map((one) => [one.plugin.id, one]));
  const place = (one: LoadedPlugin, path: readonly string[]): boolean => {
    const { id, requires = [] } = one.plugin;
    if (ordered.includes(one)) return true;
    if (path.includes(id))
      throw new PluginError(
        id,
        `requires itself by ${[...path.slice(path.indexOf(id)), id].join(' → ')}: take one of these out of "requires"`,
      );
    for (const needed of requires) {
      const other = byId.get(needed);
      if (other && place(other, [...path, id])) continue;
      const gone = leftOut.find((absent) => absent.id === needed);
      const reason = gone
        ? `requires ${needed}, which was left out (${gone.reason})`
        : `requires ${needed}, which is not on: switch ${needed} on as well, or switch ${id} off`;
      if (!one.optional) throw new PluginError(id, reason);
      leftOut.push({ id, reason });
      byId.delete(id);
      return false;
    }
    ordered.push(one);
    return true;
  };
  for (const one of loaded) if (byId.has(one.plugin.id)) place(one, []);
  return ordered;
}
