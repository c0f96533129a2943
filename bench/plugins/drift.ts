import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { onDatabase } from '../lib/bench-database.ts';
import { floor, floorTables } from '../drift/floor.ts';
import { FloorProcess } from '../drift/floor-process.ts';
import { jobEnds } from '../drift/job-end.ts';
import { capture, captured, change, fillFacts, left, told, unchanged } from '../drift/hosts.ts';
import { answersDuring, memoryDuring } from '../drift/meanwhile.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, quantile, spread } from '../lib/stats.ts';

const most = Number(process.env.BENCH_HOSTS ?? 10_000);
const rounds = 7;

interface Fleet {
  db: Knex;
  databaseUrl: string;
  service: Service;
  ids: number[];
}

/** Hosts with facts, and a service that looks for drift. */
const withFleet = <T>(hosts: number, work: (fleet: Fleet) => Promise<T>): Promise<T> =>
  onDatabase(async (db, databaseUrl) => {
    progress(`facts of ${hosts.toLocaleString('en')} hosts`);
    const ids = await fillFacts(db, hosts);
    const service = new Service({ DATABASE_URL: databaseUrl, TAPLINE_PLUGINS: 'drift' });
    try {
      await service.start();
      await db.raw(floorTables);
      return await work({ db, databaseUrl, service, ids });
    } finally {
      await service.stop();
    }
  });

const firstOf = ({ db, ids }: Fleet): Promise<number> =>
  capture(
    db,
    ids.map((id) => ({ host_id: id, old_hash: null, new_hash: `0 ${id}` })),
  );

/** A run has told of all hosts, of which one in a hundred changed. */
async function pass({ db, ids }: Fleet, round: number): Promise<{ ours: number; theirs: number }> {
  const changed = await change(
    db,
    ids.filter((_, at) => at % 100 === round % 100),
    round,
  );
  const told = [...changed, ...(await unchanged(db, changed))];
  return { theirs: await floor(db, changed), ours: await capture(db, told) };
}

async function passes(fleet: Fleet): Promise<{ ours: number[]; theirs: number[] }> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round++) {
    const took = await pass(fleet, round);
    ours.push(took.ours);
    theirs.push(took.theirs);
  }
  return { ours, theirs };
}

const lookMs = 25;

/** As often as while facts are captured: that is the same work for the machine. */
async function looking(db: Knex, until: Promise<unknown> = delay(700)): Promise<void> {
  const ended = new AbortController();
  const work = until.finally(() => ended.abort());
  for (; !ended.signal.aborted; await delay(lookMs)) await left(db);
  await work;
}

/** What a short list takes while facts are captured, and while nothing is done. */
async function meanwhile(fleet: Fleet): Promise<Figure> {
  const [idle, busy, bare]: [number[], number[], number[]] = [[], [], []];
  const aside = await FloorProcess.start(fleet.databaseUrl);
  for (let round = rounds + 1; round <= 3 * rounds; round++) {
    const changed = await change(
      fleet.db,
      fleet.ids.filter((_, at) => at % 100 === round % 100),
      round,
    );
    const tell = await told(fleet.db, [...changed, ...(await unchanged(fleet.db, changed))]);
    idle.push(...(await answersDuring(fleet.service, () => looking(fleet.db))));
    bare.push(...(await answersDuring(fleet.service, () => looking(fleet.db, aside.run(changed)))));
    busy.push(...(await answersDuring(fleet.service, () => tell().then(() => captured(fleet.db, lookMs)))));
  }
  await aside.end();
  const [still, loaded, floored] = [idle, busy, bare].map((took) => quantile(took, 0.95)) as [number, number, number];
  const detail = `p95 ${loaded.toFixed(1)} ms of ${busy.length}, idle ${still.toFixed(1)} ms of ${idle.length}; medians ${median(busy).toFixed(1)} and ${median(idle).toFixed(1)} ms; while a process of its own does the floor ${floored.toFixed(1)} ms of ${bare.length}: ${(floored / still).toFixed(2)} x`;
  return figure('drift', 'p95 of a list during a pass ÷ idle', loaded / still, 'x', '<=', 1.5, detail);
}

const ofHosts = `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'plugin_drift' and c.relkind = 'r' and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'host_id')`;

/** A day of hourly runs that found what was there. */
async function storage({ db, ids }: Fleet): Promise<Figure> {
  const bytes = async () => Number((await db.raw(ofHosts)).rows[0].bytes);
  const told = await unchanged(db, []);
  const before = await bytes();
  const took: number[] = [];
  for (let hour = 0; hour < 24; hour++) took.push(await capture(db, told));
  const each = ((await bytes()) - before) / ids.length;
  const detail = `24 runs that changed nothing; a pass ${spread(took, 'ms')}`;
  return figure('drift', 'storage of a host that is unchanged, a day', each, 'B', '<=', 0, detail);
}

async function ofMany(small: { first: number; pass: number }): Promise<Figure[]> {
  return withFleet(most, async (fleet) => {
    progress('the first snapshot of each');
    let first = 0;
    const atFirst = await memoryDuring(fleet.service, async () => {
      first = await firstOf(fleet);
    });
    progress('one in a hundred changed');
    let took: Awaited<ReturnType<typeof passes>> = { ours: [], theirs: [] };
    const memory = await memoryDuring(fleet.service, async () => {
      took = await passes(fleet);
    });
    const { ours, theirs } = took;
    const ratios = ours.map((value, at) => value / theirs[at]!);
    const compared = `service ${spread(ours, 'ms')}; reference ${spread(theirs, 'ms')}`;
    const exponent = (one: number, other: number) => Math.log(other / one) / Math.log(most / few);
    return [
      figure('drift', '1 % of the hosts changed ÷ the floor', median(ratios), 'x', '<=', 2, compared),
      figure(
        'drift',
        'memory of the service on top',
        memory.most - memory.before,
        'MB',
        '<=',
        100,
        `${memory.before.toFixed(0)} MB before; during the first snapshot of all ${atFirst.most.toFixed(0)} MB after ${atFirst.before.toFixed(0)} MB`,
      ),
      figure(
        'drift',
        `exponent from ${few} to ${most} hosts, all of them new`,
        exponent(small.first, first),
        '',
        '<=',
        1.05,
        `${small.first.toFixed(0)} ms and ${first.toFixed(0)} ms; of a pass ${exponent(small.pass, median(ours)).toFixed(2)}`,
      ),
      await meanwhile(fleet),
      await storage(fleet),
    ];
  });
}

const few = Math.round(most / 10);

/** A run gathered the facts of all hosts, 37 kB each, and one host in a hundred changed. */
export async function driftMeasure(): Promise<Figure[]> {
  const small = await withFleet(few, async (fleet) => ({
    first: await firstOf(fleet),
    pass: median((await passes(fleet)).ours),
  }));
  return [...(await ofMany(small)), await jobEnds()];
}
