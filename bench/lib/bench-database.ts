import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@tapline/core/app/migrate.ts';
import { startPostgres } from '@tapline/core/app/postgres.ts';
import pg from 'pg';
import { pino } from 'pino';
import { fillRuns } from './many-runs.ts';
import { progress } from './progress.ts';
import { root } from './service.ts';

const log = pino({ level: 'silent' });

async function isFilled(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query('select from runs limit 1')).rowCount === 1;
  } finally {
    await client.end();
  }
}

/**
 * A database with a million runs: in a Postgres of its own as the service ships it, or in the one that BENCH_DATABASE_URL
 * names, which may keep its content from an earlier time.
 */
export async function withManyRuns<T>(jobs: number, work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const given = process.env.BENCH_DATABASE_URL;
  const folder = given ? undefined : mkdtempSync(join(tmpdir(), 'tapline-bench-list-'));
  const server = folder ? await startPostgres({ dataDir: folder, log }) : undefined;
  const url = given ?? server!.url;
  try {
    await migrate({ databaseUrl: url, folder: join(root, 'migrations') });
    if (!(await isFilled(url))) {
      progress(`filling the database with ${jobs.toLocaleString('en')} jobs: a minute or two`);
      await fillRuns(url, jobs);
    }
    return await work(url);
  } finally {
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}
