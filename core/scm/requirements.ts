import { lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What a project's requirements.yml asks for, installed by its updates: one folder per revision beside the cache's
 * objects, with `roles` and `collections` in it. It is shown to jobs read-only and never looked into by the service.
 */
export const requirementsPath = (cache: string, revision: string): string => join(cache, 'requirements', revision);

/** Jobs of older revisions may still run. */
const kept = 5;

export const knownRequirements = (cache: string): Promise<string[]> =>
  readdir(join(cache, 'requirements')).catch(() => []);

/** Takes over what an update installed into its own folder, if it did. */
export async function keepRequirements(cache: string, revision: string, work: string): Promise<void> {
  const found = join(await realpath(work), 'requirements');
  const entry = await lstat(found).catch(() => null);
  if (!entry?.isDirectory()) return;
  const target = requirementsPath(cache, revision);
  await mkdir(join(cache, 'requirements'), { recursive: true, mode: 0o711 });
  // a running job goes on with the folder that it began with, under whichever name
  await rename(target, `${target}.${Date.now()}`).catch(ignoreMissing);
  await rename(found, target);
  await prune(join(cache, 'requirements'));
}

async function prune(folder: string): Promise<void> {
  const entries = await Promise.all(
    (await readdir(folder)).map(async (name) => ({ name, since: (await stat(join(folder, name))).ctimeMs })),
  );
  const old = entries.toSorted((a, b) => b.since - a.since).slice(kept);
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { recursive: true, force: true })));
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
