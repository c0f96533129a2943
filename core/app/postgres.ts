import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../observe/log.ts';
import { isTraversable } from './data-dir.ts';
import { findBinaries, runAs, type ServerUser, serverUser } from './postgres-binaries.ts';

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
  let adopted = await adopt(place);
  if (!adopted) await start(place);
  await createDatabase(place);
  return {
    url: urlOf(place, database),
    adopted,
    get pid() {
      return readPidFile(place)?.pid ?? 0;
    },
    async ensure() {
      adopted = await adopt(place);
      if (!adopted) await start(place);
    },
    stop: () => stop(place),
    release: () => release(place),
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

async function initialise({ user, bin, data, log }: Place): Promise<void> {
  log.info({ folder: data }, 'making the database');
  const draft = `${data}.new`;
  // left by an attempt that was killed; the rename makes the finished one appear at once
  rmSync(draft, { recursive: true, force: true });
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
  if (code !== 0)
    throw new Error(
      `The database could not be made in ${data}: ${output.trim()}\nA user without an entry in /etc/passwd cannot do it: set DATABASE_URL to a server there.`,
    );
  renameSync(draft, data);
}

/** Is a server there that answers? Then it is ours to use. A dead one's remains are waited for or cleared. */
async function adopt(place: Place): Promise<boolean> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const running = readPidFile(place);
    if (!running || !isAlive(running.pid)) return false;
    if (await answers(urlOf({ ...place, socketDir: running.socketDir || place.socketDir }, 'postgres'))) {
      if (running.socketDir) place.socketDir = running.socketDir;
      return true;
    }
    if (performance.now() > deadline) {
      if (processState(running.pid) !== 'Z')
        throw new Error(
          `Postgres process ${running.pid} of ${place.data} does not answer. See ${place.home}/server.log; end that process, then start again.`,
        );
      // a zombie that nobody reaps would look like a running server for ever
      rmSync(join(place.data, 'postmaster.pid'), { force: true });
      return false;
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
    const file = readPidFile({ data });
    if (file?.status === 'ready' && file.startedAt >= earliest && isAlive(file.pid)) return true;
    // oxlint-disable-next-line no-await-in-loop
    await delay(10);
  }
  return false;
}

async function release(place: Place): Promise<void> {
  const others = await query(
    urlOf(place, 'postgres'),
    `select 1 from pg_stat_activity where application_name = 'tapline bus'`,
  ).catch(() => []);
  if (others.length) place.log.info('embedded Postgres left running: another process uses it');
  else await stop(place);
}

async function stop(place: Place): Promise<void> {
  const { code, output } = await runAs(
    place.user,
    join(place.bin, 'pg_ctl'),
    ['stop', '-m', 'fast', '-w', '-t', '60', '-D', place.data],
    65_000,
  );
  const gone = /no server running|does not exist/i.test(output);
  if (code !== 0 && !gone) place.log.error({ output }, 'embedded Postgres did not stop');
  rmSync(place.socketDir, { recursive: true, force: true });
}

async function createDatabase(place: Place): Promise<void> {
  const rows = await query(urlOf(place, 'postgres'), `select 1 from pg_database where datname = '${database}'`);
  if (!rows.length) await query(urlOf(place, 'postgres'), `create database ${database}`);
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
  const running = readPidFile({ data: join(resolve(dataDir), 'postgres', 'data') });
  return running?.socketDir && isAlive(running.pid) ? urlOf(running, database) : null;
}

interface PidFile {
  pid: number;
  /** seconds since 1970 */
  startedAt: number;
  socketDir: string;
  status: string;
}

/** Lines of postmaster.pid: pid, data folder, start time, port, socket folder, address, shared memory, status. */
function readPidFile({ data }: { data: string }): PidFile | null {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    const [pid, , startedAt, , socketDir = '', , , status = ''] = lines;
    return { pid: Number(pid), startedAt: Number(startedAt), socketDir: socketDir.trim(), status: status.trim() };
  } catch {
    return null;
  }
}

/** After a restart of the machine the number may belong to another program, which Postgres itself finds out. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
  return !existsSync('/proc/self/stat') || processName(pid) === 'postgres';
}

function statFields(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
const processName = (pid: number) => /\((.*)\)/.exec(statFields(pid))?.[1];
const processState = (pid: number) => /\) (\S)/.exec(statFields(pid))?.[1];

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(-8).join('\n');
  } catch {
    return '';
  }
}
