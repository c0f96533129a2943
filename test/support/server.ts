import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../core/app/postgres.ts';
import { silentLog } from './log.ts';

export interface TestServer {
  url: string;
  stop(): Promise<void>;
}

/** A throw-away Postgres; it need not survive a power cut, so it does not wait for the disk. */
export async function startTestServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-test-'));
  const server = await startPostgres({
    dataDir: folder,
    log: silentLog,
    options: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
  });
  // Ctrl-C ends a test run before its last hooks, and may come twice; nothing may be awaited then
  const abandon = () => {
    if (server.pid) process.kill(server.pid, 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  process.on('exit', abandon);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
  return {
    url: server.url,
    async stop() {
      await server.stop();
      process.off('exit', abandon);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
