import module from 'node:module';
import { join } from 'node:path';
import { config } from 'chai';
import { root } from '../../core/config/config.ts';
import { startTestServer, type TestServer } from '../../core/testing/server.ts';

// what the test files import, nearly all of core, is there in half the time
module.enableCompileCache(join(root, '.cache', 'compile'));

// a failure says what was found, not how many of it
config.truncateThreshold = 0;

let server: TestServer | null = null;

/** One Postgres for the whole run, unless TEST_DATABASE_URL names one. */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.env.TEST_DATABASE_URL) return;
  server = await startTestServer();
  process.env.TEST_DATABASE_URL = server.url;
}

export async function mochaGlobalTeardown(): Promise<void> {
  await server?.stop();
}
