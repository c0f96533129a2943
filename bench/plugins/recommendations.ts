import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot, type Running } from '@tapline/core/app/boot.ts';
import { loadConfig } from '@tapline/core/config/config.ts';
import { definePlugin, type PluginApi } from '@tapline/plugin-sdk';
import pg from 'pg';
import recommendations from '../../plugins/recommendations/index.ts';
import { withManyRuns } from '../lib/bench-database.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const jobs = 100_000;
const hosts = 10_000;
const rounds = 60;
const password = 'bench-secret';

/** Inputs are kept for a minute: this clock is always a minute on, so that every request reads them. */
function impatient() {
  let minutes = 0;
  const clock = { now: () => new Date(Date.now() + 60_001 * minutes++) };
  return definePlugin({
    ...recommendations,
    register: (api) => recommendations.register(Object.create(api, { clock: { value: clock } }) as PluginApi),
  });
}

async function addHosts(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into hosts (name, inventory_id) select 'host' || n, (select min(id) from inventories) from generate_series(1, $1::int) n on conflict do nothing`,
    [hosts],
  );
  await client.end();
}

async function measured({ url, services }: Running): Promise<{ times: number[]; statements: number }> {
  const headers = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` };
  const times: number[] = [];
  let statements = 0;
  const count = () => void (statements += 1);
  for (let i = 0; i < rounds + 5; i++) {
    if (i === 5) services.db.on('query', count);
    const began = performance.now();
    const reply = await fetch(`${url}/api/v2/recommendations/`, { headers });
    const body = (await reply.json()) as { count: number };
    if (reply.status !== 200 || body.count < 5) throw new Error(`${reply.status}: ${JSON.stringify(body)}`);
    if (i >= 5) times.push(performance.now() - began);
  }
  return { times, statements: Math.ceil(statements / rounds) };
}

export async function recommendationsMeasure(): Promise<Figure[]> {
  return withManyRuns(jobs, async (databaseUrl) => {
    await addHosts(databaseUrl);
    const folder = mkdtempSync(join(tmpdir(), 'tapline-bench-recommendations-'));
    const config = loadConfig({
      PORT: '0',
      LOG_LEVEL: 'warn',
      DATABASE_URL: databaseUrl,
      TAPLINE_DATA: folder,
      TAPLINE_PLUGINS: '',
      TAPLINE_ROLES: 'web',
      ADMIN_PASSWORD: password,
    });
    const running = await boot(config, { plugins: [impatient()] });
    try {
      const { times, statements } = await measured(running);
      const size = `${jobs.toLocaleString('en')} jobs, ${hosts.toLocaleString('en')} hosts`;
      return [
        figure('recommendations', `GET, inputs read anew, ${size}`, median(times), 'ms', '<=', 60, spread(times, 'ms')),
        figure('recommendations', 'statements per request', statements, 'statements', '<=', 20, 'inputs read anew'),
      ];
    } finally {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
