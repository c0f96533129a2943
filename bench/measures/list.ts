import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { withManyRuns } from '../lib/bench-database.ts';
import { countStatements } from '../lib/counting-proxy.ts';
import { type Case, eventCases, runCases, unifiedCases } from '../lib/list-cases.ts';
import { progress } from '../lib/progress.ts';
import { makeReader } from '../lib/reader.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, show, spread } from '../lib/stats.ts';

const jobs = 1_000_000;
const warmUps = 3;
const rounds = 20;

interface Reader {
  id: number;
  authorization: string;
}

async function getPage(service: Service, { authorization }: Reader, path: string): Promise<any> {
  const reply = await service.http.request({ method: 'GET', path: `/api/v2/${path}`, headers: { authorization } });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`GET ${path}: ${reply.statusCode} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** The same page and count by statements written by hand, over one connection. */
async function reference(client: pg.Client, { page, count, values }: Case): Promise<{ ids: number[]; count: number }> {
  const rows = await client.query({ ...page, values });
  const counted = await client.query({ ...count, values });
  return { ids: rows.rows.map(({ id }) => Number(id)), count: Number(counted.rows[0].count) };
}

/** Both sides must answer the same, or their times could not be compared. */
function assertSame(name: string, ours: any, theirs: { ids: number[]; count: number }): void {
  const ids = ours.results.map(({ id }: { id: number }) => id);
  if (ours.count !== theirs.count || JSON.stringify(ids) !== JSON.stringify(theirs.ids))
    throw new Error(
      `${name}: the service answers ${ours.count} with ${ids.slice(0, 5)} …, the reference ${theirs.count} with ${theirs.ids.slice(0, 5)} …`,
    );
}

async function compare(service: Service, client: pg.Client, reader: Reader, one: Case): Promise<Figure[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    const began = performance.now();
    const expected = await reference(client, one);
    const between = performance.now();
    const page = await getPage(service, reader, one.path);
    const ended = performance.now();
    assertSame(one.name, page, expected);
    if (round < 0) continue;
    theirs.push(between - began);
    ours.push(ended - between);
  }
  const ratios = ours.map((value, index) => value / (theirs[index] ?? 1));
  const detail = `service ${spread(ours, 'ms')}; reference ${spread(theirs, 'ms')}`;
  const ratio = figure('list', `${one.name} ÷ reference`, median(ratios), 'x', '<=', 2.5, detail);
  if (!one.first) return [ratio];
  return [ratio, figure('list', `${one.name}, p50`, median(ours), 'ms', '<=', 60, detail)];
}

/** The fewest of several tries: the first may find less prepared. */
async function statementsOf(service: Service, proxyTake: () => number, reader: Reader, path: string): Promise<number> {
  await getPage(service, reader, path);
  let fewest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    await delay(20);
    proxyTake();
    await getPage(service, reader, path);
    fewest = Math.min(fewest, proxyTake());
  }
  return fewest;
}

async function statements(databaseUrl: string, reader: Reader, cases: readonly Case[]): Promise<Figure> {
  const proxy = await countStatements(databaseUrl);
  // without a worker nothing but the requests asks the database
  const service = new Service({ DATABASE_URL: proxy.url, TAPLINE_ROLES: 'web' });
  try {
    await service.start();
    const found: [string, number, number][] = [];
    for (const { name, path } of cases) {
      const sized = (size: number) =>
        `${path}${path.includes('?') ? '&' : '?'}page_size=${size}`.replace(/([?&])page=\d+/, '$1page=last');
      const small = await statementsOf(service, proxy.take, reader, sized(25));
      const large = await statementsOf(service, proxy.take, reader, sized(200));
      found.push([name, small, large]);
    }
    const most = Math.max(...found.flatMap(([, small, large]) => [small, large]));
    const detail = found.map(([name, small, large]) => `${name} ${small} (25), ${large} (200)`).join('; ');
    return figure('list', 'statements per page', most, '', '<=', 8, detail);
  } finally {
    await service.stop();
    proxy.close();
  }
}

/** Lists as a user who sees a tenth of a million jobs, and one job with 100,000 events. */
export async function list(): Promise<Figure[]> {
  return withManyRuns(jobs, async (databaseUrl) => {
    const service = new Service({ DATABASE_URL: databaseUrl });
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const figures: Figure[] = [];
    let cases: Case[];
    let reader: Reader;
    try {
      await service.start();
      reader = await makeReader(service, databaseUrl);
      cases = [
        ...(await runCases(client, reader.id)),
        ...(await unifiedCases(client, reader.id)),
        ...(await eventCases(client, reader.id)),
      ];
      for (const one of cases) {
        progress(`${one.name}: ${rounds} pairs`);
        figures.push(...(await compare(service, client, reader, one)));
      }
    } finally {
      await client.end();
      await service.stop();
    }
    progress('counting statements');
    const counted = await statements(databaseUrl, reader, cases);
    const slowest = figures.filter(({ unit }) => unit === 'x').map(({ value }) => value);
    progress(`largest ratio ${show(Math.max(...slowest))}`);
    return [...figures, counted];
  });
}
