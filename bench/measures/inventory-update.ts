import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyInto, copyValue } from '@tapline/core/db/copy.ts';
import { importInventory, type ImportSource } from '@tapline/core/inventory/import/import.ts';
import type { Knex } from 'knex';
import { enginePython } from '../lib/bare.ts';
import { onDatabase } from '../lib/bench-database.ts';
import { root } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const hosts = 10_000;
const groups = 500;
const pairs = 5;
const program = join(root, 'core/run-kinds/inventory-update/update.py');
const options = {
  host_filter: '',
  enabled_var: '',
  enabled_value: '',
  instance_id: ['instance_id'],
  most_bytes: 134_217_728,
};

/** About 2 KB of variables as a cloud tells them. */
const variablesOf = (n: number) => ({
  instance_id: `i-${n.toString(16).padStart(17, '0')}`,
  ansible_host: `10.${n >> 16}.${(n >> 8) % 256}.${n % 256}`,
  state: { code: 16, name: 'running' },
  load: n / 7,
  tags: Object.fromEntries(Array.from({ length: 20 }, (_, tag) => [`tag-${tag}`, `value ${tag} of host ${n}`])),
  interfaces: Array.from({ length: 6 }, (_, at) => ({
    device: `eth${at}`,
    mac: `02:00:${n.toString(16).padStart(8, '0')}:${at}`,
    address: `10.${at}.${(n >> 8) % 256}.${n % 256}`,
    description: 'an interface of the host, with what a cloud says of one',
    attached: true,
  })),
});

/** The document that the engine writes for it. */
function engineDocument(): string {
  const names = Array.from({ length: hosts }, (_, n) => `host-${String(n).padStart(5, '0')}.example.org`);
  const parts = Array.from({ length: groups }, (_, n) => `group_${n}`);
  return JSON.stringify(
    {
      _meta: { hostvars: Object.fromEntries(names.map((name, n) => [name, variablesOf(n)])) },
      all: { children: ['ungrouped', ...parts] },
      ...Object.fromEntries(
        parts.map((part, n) => [
          part,
          { hosts: names.filter((_, at) => at % groups === n || at % (groups - 1) === n), vars: { number: n } },
        ]),
      ),
    },
    null,
    4,
  );
}

interface Recorded {
  folder: string;
  document: string;
  /** what laying the document out takes, in the engine's process */
  layoutMs: number[];
}

function record(): Recorded {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-bench-'));
  const document = join(folder, 'document.json');
  writeFileSync(document, engineDocument());
  writeFileSync(join(folder, 'options.json'), JSON.stringify(options));
  copyFileSync(program, join(folder, 'update.py'));
  mkdirSync(join(folder, 'result'));
  const layoutMs = Array.from({ length: pairs }, () => {
    const began = performance.now();
    // what writes the document stands for the engine, and is to take no time
    execFileSync(enginePython, [join(folder, 'update.py'), 'ln', document, join(folder, 'result/inventory.json')]);
    return performance.now() - began;
  });
  return { folder, document, layoutMs };
}

/** Ids that nobody has. */
let nextId = 1_000_000_000;

/** The least that could be done: the document read whole, its rows stored as they are, in the tables as they are. */
async function bare(db: Knex, document: string, inventory: number): Promise<number> {
  const began = performance.now();
  const {
    _meta,
    all: _all,
    ...content
  } = JSON.parse(readFileSync(document, 'utf8')) as {
    _meta: { hostvars: Record<string, object> };
    [group: string]: { hosts?: string[]; vars?: object; hostvars?: object };
  };
  const ids = new Map(Object.keys(_meta.hostvars).map((name) => [name, (nextId += 1)]));
  const row = (id: number, name: string, variables: object) =>
    `${id}\t${copyValue(name)}\t${inventory}\t${copyValue(JSON.stringify(variables))}\n`;
  const hostRows = Object.entries(_meta.hostvars).map(([name, variables]) => row(ids.get(name)!, name, variables));
  const groupIds = new Map(Object.keys(content).map((name) => [name, (nextId += 1)]));
  const groupRows = Object.entries(content).map(([name, { vars = {} }]) => row(groupIds.get(name)!, name, vars));
  const members = Object.entries(content).flatMap(([name, { hosts: inside = [] }]) =>
    inside.map((host) => `${groupIds.get(name)}\t${ids.get(host)}\n`),
  );
  await db.transaction(async (trx) => {
    await copyInto(trx, 'hosts (id, name, inventory_id, variables)', hostRows);
    await copyInto(trx, 'groups (id, name, inventory_id, variables)', groupRows);
    await copyInto(trx, 'group_hosts (group_id, host_id)', members);
  });
  return performance.now() - began;
}

interface Sample {
  ms: number;
  growthMb: number;
}

async function imported(db: Knex, folder: string, source: ImportSource): Promise<Sample> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
  const began = performance.now();
  const path = join(folder, 'result');
  await db.transaction((trx) => importInventory(trx, { path, mostBytes: options.most_bytes }, source));
  const ms = performance.now() - began;
  clearInterval(watch);
  return { ms, growthMb: (peak - before) / 1_048_576 };
}

const makeInventory = async (db: Knex, name: string): Promise<number> =>
  (await db('inventories').insert({ name }).returning('id'))[0].id;

async function makeSource(db: Knex, name: string): Promise<ImportSource> {
  const inventory_id = await makeInventory(db, name);
  const [{ id }] = await db('templates')
    .insert({ kind: 'inventory_source', source: 'ec2', name, inventory_id })
    .returning('id');
  return { id, inventory_id, overwrite: true, overwrite_vars: true, max_removed_percent: null };
}

interface Turn {
  bare: number;
  first: Sample;
  again: Sample;
}

/** In turns, each into an inventory of its own; the first round warms up, but its memory counts: it is that of a fresh process. */
async function compare(db: Knex, { folder, document }: Recorded): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (let round = 0; round <= pairs; round += 1) {
    const inventory = await makeInventory(db, `bare ${round}`);
    const source = await makeSource(db, `source ${round}`);
    const first = await imported(db, folder, source);
    const again = await imported(db, folder, source);
    turns.push({ first, again, bare: await bare(db, document, inventory) });
    await db('inventories').whereIn('id', [inventory, source.inventory_id]).delete();
    await db.raw('vacuum analyze hosts, groups, group_hosts');
  }
  return turns;
}

function figures(turns: readonly Turn[], layout: readonly number[]): Figure[] {
  const counted = turns.slice(1);
  const bareMs = counted.map((turn) => turn.bare);
  const ratio = (what: string, samples: Sample[], reach: number) => {
    const importMs = samples.map(({ ms }) => ms);
    const alone = median(importMs.map((ms, at) => ms / bareMs[at]!));
    const detail = [
      `laying out, in the engine's process ${spread(layout, 'ms')}`,
      `import ${spread(importMs, 'ms')}, alone ${alone.toFixed(2)} x`,
      `bare ${spread(bareMs, 'ms')}`,
    ];
    // the engine's JSON is read there, as it is in what this is held against
    const whole = median(importMs.map((ms, at) => (layout[at]! + ms) / bareMs[at]!));
    return figure('inventory-update', what, whole, 'x', '<=', reach, detail.join('; '));
  };
  const growth = turns.flatMap(({ first, again }) => [first.growthMb, again.growthMb]);
  const size = `${hosts.toLocaleString('en')} hosts, ${groups} groups`;
  return [
    ratio(
      `${size}: laying out and import ÷ (reading the JSON + COPY of the rows)`,
      counted.map(({ first }) => first),
      2,
    ),
    ratio(
      `${size}, nothing changed: laying out and import ÷ the same`,
      counted.map(({ again }) => again),
      1.3,
    ),
    figure(
      'inventory-update',
      'growth of memory',
      Math.max(...growth),
      'MB',
      '<=',
      200,
      `largest of ${spread(growth, 'MB')}`,
    ),
  ];
}

export async function inventoryUpdate(): Promise<Figure[]> {
  const recorded = record();
  try {
    return await onDatabase(async (db) => figures(await compare(db, recorded), recorded.layoutMs));
  } finally {
    rmSync(recorded.folder, { recursive: true, force: true });
  }
}
