import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { withPostgres } from '../lib/bench-database.ts';
import { type BareServer, startBare } from '../lib/bare-server.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, quantile, spread } from '../lib/stats.ts';

const key = 'bench-key';
const seconds = Number(process.env['BENCH_SECONDS'] ?? 10);
const flooding = Number(process.env['BENCH_EVENTS'] ?? 20_000);
const floodMs = Number(process.env['BENCH_FLOOD_MS'] ?? 60_000);
const launches = Number(process.env['BENCH_LAUNCHES'] ?? 60);

function signed(): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ event_guid: randomUUID(), event_type: 'push', text: 'x'.repeat(800) });
  const signature = `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
  return { body, headers: { 'content-type': 'application/json', 'x-svc-signature': signature } };
}

/** So many clients that each send again as soon as they are answered; resolves to answers per second. */
async function send(
  port: number,
  path: string,
  { connections, until }: { connections: number; until(count: number): boolean | Promise<boolean> },
) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  let count = 0;
  const client = async () => {
    while (!(await until(count))) {
      count += 1;
      const reply = await pool.request({ method: 'POST', path, ...signed() });
      await reply.body.dump();
      if (reply.statusCode !== 202) throw new Error(`POST ${path}: ${reply.statusCode}`);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  const perSecond = (count / (performance.now() - began)) * 1000;
  await pool.close();
  return perSecond;
}

const forSome = () => {
  const end = performance.now() + seconds * 1000;
  return { connections: 8, until: () => performance.now() > end };
};

async function p95(service: Service, times: number): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const began = performance.now();
    await service.call('GET', 'organizations/');
    took.push(performance.now() - began);
    await delay(20);
  }
  return quantile(took, 0.95);
}

const makeRule = (service: Service, path: string, more: object = {}) =>
  service.call('POST', 'event_rules/', {
    name: path,
    organization: 1,
    source_type: 'webhook_generic',
    webhook_path: path,
    webhook_key: key,
    conditions: [{ jinja2_expression: "event.event_type == 'push'" }],
    ...more,
  });
const receiver = (path: string) => `/api/v2/eda_webhooks/${path}/`;

async function receipts(service: Service, bare: BareServer, inbox: BareServer): Promise<Figure[]> {
  await makeRule(service, 'first');
  const measured: Record<'one' | 'many' | 'bare' | 'inbox', number[]> = { one: [], many: [], bare: [], inbox: [] };
  for (let round = 0; round < 3; round += 1) {
    progress(`round ${round + 1} of 3, one rule`);
    measured.bare.push(await send(bare.port, '/', forSome()));
    measured.inbox.push(await send(inbox.port, '/', forSome()));
    measured.one.push(await send(service.port, receiver('first'), forSome()));
  }
  for (let n = 1; n < 1000; n += 1) await makeRule(service, `rule-${n}`);
  for (let round = 0; round < 3; round += 1)
    measured.many.push(await send(service.port, receiver('rule-500'), forSome()));
  const [one, many] = [median(measured.one), median(measured.many)];
  const [koa, stored] = [median(measured.bare), median(measured.inbox)];
  return [
    figure('eda', 'signed receipts committed, 8 connections', one, '/s', '>=', 1000, spread(measured.one, '/s')),
    figure('eda', 'the same ÷ a bare Koa that checks the HMAC', one / koa, '', '>=', 0.3, `bare ${koa.toFixed(0)}/s`),
    figure(
      'eda',
      'the same ÷ a bare Koa that also stores the event',
      one / stored,
      '',
      '>=',
      0,
      `bare ${stored.toFixed(0)}/s, ${(stored / koa).toFixed(2)} of the one that stores nothing`,
    ),
    figure('eda', 'the same with 1,000 rules ÷ with one', many / one, '', '>=', 0.9, spread(measured.many, '/s')),
  ];
}

/** From the answer's sender to the run, less what a launch of the same template takes. */
async function toLaunch(service: Service): Promise<Figure> {
  const { id } = await service.call('POST', 'workflow_job_templates/', { name: 'Empty', organization: 1 });
  await makeRule(service, 'launching', { actions: [{ action_type: 'launch_workflow', target_id: id }] });
  const [own, byEvent]: number[][] = [[], []];
  for (let n = -5; n < launches; n += 1) {
    let began = performance.now();
    await service.call('POST', `workflow_job_templates/${id}/launch/`, {});
    const took = performance.now() - began;
    began = Date.now();
    const reply = await service.http.request({ method: 'POST', path: receiver('launching'), ...signed() });
    const { event_log: log } = (await reply.body.json()) as { event_log: number };
    let done: any;
    do {
      await delay(10);
      done = await service.call('GET', `event_logs/${log}/`);
    } while (!done.finished);
    const { created } = await service.call('GET', `workflow_jobs/${done.job_id}/`);
    if (n < 0) continue;
    own!.push(took);
    byEvent!.push(Date.parse(created) - began);
  }
  const over = byEvent!.map((time, index) => time - own![index]!);
  return figure('eda', 'receipt → run, less a launch, p50', median(over), 'ms', '<=', 60, spread(over, 'ms'));
}

/** Megabytes of memory that the service has now. */
const resident = (service: Service): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.process!.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Not faster than a flood of so many in a minute. */
async function paced(count: number, began: number): Promise<void> {
  const due = began + (count / flooding) * floodMs;
  if (due > performance.now()) await delay(due - performance.now());
}

async function flood(service: Service): Promise<Figure[]> {
  await makeRule(service, 'flood');
  const idle = await p95(service, 100);
  const before = resident(service);
  progress(`a flood of ${flooding} events`);
  const flooded = new AbortController();
  const began = performance.now();
  const until = async (count: number) => (await paced(count, began), count >= flooding);
  const sending = send(service.port, receiver('flood'), { connections: 16, until }).then(() => flooded.abort());
  const times: number[] = [];
  let most = before;
  while (!flooded.signal.aborted) {
    times.push(await p95(service, 10));
    most = Math.max(most, resident(service));
  }
  await sending;
  const seconds = (performance.now() - began) / 1000;
  const count = async (query: string) =>
    (await service.call('GET', `event_logs/?event_rule_name=flood&page_size=1&${query}`)).count as number;
  while ((await count('finished__isnull=true')) > 0) await delay(500);
  const stored = await count('');
  const { results } = await service.call('GET', 'event_rules/?name=flood');
  const times2 = `p95 idle ${idle.toFixed(1)} ms`;
  return [
    figure(
      'eda',
      'of a flood, events stored',
      stored,
      'events',
      '>=',
      flooding,
      `${flooding} sent in ${seconds.toFixed(0)} s`,
    ),
    figure('eda', 'of them fired twice', results[0].fire_count - stored, 'events', '<=', 0, 'times fired, less events'),
    figure('eda', 'p95 of a list meanwhile ÷ idle', median(times) / idle, '', '<=', 2, times2),
    figure('eda', 'memory that the flood took', most - before, 'MB', '<=', 100, `${before.toFixed(0)} MB before it`),
  ];
}

/** Receipts of signed events, what follows from them, and many at once. */
export async function eda(): Promise<Figure[]> {
  const service = new Service({ TAPLINE_PLUGINS: 'eda' });
  const bare = await startBare('bare-hmac.ts', key);
  try {
    await service.start();
    const received = await withPostgres(async (url) => {
      const inbox = await startBare('bare-inbox.ts', key, url);
      return receipts(service, bare, inbox).finally(() => inbox.stop());
    });
    return [...received, await toLaunch(service), ...(await flood(service))];
  } finally {
    await bare.stop();
    await service.stop();
  }
}
