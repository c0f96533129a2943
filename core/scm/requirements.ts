import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * What a project's requirements.yml asks for, installed by its updates: one folder per revision beside the cache's
 * objects, with `roles` and `collections` in it. It is shown to jobs read-only and never looked into by the service.
 */
export const requirementsPath = (cache: string, revision: string): string => join(cache, 'requirements', revision);

const everybodyReads = 0o055;
/** Jobs of older revisions may still run. */
const kept = 5;

/** The folder of a revision whose requirements are installed, for the users of all runs to read; null where there is none. */
export async function installedRequirements(cache: string, revision: string): Promise<string | null> {
  const folder = requirementsPath(cache, revision);
  const entry = await stat(folder).catch(() => null);
  if (!entry) return null;
  // installed by a version that ran everything as one user
  if ((entry.mode & everybodyReads) !== everybodyReads) await giveAway(folder);
  return folder;
}

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
  await giveAway(target);
  await prune(join(cache, 'requirements'));
}

/** Installed by the user of one run, for the users of others to read; whose it is could change it. Links are not followed. */
async function giveAway(folder: string): Promise<void> {
  if (process.getuid?.() === 0) await run('chown', ['-hR', '0:0', '--', folder]);
  await run('chmod', ['-R', 'u=rwX,go=rX', '--', folder]);
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
