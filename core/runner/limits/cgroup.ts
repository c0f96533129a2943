import { SpecError } from '@tapline/plugin-sdk';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const record = 'cgroups';

/** What all processes of a run may take together; 0 = no limit. */
export interface GroupLimits {
  memory: number;
  processes: number;
}

/**
 * The files of a control group (cgroups(7)), of version 2 and of version 1, that keep a limit. Those that the kernel has
 * not made are of the other version, or of a controller that the group does not have.
 */
const files: Record<keyof GroupLimits, readonly { name: string; value(most: number): number }[]> = {
  memory: [
    { name: 'memory.max', value: (most) => most },
    // what does not fit must not go on in the swap space
    { name: 'memory.swap.max', value: () => 0 },
    { name: 'memory.limit_in_bytes', value: (most) => most },
    { name: 'memory.memsw.limit_in_bytes', value: (most) => most },
  ],
  processes: [{ name: 'pids.max', value: (most) => most }],
};

/**
 * A group for a run below each of the folders of ENGINE_CGROUP, with its limits. Synchronous, like the rest of a workspace.
 * @param control the folder of the workspace in which is kept what groups there are, so that they can be removed
 * @returns the folders, for the wrapper to enter
 * @throws SpecError where a limit that is wanted cannot be kept: what was asked for must not be left out in silence
 */
export function makeGroups(parents: readonly string[], control: string, run: number, limits: GroupLimits): string[] {
  if (!parents.length) return [];
  // runs of another service on this machine have the same numbers
  const name = `run-${run}-${randomBytes(4).toString('hex')}`;
  const folders = parents.map((parent) => join(parent, name));
  writeFileSync(join(control, record), folders.join('\n'), { mode: 0o600 });
  try {
    for (const [index, folder] of folders.entries()) {
      shareControllers(parents[index]!);
      mkdirSync(folder, { recursive: true });
    }
    for (const [kind, most] of Object.entries(limits) as [keyof GroupLimits, number][])
      if (most > 0) limit(folders, kind, most);
  } catch (error) {
    if (error instanceof SpecError) throw error;
    throw new SpecError(`The control group of the run could not be made (ENGINE_CGROUP): ${(error as Error).message}.`);
  }
  return folders;
}

/** In version 2 a folder says which controllers those below it have. */
function shareControllers(parent: string): void {
  const shared = join(parent, 'cgroup.subtree_control');
  if (!existsSync(shared)) return;
  const missing = ['memory', 'pids'].filter((name) => !readFileSync(shared, 'utf8').split(/\s/).includes(name));
  if (missing.length) writeFileSync(shared, missing.map((name) => `+${name}`).join(' '));
}

function limit(folders: readonly string[], kind: keyof GroupLimits, most: number): void {
  const found = folders.flatMap((folder) =>
    files[kind]
      .map(({ name, value }) => ({ path: join(folder, name), text: String(value(most)) }))
      .filter(({ path }) => existsSync(path)),
  );
  if (!found.length) throw new SpecError(`The control group of the run keeps no limit of ${kind} (ENGINE_CGROUP).`);
  for (const { path, text } of found) writeFileSync(path, text);
}

/** Once nothing runs in them; the last process may be on its way out. */
export async function removeGroups(control: string): Promise<void> {
  const kept = join(control, record);
  if (!existsSync(kept)) return;
  for (const folder of readFileSync(kept, 'utf8').split('\n').filter(Boolean))
    // a folder or two
    // oxlint-disable-next-line no-await-in-loop
    await removeGroup(folder);
}

async function removeGroup(folder: string): Promise<void> {
  for (let left = 10; existsSync(folder); left -= 1) {
    try {
      rmdirSync(folder);
    } catch (error) {
      // an empty group that is left harms nobody: it is made again for no other run
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || left === 0) return;
      // oxlint-disable-next-line no-await-in-loop
      await delay(20);
    }
  }
}

/** '' where runs can have groups below this folder; else why not. */
export function groupProblem(parent: string): string {
  try {
    accessSync(parent, constants.W_OK);
    if (!existsSync(join(parent, 'cgroup.procs'))) return 'it is no control group';
    return '';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such folder' : (error as Error).message;
  }
}
