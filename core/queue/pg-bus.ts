import type { Knex } from 'knex';
import pg from 'pg';
import { connectionSettings } from '../db/connection.ts';
import { runPrepared } from '../db/prepared.ts';
import { errorText } from '../db/error-text.ts';
import type { Log } from '../observe/log.ts';
import type { AnyMessage, Bus, BusMessages } from './bus.ts';
import { holdSignOfLife } from './sign-of-life.ts';

const channel = 'tapline';
const probeEveryMs = 1000;
const probeTimeoutMs = 1000;
const connectTimeoutMs = 1500;
const backoffMs = [0, 100, 250, 500, 1000];

const notification = {
  name: 'notify',
  text: 'select pg_notify($1, payload) from unnest($2::text[]) as payload',
};

/** What it takes says the name that it listens to. */
type Listener = (message: never) => void;

interface BusDeps {
  config: { databaseUrl: string };
  log: Log;
  /** stands for this process: others see by it that it is connected */
  bootId?: string;
}

const payloadOf = (name: string, message: unknown) => JSON.stringify({ c: name, m: message });

/**
 * One listening connection per process. It is also the probe for Postgres itself: a server that fell
 * silent (stopped, cut off) is noticed here within 4 s, before any query's own time limit.
 */
export class PgBus implements Bus {
  readonly #databaseUrl: string;
  readonly #log: Log;
  readonly #bootId: string | undefined;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #watchers = new Set<(available: boolean) => void>();
  #client: pg.Client | null = null;
  #available = false;
  #stopped = false;
  /** the last time that it went */
  #awaySince: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ config, log, bootId }: BusDeps) {
    this.#databaseUrl = config.databaseUrl;
    this.#log = log;
    this.#bootId = bootId;
  }

  /** False once the connection was lost and could not be made again at once: Postgres is away. */
  get available(): boolean {
    return this.#available;
  }

  onAvailable(watcher: (available: boolean) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  on<C extends keyof BusMessages>(name: C, listener: (message: BusMessages[C]) => void): () => void {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set);
    set.add(listener);
    return () => void set.delete(listener);
  }

  async notify<C extends keyof BusMessages>(trx: Knex, name: C, message: BusMessages[C]): Promise<void> {
    await this.notifyAll(trx, [[name, message] as AnyMessage]);
  }

  parcel<C extends keyof BusMessages>(name: C, message: BusMessages[C]): [string, string] {
    return [channel, payloadOf(name, message)];
  }

  /** Any number of messages in one statement. */
  async notifyAll(trx: Knex, messages: readonly AnyMessage[]): Promise<void> {
    const payloads = messages.map(([c, m]) => payloadOf(c, m));
    if (payloads.length) await runPrepared(trx, notification, [channel, payloads]);
  }

  async start(): Promise<void> {
    await this.#connect();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const last = this.#client;
    this.#client = null;
    // a silent server would be waited for
    if (last)
      await Promise.race([last.end(), new Promise((resolve) => setTimeout(resolve, 1000).unref())]).catch(
        () => undefined,
      );
  }

  async #connect(): Promise<void> {
    const settings = connectionSettings(this.#databaseUrl, 'bus');
    const client = new pg.Client({
      ...settings,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: probeTimeoutMs,
    });
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ payload }) => this.#receive(payload));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      if (this.#bootId !== undefined) await client.query(holdSignOfLife(this.#bootId));
    } catch (error) {
      drop(client);
      throw error;
    }
    if (this.#stopped) return drop(client);
    this.#client = client;
    this.#setAvailable(true);
    this.#scheduleProbe(client);
  }

  #scheduleProbe(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      if (this.#client !== client) return;
      client.query('select 1').then(
        () => this.#scheduleProbe(client),
        () => this.#lost(client),
      );
    }, probeEveryMs);
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    clearTimeout(this.#timer);
    drop(client);
    if (!this.#stopped) void this.#reconnect(0);
  }

  async #reconnect(attempt: number): Promise<void> {
    try {
      await this.#connect();
      // messages sent meanwhile are gone: whoever follows a state must read it again
      if (!this.#stopped) this.#emit('reconnected', {});
    } catch (error) {
      this.#setAvailable(false, error);
      const wait = backoffMs[Math.min(attempt + 1, backoffMs.length - 1)];
      if (!this.#stopped) this.#timer = setTimeout(() => void this.#reconnect(attempt + 1), wait);
    }
  }

  /** The two lines that tell of an outage. */
  #setAvailable(value: boolean, error?: unknown): void {
    if (this.#available === value) return;
    this.#available = value;
    if (!value) {
      this.#awaySince = performance.now();
      this.#log.warn({ reason: errorText(error) }, 'database away');
    } else if (this.#awaySince === undefined) {
      this.#log.info('database reached');
    } else {
      const seconds = (performance.now() - this.#awaySince) / 1000;
      this.#log.warn({ away_s: Math.round(seconds * 10) / 10 }, 'database reached again');
    }
    for (const watcher of this.#watchers) watcher(value);
  }

  #receive(payload: string | undefined): void {
    try {
      const { c, m } = JSON.parse(payload ?? '');
      this.#emit(c, m);
    } catch (err) {
      this.#log.warn({ err }, 'a message on the bus could not be read');
    }
  }

  #emit(name: string, message: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(message as never);
      } catch (err) {
        this.#log.error({ err, channel: name }, 'a listener of the bus failed');
      }
    }
  }
}

/** `end` waits for a silent server: the socket has to go. */
function drop(client: pg.Client): void {
  client.end().catch(() => undefined);
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

export const createBus = (deps: BusDeps) => new PgBus(deps);
