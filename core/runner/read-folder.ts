import { constants } from 'node:fs';
import { type FileHandle, open, opendir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A file of facts larger than this was not written by the engine. */
const largest = 32 * 1024 * 1024;

/**
 * The files below a folder that somebody else's code could write to: no link is followed, neither at the
 * folder nor at a file, and nothing but plain files is opened.
 */
export async function* readFolder(
  work: string,
  folder: string,
  only?: ReadonlySet<string>,
): AsyncIterable<{ name: string; content: string; mtimeMs: number }> {
  const root = join(await realpath(work), folder);
  if ((await realpath(root).catch(() => '')) !== root) return;
  for await (const entry of await opendir(root, { recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + sep.length);
    if (only && !only.has(name)) continue;
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
    if (!file) continue;
    try {
      const found = await readPlain(file);
      if (found) yield { name, ...found };
    } finally {
      await file.close();
    }
  }
}

async function readPlain(file: FileHandle): Promise<{ content: string; mtimeMs: number } | null> {
  const stat = await file.stat();
  if (!stat.isFile() || stat.size > largest) return null;
  return { content: await file.readFile('utf8'), mtimeMs: stat.mtimeMs };
}
