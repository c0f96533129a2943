import { expandPlaces, type ExecSpec, type Places, SpecError } from '@tapline/plugin-sdk';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import type { ExitRecord, Told } from './executor.ts';
import type { Isolation } from './isolation.ts';
import { accounts } from './isolation.ts';
import { removeGroups } from './limits/cgroup.ts';
import { parseIdentity, type ProcessIdentity } from './process-identity.ts';

/** Where a job's files are. control/ and spool/ are the service's alone, work/ is the engine's. */
export interface Workspace {
  job: string;
  control: string;
  spool: string;
  work: string;
  /** the engine's /tmp */
  tmp: string;
  /** a short folder for sockets, where work/ has too long a path and nothing maps /tmp */
  extraTmp: string | null;
}

const run = promisify(execFile);

const recordSize = 4096;
/** A Unix socket's path may have 107 bytes, of which ssh needs about 40. */
const longestSocketFolder = 60;

export function workspaceAt(job: string, extraTmp: string | null = null): Workspace {
  const work = join(job, 'work');
  return {
    job,
    control: join(job, 'control'),
    spool: join(job, 'spool'),
    work,
    tmp: extraTmp ?? join(work, 'tmp'),
    extraTmp,
  };
}

const toldFile = 'told';

/** What is known of a job before its process exists. Nothing where it was being written when its writer died: then nothing has begun. */
export function readTold({ control }: Workspace): Told {
  const path = join(control, toldFile);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/** One that a process made that may have died meanwhile. */
export function workspaceFound(job: string): Workspace {
  const { extra_tmp: extraTmp } = readTold(workspaceAt(job));
  return workspaceAt(job, typeof extraTmp === 'string' ? extraTmp : null);
}

/** Throws EEXIST when the job has a workspace already. Synchronous on purpose: a dozen quick calls on the way to a start. */
export function makeWorkspace(job: string, isolation: Isolation, told: Told = {}): Workspace {
  mkdirSync(dirname(job), { recursive: true, mode: 0o711 });
  mkdirSync(job, { mode: 0o711 });
  const short = join(job, 'work', 'tmp').length <= longestSocketFolder || isolation.mode === 'bubblewrap';
  const place = workspaceAt(job, short ? null : mkdtempSync(join(tmpdir(), 'tapline-')));
  for (const folder of [place.control, place.spool]) mkdirSync(folder, { mode: 0o700 });
  // for whoever finds the job when the process that begins it has died
  const known = JSON.stringify({ ...told, extra_tmp: place.extraTmp });
  writeFileSync(join(place.control, toldFile), known, { mode: 0o600 });
  // at their full size from the start: a full disk must not keep the end of a job from being recorded
  writeFileSync(join(place.control, 'exit'), ' '.repeat(recordSize), { mode: 0o600 });
  writeFileSync(join(place.control, 'ack'), acknowledgement({ events: 0, stdout: 0 }), { mode: 0o600 });
  const { passwd, group } = accounts(isolation, join(place.work, 'home'));
  writeFileSync(join(place.control, 'passwd'), passwd, { mode: 0o644 });
  writeFileSync(join(place.control, 'group'), group, { mode: 0o644 });
  for (const folder of [
    place.work,
    ...['home', 'tmp', 'project', 'env', 'fact_cache'].map((name) => join(place.work, name)),
    ...(place.extraTmp ? [place.extraTmp] : []),
  ]) {
    if (folder !== place.extraTmp) mkdirSync(folder, { mode: 0o700 });
    own(folder, isolation);
  }
  return place;
}

export const acknowledgement = (stored: { events: number; stdout: number }) =>
  `${String(stored.events).padStart(20, '0')} ${String(stored.stdout).padStart(20, '0')}\n`;

export function own(path: string, { uid, gid }: Pick<Isolation, 'uid' | 'gid'>): void {
  if (uid !== null) chownSync(path, uid, gid ?? uid);
}

/** Into the fresh work/, before anything of the user's is there: no path can lead through a link yet. */
export function writeFiles(place: Workspace, files: ExecSpec['files'], isolation: Isolation, places: Places): void {
  const jsonPlaces = { workspace: inJson(places.workspace), tmp: inJson(places.tmp) };
  const made = new Set<string>(['.', 'env', 'home', 'tmp', 'project', 'fact_cache']);
  for (const { path, content, mode = 0o600, expand } of files) {
    const clean = normalize(path);
    if (isAbsolute(clean) || clean.startsWith('..') || clean.includes('\0'))
      throw new SpecError(`The file name ${JSON.stringify(path)} leads out of the workspace.`);
    for (const folder of ancestors(clean)) {
      if (made.has(folder)) continue;
      mkdirSync(join(place.work, folder), { mode: 0o700, recursive: true });
      own(join(place.work, folder), isolation);
      made.add(folder);
    }
    const target = join(place.work, clean);
    const within = expand === 'json' ? jsonPlaces : mode & 0o100 ? places : null;
    writeFileSync(target, typeof content === 'string' && within ? expandPlaces(content, within) : content, {
      mode,
      flag: 'wx',
    });
    // the process's umask must not decide about it
    if ((mode & 0o077) !== 0) chmodSync(target, mode);
    own(target, isolation);
  }
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

export function writeLinks(place: Workspace, links: NonNullable<ExecSpec['links']>, isolation: Isolation): void {
  for (const { path, target } of links) {
    for (const folder of ancestors(path)) {
      mkdirSync(join(place.work, folder), { mode: 0o700, recursive: true });
      own(join(place.work, folder), isolation);
    }
    symlinkSync(target, join(place.work, path));
  }
}

function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) found.unshift(folder);
  return found;
}

export function readIdentity(place: Workspace): ProcessIdentity | null {
  return parseIdentity(readOptional(join(place.control, 'pid')) ?? '');
}

/** Only one of the wrapper and a control plane that gives the job up can make this file. */
export function abandon(place: Workspace): boolean {
  try {
    writeFileSync(join(place.control, 'pid'), 'abandoned\n', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      return readOptional(join(place.control, 'pid')) === 'abandoned\n';
    throw error;
  }
}

/** Why a run is asked to end; the wrapper reads it when it is. The first one stays. */
export function writeReason(place: Workspace, detail: string): void {
  try {
    writeFileSync(join(place.control, 'reason'), detail, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

export function readExit(place: Workspace): ExitRecord | null {
  const text = readOptional(join(place.control, 'exit'))?.trim();
  return text ? (JSON.parse(text) as ExitRecord) : null;
}

/** Links are removed, not followed; retried, since a process of the job may be on its way out. */
export async function removeWorkspace(place: Workspace): Promise<void> {
  await removeGroups(place.control);
  for (const folder of [place.job, place.extraTmp]) {
    if (folder)
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }).catch(() => wrest(folder));
  }
}

/**
 * Folders nested deeper than a path is long, or without rights to them: these programs go step by step, and follow no link.
 * @throws where something is left all the same
 */
async function wrest(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  // it complains of what it may not change; whether that matters shows next
  await run('chmod', ['-R', 'u+rwX', '--', folder]).catch(() => undefined);
  await run('rm', ['-rf', '--', folder]);
}

function readOptional(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
