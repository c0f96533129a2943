import { join } from 'node:path';
import type { Knex } from 'knex';
import { createLog, type Log } from '../../observe/log.ts';
import { type Config, loadConfig } from '../../config/config.ts';
import { createDb } from '../../db/database.ts';
import { migrate } from '../../db/migrate.ts';
import { openDatabase } from '../../db/open-database.ts';

export interface CommandContext {
  config: Config;
  db: Knex;
  log: Log;
  applied: string[];
}

/** Runs an administration command on the migrated database; an embedded server that serves others goes on serving. */
export async function withDatabase<T>(work: (context: CommandContext) => Promise<T>): Promise<T> {
  const loaded = loadConfig();
  const log = createLog({ config: { ...loaded, logLevel: loaded.logLevel === 'info' ? 'warn' : loaded.logLevel } });
  const { databaseUrl, server } = await openDatabase({ config: loaded, log, waitMs: 5000 });
  const config = { ...loaded, databaseUrl };
  try {
    const applied = await migrate({ databaseUrl, folder: join(config.root, 'migrations') });
    const db = createDb({ config, log });
    try {
      return await work({ config, db, log, applied });
    } finally {
      await db.destroy();
    }
  } finally {
    await server?.release();
  }
}
