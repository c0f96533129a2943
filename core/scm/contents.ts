import { open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './git.ts';

export interface Contents {
  playbooks: string[];
  inventories: string[];
}

const HIDDEN = /(^|\/)\.[^/]*\//;
const NO_PLAYBOOKS = /(^|\/)(roles|tasks|group_vars|host_vars)\//;
const NO_INVENTORIES =
  /(^|\/)(roles|tasks|group_vars|host_vars|playbooks|library|plugins|templates|files|vars|meta|handlers)\//;
const MAX_INVENTORIES = 50;
const MAX_FILES = 20_000;

/** A line that starts a play, or takes in another playbook at the top level. POSIX, as git grep knows it. */
const PLAY = `^[[:space:]]*-?[[:space:]]*['"]?(hosts|((ansible\\.builtin\\.)?import_playbook)|include)['"]?[[:space:]]*:`;
const play = /^[ \t]*(?:-[ \t]*)?['"]?(?:hosts|(?:ansible\.builtin\.)?import_playbook|include)['"]?[ \t]*:/m;
const VAULT = '$ANSIBLE_VAULT;';

const isYaml = (path: string) => /\.ya?ml$/.test(path);
const mayBePlaybook = (path: string) => isYaml(path) && !HIDDEN.test(path) && !NO_PLAYBOOKS.test(path);
const mayBeInventory = (path: string) =>
  !HIDDEN.test(path) &&
  !NO_INVENTORIES.test(path) &&
  !path.split('/').at(-1)!.startsWith('.') &&
  (/\.(ini|ya?ml|json|py|sh)$/.test(path) || /(^|\/)(hosts|inventory)[^/.]*$/.test(path));

const byName = (a: string, b: string) => a.toLowerCase().localeCompare(b.toLowerCase()) || (a < b ? -1 : 1);

const conclude = (playbooks: Iterable<string>, files: readonly string[]): Contents => {
  const plays = new Set(playbooks);
  return {
    playbooks: [...plays].toSorted(byName),
    inventories: files
      .filter((file) => mayBeInventory(file) && !plays.has(file))
      .toSorted(byName)
      .slice(0, MAX_INVENTORIES),
  };
};

/** What a revision offers, read from the repository without checking it out. */
export async function contentsOf(cache: string, revision: string): Promise<Contents> {
  const tree = await git(['ls-tree', '-r', '-z', '--full-tree', revision], { cwd: cache });
  // plain files only: a link may lead anywhere
  const files = tree
    .split('\0')
    .flatMap((entry) => (entry.startsWith('100') ? [entry.slice(entry.indexOf('\t') + 1)] : []));
  const grep = async (args: string[]) => {
    // exit code 1 means that nothing matched
    const found = await git(['grep', '-z', ...args, revision, '--', '*.yml', '*.yaml'], { cwd: cache }).catch(
      (error: { code?: number }) => {
        if (error.code === 1) return '';
        throw error;
      },
    );
    return found;
  };
  const plays = (await grep(['-l', '-E', '-e', PLAY])).split('\0').map((name) => name.slice(revision.length + 1));
  const vaults = (await grep(['-n', '-F', '-e', VAULT])).split('\n').flatMap((line) => {
    const [name, number] = line.split('\0');
    return name && number === '1' ? [name.slice(revision.length + 1)] : [];
  });
  const known = new Set(files);
  return conclude(
    [...plays, ...vaults].filter((path) => known.has(path) && mayBePlaybook(path)),
    files,
  );
}

/** What a working tree offers whose parts come from several repositories, each with the folder that it fills ('' for the whole). */
export function mergeContents(parts: readonly { path: string; contents: Contents }[]): Contents {
  const all = (what: keyof Contents) =>
    parts.flatMap(({ path, contents }) => contents[what].map((file) => (path ? `${path}/${file}` : file)));
  return conclude(all('playbooks').filter(mayBePlaybook), all('inventories'));
}

/** The same for a folder of a manual project, read as it is now. Links are not followed. */
export async function contentsOfFolder(folder: string): Promise<Contents> {
  const files: string[] = [];
  const entries = await opendir(folder, { recursive: true }).catch(() => null);
  if (!entries) return { playbooks: [], inventories: [] };
  for await (const entry of entries) {
    if (!entry.isFile()) continue;
    files.push(join(entry.parentPath, entry.name).slice(folder.length + 1));
    if (files.length >= MAX_FILES) break;
  }
  const playbooks: string[] = [];
  for (const file of files.filter(mayBePlaybook)) {
    const head = await firstPart(join(folder, file));
    if (head.startsWith(VAULT) || play.test(head)) playbooks.push(file);
  }
  return conclude(playbooks, files);
}

async function firstPart(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(262_144), 0, 262_144, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
