import type pg from 'pg';

/** Shorter than the 5 s within which a request must learn that Postgres is away. */
export const connectTimeoutMs = 3000;

export function connectionSettings(databaseUrl: string, name: string): pg.ClientConfig {
  return {
    // knex reads a plain URL with a socket folder wrongly, so it always goes in by this name
    connectionString: databaseUrl,
    application_name: `tapline ${name}`,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    options: '-c timezone=UTC',
  };
}
