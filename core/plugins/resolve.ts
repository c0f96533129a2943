import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PluginError } from './error.ts';

export interface Places {
  /** folder of the checkout */
  root: string;
  dataDir: string;
}

const isPath = (name: string) => name.startsWith('.') || isAbsolute(name);
const indexes = ['index.ts', 'index.js'];

/**
 * The module of a plugin: a bundled one by its folder in plugins/, a package by its name (beside the service, or in
 * plugins/ of the data folder, where operators install them), or a path, relative to the checkout.
 * @throws PluginError naming the places that were searched
 */
export function resolvePlugin(name: string, { root, dataDir }: Places): URL {
  if (isPath(name)) return fromPath(name, resolve(root, name));
  const bundled = join(root, 'plugins', name, 'index.ts');
  if (existsSync(bundled)) return pathToFileURL(bundled);
  const homes = [root, join(dataDir, 'plugins')];
  for (const home of homes) {
    try {
      return pathToFileURL(createRequire(join(home, 'package.json')).resolve(name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'MODULE_NOT_FOUND') throw new PluginError(name, `its package cannot be used: ${String(error)}`);
    }
  }
  throw new PluginError(
    name,
    `there is no such plugin: neither ${join(root, 'plugins', name)} nor a package of that name in ${homes
      .map((home) => join(home, 'node_modules'))
      .join(' or ')}. Correct its name (bundled: ${bundledPlugins(root).join(', ') || 'none'}), ` +
      `install it by "npm install --prefix ${homes[1]} ${name}", or switch it off`,
  );
}

function fromPath(name: string, path: string): URL {
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const found = isFolder ? entryOf(path) : existsSync(path) ? path : undefined;
  if (found) return pathToFileURL(found);
  throw new PluginError(
    name,
    `there is no module at ${path}${isFolder ? ' (no index.ts or index.js)' : ''}: correct the path, or switch it off`,
  );
}

/** A folder with a package.json may say itself where its module is. */
function entryOf(folder: string): string | undefined {
  try {
    return createRequire(join(folder, 'package.json')).resolve(folder);
  } catch {
    return indexes.map((file) => join(folder, file)).find(existsSync);
  }
}

/** Names of the plugins that come with the service, whether they are on or not. */
export function bundledPlugins(root: string): string[] {
  const folder = join(root, 'plugins');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'index.ts')))
    .toSorted();
}
