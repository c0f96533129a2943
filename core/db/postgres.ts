import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../observe/log.ts';
import { isTraversable } from '../config/data-dir.ts';
import { findBinaries, runAs, type ServerUser, serverUser } from './postgres-binaries.ts';
import { isServerAlive, isUnreaped, readPostmasterFile, removeLocks } from './postmaster-file.ts';

export interface PostgresServer {
  url: string;
  pid: number;
  /** it was running already: left by a process of ours that was killed */
  adopted: boolean;
  /** Starts it again if it is gone. */
  ensure(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it, unless another process of the service still uses it. */
  release(): Promise<void>;
  /** Ends it without saving anything, for a process that cannot await any more; blocks until it is gone. */
  abandon(): void;
}

interface Place {
  user: ServerUser;
  bin: string;
  /** holds `data` and the log; belongs to the server's user */
  home: string;
  data: string;
  socketDir: string;
  options: Record<string, string>;
  log: Log;
}

const database = 'tapline';
const startTimeoutS = 60;
/** of either way to stop it */
const stopTimeoutS = 30;

/** The embedded Postgres of a data folder: made on first use, adopted when it runs already, started otherwise. */
export async function startPostgres({
  dataDir,
  log,
  options = {},
}: {
  dataDir: string;
  log: Log;
  options?: Record<string, string>;
}): Promise<PostgresServer> {
  const place = await preparePlace(resolve(dataDir), log, options);
  if (!existsSync(place.data)) await initialise(place);
  let adopted = await adoptOrStart(place);
  await createDatabase(place);
  return {
    url: urlOf(place, database),
    adopted,
    get pid() {
      return readPostmasterFile(place.data)?.pid ?? 0;
    },
    async ensure() {
      adopted = await adoptOrStart(place);
    },
    stop: () => stop(place),
    release: () => release(place),
    abandon: () => abandon(place),
  };
}

async function preparePlace(dataDir: string, log: Log, options: Record<string, string>): Promise<Place> {
  const user = serverUser();
  const asRoot = user.uid !== undefined;
  mkdirSync(dataDir, { recursive: true, mode: asRoot ? 0o711 : 0o700 });
  // the folder itself is ours to open for passing through; what lies in it keeps its own modes
  if (asRoot) chmodSync(dataDir, 0o711);
  if (asRoot && !isTraversable(dataDir)) {
    throw new Error(
      `As root, the embedded Postgres runs as user "${user.name}", who cannot enter the data folder ${dataDir}: one of the folders above it is private. ` +
        'Set TAPLINE_DATA to a folder such as /var/lib/tapline, or DATABASE_URL to a server.',
    );
  }
  const home = join(dataDir, 'postgres');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  give(user, home);
  const bin = await findBinaries(user, dataDir);
  return { user, bin, home, data: join(home, 'data'), socketDir: socketFolder(user, home), options, log };
}

const give = (user: ServerUser, path: string) => {
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid ?? user.uid);
};

/** A Unix socket's path may have 107 bytes, so it lies in the temporary folder; only root and the server's user get in. */
function socketFolder(user: ServerUser, home: string): string {
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 12);
  const base =
    /^[\w./-]{1,60}$/.test(tmpdir()) && (user.uid === undefined || isTraversable(tmpdir())) ? tmpdir() : '/tmp';
  const wanted = user.uid ?? process.getuid?.();
  for (let attempt = 0; attempt < 5; attempt++) {
    const folder = join(base, `tapline-${hash}${attempt ? `-${attempt}` : ''}`);
    makeSocketFolder(user, folder);
    const found = lstatSync(folder);
    // somebody else may have made a folder of that name to catch our connections
    if (found.isDirectory() && (wanted === undefined || found.uid === wanted) && (found.mode & 0o077) === 0)
      return folder;
  }
  throw new Error(`No safe folder for the database socket in ${base}: remove ${base}/tapline-${hash}*.`);
}

function makeSocketFolder(user: ServerUser, folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    give(user, folder);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
}

/** Whoever is first makes it; the rename makes it appear at once, and finished. */
async function initialise({ user, bin, data, log }: Place): Promise<void> {
  log.info({ folder: data }, 'making the database');
  const draft = `${data}.new-${randomBytes(4).toString('hex')}`;
  const args = [
    '-D',
    draft,
    '-U',
    'svc',
    '--auth=trust',
    '-E',
    'UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  const { code, output } = await runAs(user, join(bin, 'initdb'), args, 120_000);
  if (code === 0 && !existsSync(data)) renameUnlessThere(draft, data);
  if (!existsSync(data))
    throw new Error(
      `The database could not be made in ${data}: ${output.trim()}\nA user without an entry in /etc/passwd cannot do it: set DATABASE_URL to a server there.`,
    );
  removeDrafts(data);
}

function renameUnlessThere(draft: string, data: string): void {
  try {
    renameSync(draft, data);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as { code?: string }).code ?? '')) throw error;
  }
}

/** Those that came second, and those of starts that were killed, which may still be written to. */
function removeDrafts(data: string): void {
  const home = dirname(data);
  for (const name of readdirSync(home))
    if (name.startsWith(`${basename(data)}.new`))
      rmSync(join(home, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

const patienceMs = 15_000;
const passing = /lock file "[^"\n]{1,300}" already exists|pre-existing shared memory block/;

/**
 * Another process of ours may be about to start it too, and what a killed server leaves takes a moment to end.
 * @returns whether it ran already
 */
async function adoptOrStart(place: Place): Promise<boolean> {
  for (const deadline = performance.now() + patienceMs; ;) {
    if (await adopt(place)) return true;
    try {
      await start(place);
      return false;
    } catch (error) {
      if (performance.now() > deadline || !passing.test((error as Error).message)) throw error;
      await delay(100);
    }
  }
}

/** Is a server there that answers? Then it is ours to use. A dead one's remains are waited for or cleared. */
async function adopt(place: Place): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const running = readPostmasterFile(place.data);
    if (!running || !isServerAlive(running.pid)) return false;
    if (isUnreaped(running.pid)) {
      removeLocks(place.data, running);
      return false;
    }
    if (await answers(urlOf({ ...place, socketDir: running.socketDir || place.socketDir }, 'postgres'))) {
      if (running.socketDir) place.socketDir = running.socketDir;
      return true;
    }
    if (performance.now() > deadline) {
      if (running.status === 'stopping' && (await control(place, 'immediate'))) return false;
      throw new Error(
        `Postgres process ${running.pid} of ${place.data} does not answer. See ${place.home}/server.log; end that process, then start again.`,
      );
    }
    await delay(100);
  }
}

async function start({ user, bin, data, home, socketDir, options, log }: Place): Promise<void> {
  makeSocketFolder(user, socketDir);
  const settings: Record<string, string> = {
    listen_addresses: "''",
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    jit: 'off',
    ...options,
  };
  const flags = Object.entries(settings)
    .map(([key, value]) => `-c ${key}=${value}`)
    .join(' ');
  const args = ['start', '-w', '-t', String(startTimeoutS), '-D', data, '-l', join(home, 'server.log'), '-o', flags];
  const ended = new AbortController();
  const controlled = runAs(user, join(bin, 'pg_ctl'), args, (startTimeoutS + 5) * 1000).finally(() => ended.abort());
  // pg_ctl looks ten times a second only; that something is wrong it knows best
  const ready = await isReady(data, ended.signal);
  const { code, output } = ready ? { code: 0, output: '' } : await controlled;
  if (code !== 0)
    throw new Error(`The embedded Postgres did not start: ${output.trim()}\n${lastLines(join(home, 'server.log'))}`);
  log.info({ folder: data }, 'embedded Postgres started');
}

/** True as soon as a server that was started now takes connections, false when the signal came first. */
async function isReady(data: string, given: AbortSignal): Promise<boolean> {
  // the file tells whole seconds
  const earliest = Math.floor(Date.now() / 1000) - 1;
  while (!given.aborted) {
    const file = readPostmasterFile(data);
    if (file?.status === 'ready' && file.startedAt >= earliest && isServerAlive(file.pid)) return true;
    // oxlint-disable-next-line no-await-in-loop
    await delay(10);
  }
  return false;
}

async function release(place: Place): Promise<void> {
  if (await isUsedByOthers(place)) place.log.info('embedded Postgres left running: another process uses it');
  else await stop(place);
}

const recoveryMs = 5000;

/** A server that recovers from a fault answers in a moment. One that does not answer at all is of use to nobody. */
async function isUsedByOthers(place: Place): Promise<boolean> {
  for (const deadline = performance.now() + recoveryMs; ;) {
    const others = await query(
      urlOf(place, 'postgres'),
      `select 1 from pg_stat_activity where application_name = 'tapline bus'`,
    ).catch(() => undefined);
    if (others) return others.length > 0;
    const running = readPostmasterFile(place.data);
    if (!running || !isServerAlive(running.pid) || performance.now() > deadline) return false;
    await delay(100);
  }
}

/**
 * A stop that falls into the server's recovery may last for ever: its processes wait for each other (seen with Postgres
 * 18.4). Then it ends without waiting for them; the next start replays what its log holds.
 */
async function stop(place: Place): Promise<void> {
  if (!(await control(place, 'fast')) && !(await control(place, 'immediate')))
    place.log.error({ folder: place.data }, 'embedded Postgres did not stop');
  rmSync(place.socketDir, { recursive: true, force: true });
}

/** @returns whether the server is gone */
async function control({ user, bin, data, log }: Place, mode: 'fast' | 'immediate'): Promise<boolean> {
  const args = ['stop', '-m', mode, '-w', '-t', String(stopTimeoutS), '-D', data];
  const { code, output } = await runAs(user, join(bin, 'pg_ctl'), args, (stopTimeoutS + 5) * 1000);
  if (code === 0 || /no server running|does not exist/i.test(output)) return true;
  log.warn({ mode, output }, 'embedded Postgres does not stop');
  return false;
}

const abandonedMs = 5000;

function abandon(place: Place): void {
  const pid = readPostmasterFile(place.data)?.pid;
  if (pid && isServerAlive(pid)) {
    process.kill(pid, 'SIGQUIT');
    // it takes files away itself: whoever removes its folder at the same time stumbles over them
    const until = performance.now() + abandonedMs;
    while (isServerAlive(pid) && !isUnreaped(pid) && performance.now() < until) blockFor(10);
  }
  rmSync(place.socketDir, { recursive: true, force: true });
}

const blockFor = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

async function createDatabase(place: Place): Promise<void> {
  const address = urlOf(place, 'postgres');
  const rows = await query(address, `select 1 from pg_database where datname = '${database}'`);
  if (rows.length) return;
  await query(address, `create database ${database}`).catch((error: { code?: string }) => {
    // somebody else did meanwhile: duplicate_database, or unique_violation when at the same moment
    if (!['42P04', '23505'].includes(error.code ?? '')) throw error;
  });
}

const urlOf = ({ socketDir }: { socketDir: string }, name: string) =>
  `postgres://svc@/${name}?host=${encodeURIComponent(socketDir)}`;

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 30_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const answers = (url: string) =>
  query(url, 'select 1').then(
    () => true,
    () => false,
  );

/** Address of a server that runs on this data folder, without starting or changing anything. */
export function runningUrl(dataDir: string): string | null {
  const running = readPostmasterFile(join(resolve(dataDir), 'postgres', 'data'));
  return running?.socketDir && isServerAlive(running.pid) ? urlOf(running, database) : null;
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(-8).join('\n');
  } catch {
    return '';
  }
}
