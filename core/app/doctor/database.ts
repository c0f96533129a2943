import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Config } from '../../config/config.ts';
import { connectionSettings } from '../../db/connection.ts';
import { pendingMigrations } from '../../db/migrate.ts';
import { runningUrl } from '../../db/postgres.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import { checkNodes } from './nodes.ts';

const clockToleranceMs = 2000;

/** Reachable, right version, migrated, same time. Does not start the embedded server: looking must not change anything. */
export async function checkDatabase(config: Pick<Config, 'databaseUrl' | 'dataDir' | 'root'>): Promise<Finding[]> {
  const url = config.databaseUrl || runningUrl(config.dataDir);
  if (!url) {
    const made = existsSync(join(config.dataDir, 'postgres', 'data'));
    return [ok(made ? 'embedded Postgres: made, not running now' : 'embedded Postgres: made at the first start')];
  }
  const client = new pg.Client({ ...connectionSettings(url, 'doctor'), query_timeout: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('server_version') as version, extract(epoch from clock_timestamp())::float8 * 1000 as now`,
    );
    const schema = await migrations(client, config.root);
    return [
      ok(`database reached: Postgres ${rows[0].version}`),
      schema,
      clock(rows[0].now),
      ...(schema.level === 'ok' ? await checkNodes(client) : []),
    ];
  } catch (error) {
    return [
      fail(
        `database not reached: ${(error as Error).message}`,
        config.databaseUrl
          ? 'Start the server, or correct DATABASE_URL.'
          : `See ${config.dataDir}/postgres/server.log.`,
      ),
    ];
  } finally {
    client.end().catch(() => undefined);
  }
}

async function migrations(client: pg.Client, root: string): Promise<Finding> {
  try {
    const pending = await pendingMigrations(client, join(root, 'migrations'));
    return pending.length
      ? warn(
          `database lacks migrations: ${pending.join(', ')}`,
          'Run `npm run tapline -- migrate`; starting the service does it too.',
        )
      : ok('database is up to date');
  } catch (error) {
    return fail((error as Error).message, 'Start the newer version.');
  }
}

function clock(serverMs: number): Finding {
  const apart = Math.abs(serverMs - Date.now());
  return apart < clockToleranceMs
    ? ok('clock agrees with the database')
    : warn(
        `clock and database differ by ${Math.round(apart)} ms`,
        'Synchronise the clocks (NTP): times of events come from here, times of rows from there.',
      );
}
