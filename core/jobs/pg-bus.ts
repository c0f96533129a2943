import type { Knex } from 'knex';
import pg from 'pg';
import { connectionSettings } from '../app/database.ts';
import type { Log } from '../observe/log.ts';
import type { Bus } from './bus.ts';

const channel = 'tapline';
const probeEveryMs = 1000;
const probeTimeoutMs = 1000;
const connectTimeoutMs = 1500;
const backoffMs = [0, 100, 250, 500, 1000];

export interface PgBus extends Bus {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** False once the connection was lost and could not be made again at once: Postgres is away. */
  readonly available: boolean;
  onAvailable(listener: (available: boolean) => void): () => void;
}

/**
 * One listening connection per process. It is also the probe for Postgres itself: a server that fell
 * silent (stopped, cut off) is noticed here within 4 s, before any query's own time limit.
 */
export function createBus({ config, log }: { config: { databaseUrl: string }; log: Log }): PgBus {
  const listeners = new Map<string, Set<(message: any) => void>>();
  const watchers = new Set<(available: boolean) => void>();
  let client: pg.Client | null = null;
  let available = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  function emit(name: string, message: unknown): void {
    for (const listener of listeners.get(name) ?? []) {
      try {
        listener(message);
      } catch (err) {
        log.error({ err, channel: name }, 'a listener of the bus failed');
      }
    }
  }

  function setAvailable(value: boolean): void {
    if (available === value) return;
    available = value;
    if (!stopped) log[value ? 'info' : 'warn'](value ? 'database reached' : 'database away');
    for (const watcher of watchers) watcher(value);
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({ ...connectionSettings(config.databaseUrl, 'bus'), connectionTimeoutMillis: connectTimeoutMs, query_timeout: probeTimeoutMs });
    next.on('error', () => lost(next));
    next.on('end', () => lost(next));
    next.on('notification', ({ payload }) => receive(payload));
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
    } catch (error) {
      drop(next);
      throw error;
    }
    if (stopped) return drop(next);
    client = next;
    setAvailable(true);
    timer = setTimeout(() => void probe(next), probeEveryMs);
  }

  function receive(payload: string | undefined): void {
    try {
      const { c, m } = JSON.parse(payload ?? '');
      emit(c, m);
    } catch (err) {
      log.warn({ err }, 'a message on the bus could not be read');
    }
  }

  async function probe(current: pg.Client): Promise<void> {
    if (client !== current) return;
    try {
      await current.query('select 1');
      timer = setTimeout(() => void probe(current), probeEveryMs);
    } catch {
      lost(current);
    }
  }

  function lost(which: pg.Client): void {
    if (client !== which) return;
    client = null;
    clearTimeout(timer);
    drop(which);
    if (!stopped) void reconnect(0);
  }

  async function reconnect(attempt: number): Promise<void> {
    try {
      await connect();
      // messages sent meanwhile are gone: whoever follows a state must read it again
      if (!stopped) emit('reconnected', {});
    } catch {
      setAvailable(false);
      if (!stopped) timer = setTimeout(() => void reconnect(attempt + 1), backoffMs[Math.min(attempt + 1, backoffMs.length - 1)]);
    }
  }

  return {
    get available() {
      return available;
    },
    onAvailable(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    start: connect,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      const last = client;
      client = null;
      if (last) await last.end().catch(() => undefined);
    },
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set);
      set.add(listener);
      return () => void set.delete(listener);
    },
    async notify(trx: Knex, name, message) {
      await trx.raw('select pg_notify(?, ?)', [channel, JSON.stringify({ c: name, m: message })]);
    },
  };
}

/** `end` waits for a silent server: the socket has to go. */
function drop(client: pg.Client): void {
  client.end().catch(() => undefined);
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
