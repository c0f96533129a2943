import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { isPath } from '../../plugins/find/resolve.ts';

/** Folders of the plugins that run from sources: those that are on by a path, and bundled ones. */
export function sourceFolders({ plugins, root }: Pick<Config, 'plugins' | 'root'>): string[] {
  const folders = plugins.flatMap(({ name }) => {
    const place = isPath(name) ? resolve(root, name) : join(root, 'plugins', name);
    if (!existsSync(place)) return [];
    return statSync(place).isDirectory() ? place : dirname(place);
  });
  return [...new Set(folders)];
}
