import { constants } from 'node:fs';
import { mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git } from './git.ts';

export const cachePath = (dataDir: string, project: number): string => join(dataDir, 'projects', `${project}.git`);

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

export const REVISION = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const REF_LINE = /^([0-9a-f]{40}(?:[0-9a-f]{24})?) (refs\/[\w./@+-]+)$/;

export interface Fetched {
  /** the job's folder that the sandbox could write to */
  work: string;
  /** lines `<hash> <ref>` */
  refs: string;
  revision: string;
  /** start again from nothing */
  replace: boolean;
}

/**
 * Takes over what an update fetched. The sandbox's repository is never opened: only its pack is read, and git
 * checks every object of it by its hash.
 */
export async function importFetched(cache: string, { work, refs, revision, replace }: Fetched): Promise<string> {
  const commit = revision.trim();
  if (!REVISION.test(commit)) throw new Error('The update named no revision.');
  if (replace) await rm(cache, { recursive: true, force: true });
  if (!(await exists(cache))) {
    await mkdir(dirname(cache), { recursive: true, mode: 0o711 });
    await git(['init', '--quiet', '--bare', '--', cache], { cwd: dirname(cache) });
  }
  await indexPack(cache, work);
  await git(['cat-file', '-e', `${commit}^{commit}`], { cwd: cache });
  await writeRefs(cache, refs, commit);
  return commit;
}

export async function indexPack(cache: string, work: string, name = 'pack'): Promise<void> {
  const folder = join(await realpath(work), 'fetched');
  if ((await realpath(folder)) !== folder) throw new Error('The result of the update leads elsewhere.');
  const pack = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await pack.stat()).isFile()) throw new Error('The result of the update is not a file.');
    await git(['index-pack', '--stdin', '--fix-thin'], { cwd: cache, stdin: pack.fd, timeoutMs: 600_000 });
  } finally {
    await pack.close();
  }
}

/** The refs as the source has them now; each revision ever used stays reachable, since jobs may still want it. */
async function writeRefs(cache: string, refs: string, commit: string): Promise<void> {
  const wanted = new Map(
    refs.split('\n').flatMap((line) => {
      const match = REF_LINE.exec(line);
      return match && !match[2]!.includes('..') && !match[2]!.endsWith('.lock')
        ? [[match[2]!, match[1]!] as const]
        : [];
    }),
  );
  wanted.set(`refs/tapline/used/${commit}`, commit);
  const current = (await git(['for-each-ref', '--format=%(refname)'], { cwd: cache })).split('\n').filter(Boolean);
  const gone = current.filter((name) => !wanted.has(name) && !name.startsWith('refs/tapline/'));
  const commands = [
    ...gone.map((name) => `delete ${name}`),
    ...[...wanted].map(([name, hash]) => `update ${name} ${hash}`),
  ];
  await git(['update-ref', '--stdin'], { cwd: cache, stdin: `${commands.join('\n')}\n` });
}

/** The commit that a branch, tag or commit means in the cache; null when it is not there. */
export async function resolveRevision(cache: string, name: string): Promise<string | null> {
  if (!(await exists(cache))) return null;
  for (const candidate of name
    ? [`refs/heads/${name}`, `refs/tags/${name}`, `refs/remotes/origin/${name}`, `refs/${name}`, name]
    : ['refs/tapline/head']) {
    const found = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${candidate}^{commit}`], {
      cwd: cache,
    }).catch(() => '');
    if (REVISION.test(found.trim())) return found.trim();
  }
  return null;
}
