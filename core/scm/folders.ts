import type { Knex } from 'knex';
import { statSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** `<id>.git` is where fetched projects are kept. */
const RESERVED = /^(\..*|\d+\.git)$/;

/** Folders below `<data>/projects` that no project uses yet: what a manual project may take. */
export async function unusedFolders(db: Knex, dataDir: string): Promise<string[]> {
  const root = join(dataDir, 'projects');
  await mkdir(root, { recursive: true, mode: 0o711 });
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !RESERVED.test(entry.name)).map(({ name }) => name);
  const used = new Set(await db('templates').whereIn('local_path', names).pluck('local_path'));
  return names.filter((name) => !used.has(name)).toSorted();
}

/** When the folder of a manual project was changed; null where there is none. One look at the file system, whose answer is at hand. */
export function folderChanged(dataDir: string, localPath: string): Date | null {
  if (!localPath) return null;
  try {
    const about = statSync(join(dataDir, 'projects', localPath));
    return about.isDirectory() ? about.mtime : null;
  } catch {
    return null;
  }
}
