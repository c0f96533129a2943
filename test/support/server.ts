import { mkdtempSync } from 'node:fs';
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
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
