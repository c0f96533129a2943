import { basename, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDataDir } from '../../config/data-dir.ts';
import { layerPath } from '../../config/plugin-entries.ts';
import { CommandError } from '../commands/command-error.ts';

export interface Changes {
  /** Watches these folders as well. */
  add(folders: readonly string[]): void;
  /** The files that changed since it was last asked; waits until some have, and for the rest of them. */
  next(): Promise<string[]>;
  close(): Promise<void>;
}

/** Editors and version control write several files in a row. */
const quietMs = 200;

/**
 * Told of what changes below folders of sources, packages and hidden files apart, and in the data folder of the file by which
 * plugins are switched on and off. Either may lie in the other.
 */
export async function watchChanges(folders: readonly string[], dataDir: string): Promise<Changes> {
  const { watch } = await import('chokidar').catch((cause: unknown) => {
    throw new CommandError('serve --watch needs the packages for development: npm install --include=dev.', { cause });
  });
  makeDataDir(dataDir);
  const roots = new Set([...folders, dataDir]);
  const changed = new Set<string>();
  let told = Promise.withResolvers<void>();
  const ignored = (path: string) => {
    const root = innermost(roots, path);
    if (path === root) return false;
    return root === dataDir ? path !== layerPath(dataDir) : /^(\.|node_modules$)/.test(basename(path));
  };
  // a file that comes and goes is seen by its folder only
  const watcher = watch([...roots], { ignoreInitial: true, ignored });
  watcher.on('all', (_event, path) => {
    changed.add(path);
    told.resolve();
  });
  const ready = Promise.withResolvers<void>();
  watcher.on('ready', ready.resolve).on('error', ready.reject);
  await ready.promise;
  return {
    add(more) {
      for (const folder of more) roots.add(folder);
      watcher.add([...more]);
    },
    async next() {
      await told.promise;
      for (let size = 0; size < changed.size;) {
        size = changed.size;
        await delay(quietMs);
      }
      const files = [...changed];
      changed.clear();
      told = Promise.withResolvers<void>();
      return files;
    },
    close: () => watcher.close(),
  };
}

const innermost = (roots: ReadonlySet<string>, path: string): string | undefined =>
  [...roots]
    .filter((root) => path === root || path.startsWith(root + sep))
    .toSorted((one, other) => other.length - one.length)[0];
