import { setTimeout as delay } from 'node:timers/promises';
import type { PgBus } from '../queue/pg-bus.ts';
import type { Log } from '../observe/log.ts';
import type { PostgresServer } from '../db/postgres.ts';

const betweenTriesMs = 1000;

/** Starts the embedded server again when it died under us. Resolves nothing: the returned function ends the watch. */
export function watchEmbedded({ server, bus, log }: { server: PostgresServer; bus: PgBus; log: Log }): () => void {
  const ended = new AbortController();
  let busy = false;
  const off = bus.onAvailable((available) => {
    if (!available && !busy) void revive();
  });

  async function revive(): Promise<void> {
    busy = true;
    while (!ended.signal.aborted && !bus.available) {
      try {
        await server.ensure();
      } catch (err) {
        log.error({ err }, 'the embedded Postgres could not be started again');
      }
      await delay(betweenTriesMs);
    }
    busy = false;
  }

  return () => {
    ended.abort();
    off();
  };
}
