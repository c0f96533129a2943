import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { createSettings } from '../../core/settings/settings.ts';
import type { Bus, BusMessages } from '../../core/queue/bus.ts';
import { createBus } from '../../core/queue/pg-bus.ts';
import { createIngest, type FollowOptions } from '../../core/runner/ingest/ingest.ts';
import {
  createRecordedExecutor,
  recordedExit,
  recordedFiles,
  type RecordedExecutor,
} from '../../bench/lib/recorded-events.ts';
import { silentLog } from '../support/log.ts';
import { quietBus } from '../support/runs.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** A spool that the test writes piece by piece, as the engine's callback would. */
export function createSpool() {
  const workspace = mkdtempSync(join(tmpdir(), 'tapline-spool-'));
  const path = (stream: 'events' | 'stdout') => join(workspace, recordedFiles[stream]);
  writeFileSync(path('events'), '');
  writeFileSync(path('stdout'), '');
  let position = 0;
  let serial = 0;
  return {
    handle: { executor: 'recorded', workspace },
    /** Output that no event will claim. */
    print(text: string | Buffer) {
      appendFileSync(path('stdout'), text);
      position += Buffer.byteLength(text);
    },
    /** An event with its text. */
    emit(
      event: string,
      text: string | Buffer = '',
      data: Record<string, unknown> = {},
      extra: Record<string, unknown> = {},
    ) {
      const from = position;
      this.print(text);
      serial += 1;
      const line = {
        event,
        uuid: `u${serial}`,
        parent_uuid: '',
        created: '2026-11-21T10:00:00.123456Z',
        from,
        to: position,
        verbosity: 0,
        ...extra,
        event_data: data,
      };
      appendFileSync(path('events'), `${JSON.stringify(line)}\n`);
      return line.uuid as string;
    },
    raw: (stream: 'events' | 'stdout', text: string | Buffer) => appendFileSync(path(stream), text),
    fact(host: string, document: unknown) {
      mkdirSync(join(workspace, 'fact_cache'), { recursive: true });
      writeFileSync(
        join(workspace, 'fact_cache', host),
        typeof document === 'string' ? document : JSON.stringify(document),
      );
    },
    forget: (host: string) => rmSync(join(workspace, 'fact_cache', host)),
    remove: () => removeFolder(workspace),
  };
}

export type Spool = ReturnType<typeof createSpool>;

/** A real one, and what is said about events on it. */
export async function createHeardBus(database: { url: string }) {
  const heard: BusMessages['events'][] = [];
  const bus = createBus({ config: { databaseUrl: database.url }, log: silentLog });
  await bus.start();
  bus.on('events', (message) => heard.push(message));
  return {
    bus,
    heard,
    counters: () =>
      heard
        .filter(({ final }) => !final)
        .flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
  };
}

export async function createRun(db: Knex, fields: Record<string, unknown> = {}) {
  const [run] = await db('runs')
    .insert({ kind: 'job', name: 'recorded', status: 'running', started: db.fn.now(), ...fields })
    .returning('*');
  return run;
}

export const eventsOf = (db: Knex, run: { id: number }) =>
  db('run_events').where({ run_id: run.id }).orderBy('counter');

/** The whole output, put together again from the stored events. */
export const textOf = (rows: any[]) =>
  rows
    .map((row) => row.stdout + (row.open_line || (row.stdout === '' && row.end_line === row.start_line) ? '' : '\n'))
    .join('');

interface FollowSetup {
  db: Knex;
  run: any;
  spool: Spool;
  executor?: RecordedExecutor;
  secrets?: string[];
  signal?: AbortSignal;
  bus?: Bus;
  settings?: Record<string, string>;
  traits?: FollowOptions['traits'];
}

export function follow({
  db,
  run,
  spool,
  executor = createRecordedExecutor(recordedExit(0)),
  secrets = [],
  signal = new AbortController().signal,
  bus = quietBus,
  settings = {},
  traits = { summarizesHosts: true },
}: FollowSetup) {
  const ingest = createIngest({
    db,
    bus,
    executor,
    log: silentLog,
    settings: createSettings({ config: { settings } }),
  });
  return ingest.follow(run, spool.handle, { secrets, signal, ...(traits && { traits }) } satisfies FollowOptions);
}
