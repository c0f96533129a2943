import { SpecError, type CheckoutSource } from '@tapline/plugin-sdk';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { CheckoutBudget, type CheckoutLimits } from './checkout-budget.ts';
import { REVISION } from '../../scm/cache.ts';
import { trackedModules } from '../../scm/modules.ts';
import type { Isolation } from '../isolation.ts';

const run = promisify(execFile);
const timeout = 10 * 60_000;

/**
 * Fills `target` (an existing empty folder) with a writable copy of the source, owned by the engine's user.
 * @returns further paths that the copy needs to see read-only: the objects it borrows
 * @throws SpecError where it is not there, or larger than allowed
 */
export async function makeCheckout(
  source: CheckoutSource,
  target: string,
  owner: Pick<Isolation, 'uid' | 'gid'>,
  limits?: CheckoutLimits,
): Promise<string[]> {
  const budget = limits && new CheckoutBudget(limits);
  const borrowed =
    source.kind === 'git' ? await borrow(source.repository, source.revision, target, source.submodules, budget) : [];
  if (source.kind === 'folder') await copyFolder(source.path, target, budget);
  if (owner.uid !== null) await giveTree(target, owner.uid, owner.gid ?? owner.uid);
  return borrowed;
}

/** No configuration but ours: no hooks, no filters, no credential helpers of the machine. */
const gitEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
};

/**
 * What `git clone --shared` leaves behind, made by hand, so that one git process does: it fills the
 * working tree. Nothing is fetched, and the objects stay in the cache.
 */
async function borrow(
  repository: string,
  revision: string,
  target: string,
  submodules: boolean,
  budget: CheckoutBudget | undefined,
  within?: Within,
): Promise<string[]> {
  if (!REVISION.test(revision)) throw new SpecError(`${JSON.stringify(revision)} is not a resolved revision.`);
  const objects = join(repository, 'objects');
  const git = join(target, '.git');
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'])
    mkdirSync(join(git, folder), { recursive: true });
  writeFileSync(join(git, 'HEAD'), `${revision}\n`);
  writeFileSync(join(git, 'objects/info/alternates'), `${objects}\n`);
  const format = revision.length === 64 ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  writeFileSync(
    join(git, 'config'),
    `[core]\n\trepositoryformatversion = ${format ? 1 : 0}\n\tbare = false\n\tlogallrefupdates = false\n\thooksPath = /dev/null\n${format}`,
  );
  const argv = ['--git-dir', git, '--work-tree', target, 'read-tree', '-u', '--reset', revision];
  try {
    await budget?.spendCommit(repository, revision);
    budget?.assertRoom(target);
    await run('git', argv, { env: gitEnvironment, cwd: target, timeout, maxBuffer: 1 << 20 });
  } catch (error) {
    if (error instanceof SpecError) throw error;
    const said = String((error as { stderr?: string }).stderr || (error as Error).message)
      .trim()
      .split('\n')
      .at(-1);
    throw new SpecError(
      `Revision ${revision} of the project could not be checked out: ${said}. Update the project and launch again.`,
    );
  }
  if (!submodules || !existsSync(join(target, '.gitmodules')) || !(await exists(join(repository, 'modules'))))
    return [objects];
  return [
    objects,
    ...(await borrowSubmodules(repository, target, within ?? (await beginning(repository, revision)), budget)),
  ];
}

/** Where a submodule lies in the whole, and which commits stand in place of those that are recorded. */
interface Within {
  path: string;
  tracked: Record<string, string>;
}

const beginning = async (repository: string, revision: string): Promise<Within> => ({
  path: '',
  tracked: await trackedModules(repository, revision),
});

/** A project update leaves each submodule's repository at modules/<name> of the cache, as git itself lays them out. */
async function borrowSubmodules(
  repository: string,
  target: string,
  within: Within,
  budget: CheckoutBudget | undefined,
): Promise<string[]> {
  const git = (...argv: string[]) =>
    run('git', argv, { env: gitEnvironment, cwd: target, timeout, maxBuffer: 16 << 20 }).then(({ stdout }) => stdout);
  const listed = await git(
    'config',
    '--file',
    '.gitmodules',
    '--null',
    '--get-regexp',
    '^submodule\\..*\\.path$',
  ).catch(() => '');
  const borrowed: string[] = [];
  for (const [key, path] of listed
    .split('\0')
    .filter(Boolean)
    .map((entry) => entry.split('\n') as [string, string])) {
    const name = key.slice('submodule.'.length, -'.path'.length);
    const entry = await git('--git-dir', join(target, '.git'), 'ls-files', '--stage', '--', path);
    const whole = join(within.path, path);
    const recorded = /^160000 ([0-9a-f]+) /.exec(entry)?.[1];
    const revision = recorded && (within.tracked[whole] ?? recorded);
    const source = join(repository, 'modules', name);
    if (!revision || normalize(name).startsWith('..') || !(await exists(source))) continue;
    const folder = await assertInside(target, path);
    mkdirSync(folder, { recursive: true });
    borrowed.push(...(await borrow(source, revision, folder, true, budget, { ...within, path: whole })));
  }
  return borrowed;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Links stay links, wherever they lead: inside the sandbox there is nothing for them to find. */
async function copyFolder(path: string, target: string, budget: CheckoutBudget | undefined): Promise<void> {
  if (!(await exists(path)))
    throw new SpecError(
      `The project folder ${path} does not exist. Correct the project's local path, or create the folder.`,
    );
  await copyTree(path, target, budget).catch((error: Error) => {
    if (error instanceof SpecError) throw error;
    throw new SpecError(`The project folder ${path} could not be copied: ${error.message}`);
  });
}

/** Each file for itself and synchronously: `cp` takes half a millisecond of our thread for it, this takes a tenth of that. */
async function copyTree(from: string, to: string, budget: CheckoutBudget | undefined): Promise<void> {
  if (!lstatSync(from).isDirectory()) throw new Error('it is no folder');
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  await inTurns(entries, async ({ parentPath, name }) => {
    const source = join(parentPath, name);
    const target = join(to, relative(from, source));
    const about = lstatSync(source);
    if (about.isDirectory()) return mkdirSync(target, { mode: (about.mode & 0o777) | 0o700 });
    if (about.isSymbolicLink()) return symlinkSync(readlinkSync(source), target);
    if (!about.isFile()) throw new Error(`${relative(from, source)} is neither a file, a folder nor a link`);
    budget?.spend(about.size);
    if (about.size > largeFile) await copyFile(source, target, constants.COPYFILE_FICLONE);
    else copyFileSync(source, target, constants.COPYFILE_FICLONE);
    utimesSync(target, about.atimeMs / 1000, about.mtimeMs / 1000);
  });
}

const largeFile = 1 << 20;

/** A large checkout must not hold up everybody else. */
async function inTurns<T>(items: readonly T[], work: (item: T) => unknown): Promise<void> {
  for (const [index, item] of items.entries()) {
    // oxlint-disable-next-line no-await-in-loop
    await work(item);
    // oxlint-disable-next-line no-await-in-loop
    if (index % 100 === 99) await new Promise(setImmediate);
  }
}

async function giveTree(root: string, uid: number, gid: number): Promise<void> {
  chmodSync(root, 0o700);
  lchownSync(root, uid, gid);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  await inTurns(entries, ({ parentPath, name }) => lchownSync(join(parentPath, name), uid, gid));
}

async function assertInside(root: string, path: string): Promise<string> {
  if (!path || isAbsolute(path) || path.includes('\0') || path.split(/[\\/]/).includes('..')) {
    throw new SpecError(`${JSON.stringify(path)} must be a path inside the project.`);
  }
  const home = await realpath(root);
  let folder = home;
  for (const part of normalize(path).split(sep)) {
    const next = join(folder, part);
    folder = await realpath(next).catch(() => next);
    const away = relative(home, folder);
    if (away === '..' || away.startsWith(`..${sep}`) || isAbsolute(away)) {
      throw new SpecError(`${JSON.stringify(path)} leads out of the project through a symbolic link.`);
    }
  }
  return folder;
}

/**
 * A playbook lies in its project: not above it, not elsewhere, not behind a link that leads out.
 * A missing one is not refused: the engine says it better.
 * @throws SpecError
 */
export async function assertPlaybookInside(root: string, playbook: string): Promise<void> {
  await assertInside(root, playbook);
}
