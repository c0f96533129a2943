import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CheckoutSource } from '@tapline/plugin-sdk';
import type { CheckoutLimits } from '../runner/checkout/checkout-budget.ts';
import { makeCheckout } from '../runner/checkout/checkout.ts';

/** Every folder below one, itself last: links are not followed. */
async function foldersOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  return [...folders, root];
}

/** The files as a run gets them, without git's own, and so that a plugin does not change them by mistake. */
export async function readOnlyCopy(source: CheckoutSource, target: string, limits: CheckoutLimits): Promise<void> {
  await removeCopy(target);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await mkdir(target);
  await makeCheckout(source, target, { uid: null, gid: null }, limits);
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  if (source.kind === 'git')
    // of the project and of each submodule
    for (const { parentPath, name } of entries.filter((entry) => entry.name === '.git'))
      // oxlint-disable-next-line no-await-in-loop
      await rm(join(parentPath, name), { recursive: true, force: true });
  await protect(target);
}

async function protect(target: string): Promise<void> {
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile()))
    // oxlint-disable-next-line no-await-in-loop
    await chmod(join(parentPath, name), 0o444);
  for (const folder of await foldersOf(target))
    // oxlint-disable-next-line no-await-in-loop
    await chmod(folder, 0o555);
}

export async function removeCopy(target: string): Promise<void> {
  const folders = await foldersOf(target).catch(() => []);
  for (const folder of folders)
    // oxlint-disable-next-line no-await-in-loop
    await chmod(folder, 0o700);
  await rm(target, { recursive: true, force: true });
}
