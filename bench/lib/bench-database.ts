import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb } from '@tapline/core/db/database.ts';
import { migrate } from '@tapline/core/db/migrate.ts';
import { startPostgres } from '@tapline/core/db/postgres.ts';
import type { Knex } from 'knex';
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

/** A Postgres of its own as the service ships it, with default durability (commits are part of what is measured), migrated. */
export async function withPostgres<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-bench-'));
  const server = await startPostgres({ dataDir: folder, log });
  try {
    await migrate({ databaseUrl: server.url, folder: join(root, 'migrations') });
    return await work(server.url);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same, with connections to it. */
export const onDatabase = <T>(work: (db: Knex, databaseUrl: string) => Promise<T>): Promise<T> =>
  withPostgres(async (databaseUrl) => {
    const db = createDb({ config: { databaseUrl }, log });
    try {
      return await work(db, databaseUrl);
    } finally {
      await db.destroy();
    }
  });

/** A database with many runs; one that BENCH_DATABASE_URL names may keep its content from an earlier time. */
export async function withManyRuns<T>(jobs: number, work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const given = process.env.BENCH_DATABASE_URL;
  const filled = async (url: string) => {
    if (!(await isFilled(url))) {
      progress(`filling the database with ${jobs.toLocaleString('en')} jobs: a minute or two`);
      await fillRuns(url, jobs);
    }
    return work(url);
  };
  if (given === undefined) return withPostgres(filled);
  await migrate({ databaseUrl: given, folder: join(root, 'migrations') });
  return filled(given);
}
