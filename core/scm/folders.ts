import type { Knex } from 'knex';
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
