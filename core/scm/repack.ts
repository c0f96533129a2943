import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './git.ts';

/** Each update with news leaves a pack, and git looks for an object in one after the other. */
const mostPacks = 50;

/**
 * Puts the packs of a cache together once there are many. Nothing in them is lost, so jobs that read from it go on; git looks anew
 * where it misses a pack. Resolves to whether it did.
 */
export async function repackIfMany(cache: string, most = mostPacks): Promise<boolean> {
  const packs = (await readdir(join(cache, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));
  if (packs.length <= most) return false;
  await git(['repack', '-a', '-d', '-k', '-q'], { cwd: cache, timeoutMs: 600_000 });
  return true;
}
