import { mkdtempSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pino } from 'pino';
import { startPostgres } from '../db/postgres.ts';
import { removeFolder } from './remove-folder.ts';

export interface TestServer {
  url: string;
  stop(): Promise<void>;
}

/** A folder of Linux whose files are kept in memory. */
const memoryFolder = '/dev/shm';
const memoryFiles = 0x01021994;
/** More than the servers of all tests at once were seen to take. */
const plenty = 6 * 2 ** 30;

/** Of the folders of servers that were started with that temporary folder, kept in memory. */
export const inMemory = (temporary: string): string => join(memoryFolder, `${basename(temporary)}-tapline-test-`);

/**
 * In memory where there is plenty of it: each database is a thousand files, which took 0.7 s of a processor to make and to remove on
 * a disk (ext4), and 0.06 s in memory.
 */
function makeFolder(): string {
  let room = 0;
  try {
    const { type, bavail, bsize } = statfsSync(memoryFolder);
    if (type === memoryFiles) room = Math.min(bavail * bsize, freemem());
  } catch {
    // another system
  }
  return mkdtempSync(room >= plenty ? inMemory(tmpdir()) : join(tmpdir(), 'tapline-test-'));
}

/** A throw-away Postgres; it need not survive a power cut, so it does not wait for the disk. It ends with this process at the latest. */
export async function startTestServer(): Promise<TestServer> {
  const folder = makeFolder();
  const server = await startPostgres({
    dataDir: folder,
    log: pino({ level: 'silent' }),
    options: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '200',
      // of a log that nobody replays
      max_wal_size: '256MB',
    },
  });
  const forget = atExit(() => {
    server.abandon();
    removeFolder(folder);
  });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      forget();
      removeFolder(folder);
    },
  };
}

let shared: Promise<TestServer> | undefined;

/** The server of this process: one that is named from outside, else its own, started by whoever asks first. */
export async function serverOfProcess(): Promise<string> {
  return process.env.TEST_DATABASE_URL || (await (shared ??= startTestServer())).url;
}

/**
 * Does something when the process ends, also by a signal: Ctrl-C ends tests before their last hooks, and may come twice.
 * Nothing may be awaited then.
 * @returns what takes it back
 */
export function atExit(work: () => void): () => void {
  endBySignals();
  process.on('exit', work);
  return () => void process.off('exit', work);
}

let listening = false;

/** A signal that nobody listens to ends a process without its exit. */
function endBySignals(): void {
  if (listening) return;
  listening = true;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
}
