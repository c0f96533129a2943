import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists, indexPack, REVISION } from './cache.ts';
import { type Contents, contentsOf, mergeContents } from './contents.ts';
import { git } from './git.ts';
import { repackIfMany } from './repack.ts';

/** As submodules.py writes it, a line of JSON for each. */
interface Module {
  /** its repository below the cache: `modules/<name>`, that of an inner one `modules/<name>/modules/<name>` */
  place: string;
  commit: string;
  /** in the working tree */
  path: string;
  pack: string;
  /** the newest of its branch, not the one that the revision names */
  tracked: boolean;
}

const placeForm = /^modules(\/(?!\.\.?(\/|$))[\w.@+-]+)+$/;
const packForm = /^module-\d{1,4}$/;
const most = 200;

/** Takes over the submodules that an update fetched, each by its pack alone. */
export async function importModules(
  cache: string,
  { work, modules, revision }: { work: string; modules: string; revision: string },
): Promise<Module[]> {
  const all = modules.split('\n').filter(Boolean).slice(0, most).map(readModule);
  // one after the other: an inner one may borrow from none, but each takes the disk for itself
  for (const { place, commit, pack } of all) {
    const repository = join(cache, place);
    if (!(await exists(join(repository, 'objects')))) {
      await mkdir(dirname(repository), { recursive: true, mode: 0o711 });
      await git(['init', '--quiet', '--bare', '--', repository], { cwd: cache });
    }
    await indexPack(repository, work, pack);
    await git(['cat-file', '-e', `${commit}^{commit}`], { cwd: repository });
    await git(['update-ref', '--', `refs/tapline/used/${commit}`, commit], { cwd: repository });
    await repackIfMany(repository);
  }
  await writeTracked(
    cache,
    revision,
    all.filter(({ tracked }) => tracked),
  );
  return all;
}

/** What a revision offers together with its submodules. */
export async function contentsWithModules(
  cache: string,
  revision: string,
  modules: readonly Module[],
): Promise<Contents> {
  const own = await contentsOf(cache, revision);
  if (!modules.length) return own;
  const parts = [{ path: '', contents: own }];
  for (const { path, place, commit } of modules)
    parts.push({ path, contents: await contentsOf(join(cache, place), commit) });
  return mergeContents(parts);
}

function readModule(line: string): Module {
  const module = JSON.parse(line) as Module;
  const right =
    placeForm.test(module.place) &&
    REVISION.test(module.commit) &&
    packForm.test(module.pack) &&
    typeof module.path === 'string';
  if (!right) throw new Error('The update named a submodule that cannot be.');
  return module;
}

const trackedFile = (cache: string, revision: string): string => join(cache, `tracked-${revision}.json`);

/** Which commits stand in place of those that a revision names, by path; of the last update of that revision. */
async function writeTracked(cache: string, revision: string, tracked: readonly Module[]): Promise<void> {
  const file = trackedFile(cache, revision);
  if (!tracked.length && !(await exists(file))) return;
  const commits = Object.fromEntries(tracked.map(({ path, commit }) => [path, commit]));
  await writeFile(`${file}.new`, JSON.stringify(commits), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export async function trackedModules(cache: string, revision: string): Promise<Record<string, string>> {
  const file = trackedFile(cache, revision);
  return (await exists(file)) ? (JSON.parse(await readFile(file, 'utf8')) as Record<string, string>) : {};
}
