import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PluginError } from '../../observe/plugin-error.ts';

export interface Places {
  /** folder of the checkout */
  root: string;
  dataDir: string;
}

/** Or is it the name of a package, or of a bundled one? */
export const isPath = (name: string) => name.startsWith('.') || isAbsolute(name);
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
    const found = fromPackage(name, join(home, 'package.json'));
    if (found) return pathToFileURL(found);
  }
  throw new PluginError(
    name,
    `there is no such plugin: neither ${join(root, 'plugins', name)} nor a package of that name in ${homes
      .map((home) => join(home, 'node_modules'))
      .join(' or ')}. Correct its name (bundled: ${bundledPlugins(root).join(', ') || 'none'}), ` +
      `install it by "npm install --prefix ${homes[1]} ${name}", or switch it off`,
  );
}

/** Its module, or undefined where there is no package of this name. @throws PluginError where it has no module */
function fromPackage(name: string, beside: string): string | undefined {
  let manifest: string | undefined;
  try {
    manifest = findPackageJSON(name, pathToFileURL(beside));
  } catch {
    return undefined;
  }
  if (manifest === undefined) return undefined;
  const exported = importedEntry(JSON.parse(readFileSync(manifest, 'utf8')).exports);
  const entry = exported === undefined ? entryOf(dirname(manifest)) : join(dirname(manifest), exported);
  if (entry && existsSync(entry)) return entry;
  throw new PluginError(
    name,
    `its package ${dirname(manifest)} has no module${exported ? ` ${exported}` : ''}: build it, or correct "exports" or "main" of its package.json`,
  );
}

/** What `exports` of a package.json says for a plain import. */
function importedEntry(exports: unknown): string | undefined {
  if (typeof exports === 'string' || typeof exports !== 'object' || exports === null)
    return exports as string | undefined;
  for (const [condition, target] of Object.entries(exports)) {
    if (!['.', 'node', 'import', 'module-sync', 'default'].includes(condition)) continue;
    const found = importedEntry(target);
    if (found !== undefined) return found;
  }
  return undefined;
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
