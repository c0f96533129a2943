import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { quietBus } from '../lib/quiet-bus.ts';
import { createIngest } from '@tapline/core/runner/ingest/ingest.ts';
import { createRecordedExecutor } from '../lib/recorded-events.ts';
import { createSettings } from '@tapline/core/settings/settings.ts';
import type { Knex } from 'knex';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { pino } from 'pino';
import { onDatabase } from '../lib/bench-database.ts';
import { makeRecording } from '../lib/recording.ts';
import { type Figure, figure, median, show, spread } from '../lib/stats.ts';

const count = 100_000;
const pairs = 5;
const columns =
  'counter, event, event_level, event_data, failed, changed, uuid, parent_uuid, host_id, host_name, playbook, play, task, role, stdout, open_line, start_line, end_line, verbosity, created';

interface Sample {
  ms: number;
  cpuMs: number;
  growthMb: number;
}

/** The rows of one run, rendered for COPY under another run's id. */
async function rendered(client: pg.Client, from: number, to: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of client.query(
    copyTo(`copy (select ${to}, ${columns} from run_events where run_id = ${from} order by counter) to stdout`),
  ))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The bare side: the same rows into the same indexed table, nothing else. */
async function copy(client: pg.Client, rows: Buffer): Promise<number> {
  const began = performance.now();
  const stream = client.query(copyFrom(`copy run_events (run_id, ${columns}) from stdin`));
  const stored = once(stream, 'finish');
  stream.end(rows);
  await stored;
  return performance.now() - began;
}

/** Our side: the real ingest from the spool's files to committed rows. */
async function ingestOnce(db: Knex, workspace: string): Promise<{ run: number; sample: Sample }> {
  const [run] = await db('runs')
    .insert({ kind: 'job', name: 'bench', status: 'running' })
    .returning(['id', 'kind', 'inventory_id', 'use_fact_cache']);
  const silent = pino({ level: 'silent' });
  const settings = createSettings({ config: { settings: {} } as any });
  const ingest = createIngest({ db, bus: quietBus, executor: createRecordedExecutor(), log: silent, settings });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const cpu = process.cpuUsage();
  const began = performance.now();
  await ingest.follow(
    run,
    { executor: 'recorded', workspace },
    { secrets: ['a-secret-that-is-nowhere'], signal: new AbortController().signal },
  );
  const ms = performance.now() - began;
  const used = process.cpuUsage(cpu);
  clearInterval(watch);
  return { run: run.id, sample: { ms, cpuMs: (used.user + used.system) / 1000, growthMb: (peak - before) / 1048576 } };
}

function figures(ours: Sample[], bare: number[], growth: number[]): Figure[] {
  const ratios = ours.map(({ ms }, i) => (bare[i] ?? 0) / ms);
  const cpu = ours.map(({ cpuMs }) => cpuMs / count);
  const rate = count / (median(ours.map(({ ms }) => ms)) / 1000);
  const detail = `ingest ${spread(
    ours.map(({ ms }) => ms),
    'ms',
  )} (${show(rate)} events/s); COPY ${spread(bare, 'ms')}; ratio ${spread(ratios, 'x')}`;
  return [
    figure(
      'events',
      `${count.toLocaleString('en')} events: COPY time ÷ ingest time`,
      median(ratios),
      'x',
      '>=',
      0.5,
      detail,
    ),
    figure('events', 'CPU of our process per event', median(cpu), 'ms', '<=', 0.2, spread(cpu, 'ms')),
    figure(
      'events',
      'growth of memory while ingesting',
      Math.max(...growth),
      'MB',
      '<=',
      150,
      `largest of ${spread(growth, 'MB')}`,
    ),
  ];
}

export async function events(): Promise<Figure[]> {
  const recording = await makeRecording(count);
  try {
    return await onDatabase(async (db, connectionString) => {
      const client = new pg.Client({ connectionString });
      await client.connect();
      try {
        return await compare(db, client, recording);
      } finally {
        await client.end();
      }
    });
  } finally {
    rmSync(recording, { recursive: true, force: true });
  }
}

/** In turns, each into an empty table. The first round warms up, but its growth of memory counts: it is that of a fresh process. */
async function compare(db: Knex, client: pg.Client, recording: string): Promise<Figure[]> {
  const ours: Sample[] = [];
  const bare: number[] = [];
  const growth: number[] = [];
  const empty = () => client.query('truncate run_events');
  const ingest = async () => {
    const { run, sample } = await ingestOnce(db, recording);
    growth.push(sample.growthMb);
    return { run, sample };
  };
  const { run } = await ingest();
  const rows = await rendered(client, run, run + 5000);
  await empty();
  await copy(client, rows);
  for (let pair = 0; pair < pairs; pair++) {
    const sides = [
      async () => void ours.push((await ingest()).sample),
      async () => void bare.push(await copy(client, rows)),
    ];
    for (const side of pair % 2 ? sides : sides.toReversed()) {
      await empty();
      await side();
    }
  }
  return figures(ours, bare, growth);
}
