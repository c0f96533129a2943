import { startBare } from '../lib/bare-server.ts';
import { withManyRuns } from '../lib/bench-database.ts';
import { countStatements } from '../lib/counting-proxy.ts';
import { load } from '../lib/load.ts';
import { progress } from '../lib/progress.ts';
import { makeReader } from '../lib/reader.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, show, spread } from '../lib/stats.ts';

const jobs = 20_000;
const connections = 8;
const seconds = 2;
const rounds = 10;

interface Caller {
  name: string;
  authorization: string;
}

interface Side {
  port: number;
  pid: number;
}

/** A job that the reader sees. */
async function jobOf(service: Service, { authorization }: Caller): Promise<string> {
  const reply = await service.http.request({
    method: 'GET',
    path: '/api/v2/jobs/?page_size=1',
    headers: { authorization },
  });
  return ((await reply.body.json()) as any).results[0].url;
}

async function compare(service: Side, bare: Side, path: string, { name, authorization }: Caller): Promise<Figure[]> {
  const asked = { path, headers: { authorization }, connections, seconds };
  const ours: number[] = [];
  const theirs: number[] = [];
  const cpu: number[] = [];
  const bareCpu: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const other = await load(bare, asked);
    const own = await load(service, asked);
    if (round < 0) continue;
    theirs.push(other.perSecond);
    ours.push(own.perSecond);
    cpu.push(own.cpuMsPerRequest);
    bareCpu.push(other.cpuMsPerRequest);
  }
  const ratios = ours.map((value, index) => value / theirs[index]!);
  const detail = `${rounds} pairs in turns after one to warm up; service ${spread(ours, '/s')}, ${show(median(cpu))} ms CPU each; bare ${spread(theirs, '/s')}, ${show(median(bareCpu))} ms CPU each`;
  return [
    figure('api', `one job as ${name} ÷ bare Koa with one SELECT`, median(ratios), 'x', '>=', 0.25, detail),
    figure('api', `one job as ${name}`, median(ours), '/s', '>=', 700, detail),
  ];
}

async function statements(
  databaseUrl: string,
  path: string,
  callers: readonly Caller[],
  data: string,
): Promise<Figure> {
  const proxy = await countStatements(databaseUrl);
  // without a worker nothing but the requests asks the database
  // beside the other one, and with its keys: nodes of one database share them
  const service = new Service({ DATABASE_URL: proxy.url, TAPLINE_ROLES: 'web', TAPLINE_NODE_NAME: 'counted' }, data);
  try {
    await service.start();
    const counts: { name: string; asked: number[] }[] = [];
    for (const { name, authorization } of callers) {
      const asked: number[] = [];
      for (let round = 0; round < 20; round++) {
        proxy.take();
        const reply = await service.http.request({ method: 'GET', path, headers: { authorization } });
        await reply.body.dump();
        asked.push(proxy.take());
      }
      counts.push({ name, asked });
    }
    const typical = Math.max(...counts.map(({ asked }) => median(asked)));
    // the service's own upkeep asks at times, and the first request of a caller looks them up
    const detail = counts
      .map(
        ({ name, asked }) =>
          `${name}: least ${Math.min(...asked)}, typical ${median(asked)}, most ${Math.max(...asked)}`,
      )
      .join('; ');
    return figure('api', 'statements for one job, typically', typical, '', '<=', 6, detail);
  } finally {
    await service.stop({ keep: true });
    proxy.close();
  }
}

/** GET of one job by clients that never wait, as an ordinary user and as a superuser. */
export async function api(): Promise<Figure[]> {
  return withManyRuns(jobs, async (databaseUrl) => {
    const service = new Service({ DATABASE_URL: databaseUrl });
    const bare = await startBare('bare-koa.ts', databaseUrl);
    try {
      await service.start();
      const reader = { name: 'an ordinary user', ...(await makeReader(service, databaseUrl)) };
      const admin = {
        name: 'a superuser',
        authorization: `Basic ${Buffer.from('admin:bench-secret').toString('base64')}`,
      };
      const path = await jobOf(service, reader);
      const side = { port: service.port, pid: service.process!.pid! };
      const figures: Figure[] = [];
      for (const caller of [reader, admin]) {
        progress(`as ${caller.name}: ${rounds} pairs of ${seconds} s`);
        figures.push(...(await compare(side, bare, path, caller)));
      }
      return [...figures, await statements(databaseUrl, path, [reader, admin], service.data)];
    } finally {
      await bare.stop();
      await service.stop();
    }
  });
}
