import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { persist } from './api.ts';
import type { Random } from './random.ts';
import type { Stage } from './stage.ts';

/** Between the first tables and the last. */
const migrations = 26;
const pollMs = 10;
const patienceMs = 300_000;

/** The first start is killed while the database is made, and while it gets its tables. Resolves to how often. */
export async function firstStart(stage: Stage, random: Random, kills: number): Promise<number> {
  const thresholds = Array.from({ length: kills - 1 }, () => Math.ceil(random() * migrations)).toSorted(
    (a, b) => a - b,
  );
  const moments = [
    () => isBeingMade(join(stage.data, 'postgres')),
    ...thresholds.map((least) => async () => (await applied(stage)) >= least),
  ];
  const web = stage.node('web');
  let killed = 0;
  for (const moment of moments) {
    web.start();
    await reached(moment, stage);
    if (await web.kill()) killed += 1;
  }
  stage.supervise();
  await persist('the first answer', () => stage.api.call('GET', 'ping/'));
  return killed;
}

async function reached(moment: () => boolean | Promise<boolean>, stage: Stage): Promise<void> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
    if (await moment()) return;
    await delay(pollMs);
  }
  throw new Error(`the first start came to nothing; the node said:\n${stage.node('web').said.slice(-2000)}`);
}

const isBeingMade = (folder: string) =>
  existsSync(folder) &&
  readdirSync(folder).some((name) => name.startsWith('data.new') && existsSync(join(folder, name, 'base')));

const applied = (stage: Stage): Promise<number> =>
  stage.query('select count(*)::int as count from tapline_migrations').then(
    ([row]) => row.count,
    () => 0,
  );
