import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startPostgres } from '../db/postgres.ts';
import { removeFolder } from './remove-folder.ts';

export interface TestServer {
  url: string;
  stop(): Promise<void>;
}

/** A throw-away Postgres; it need not survive a power cut, so it does not wait for the disk. It ends with this process at the latest. */
export async function startTestServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-test-'));
  const server = await startPostgres({
    dataDir: folder,
    log: pino({ level: 'silent' }),
    options: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
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
