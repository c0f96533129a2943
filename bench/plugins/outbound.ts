import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { progress, within } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const single = Number(process.env['BENCH_DELIVERIES'] ?? 100);
const each = Number(process.env['BENCH_EACH'] ?? 100);
const targets = 10;

/** Where requests come by: the path says whose they are. */
async function target() {
  const arrived = new Map<string, number[]>();
  const hanging = new Set<string>();
  const server = createServer((request, response) => {
    const path = request.url!;
    request.resume();
    request.on('end', () => {
      arrived.set(path, [...(arrived.get(path) ?? []), Date.now()]);
      if (!hanging.has(path)) response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hanging,
    at: (path: string) => arrived.get(path) ?? [],
    async come(path: string, count: number) {
      while ((arrived.get(path)?.length ?? 0) < count) await delay(2);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
type Target = Awaited<ReturnType<typeof target>>;

const make = (service: Service, url: string, enabled = true) =>
  service.call('POST', 'outbound_webhooks/', {
    name: url,
    organization: 1,
    url,
    events: ['workflow.succeeded'],
    enabled,
  });

/** From the change of status, as it stands in the run's row, to the request. */
async function one(service: Service, there: Target, workflow: number): Promise<Figure> {
  const { id: hook } = await make(service, `${there.url}/one`);
  const times: number[] = [];
  for (let n = -10; n < single; n += 1) {
    const { id } = await service.call('POST', `workflow_job_templates/${workflow}/launch/`, {});
    await within(60, `word of run ${id}`, there.come('/one', n + 11));
    const { finished } = await service.call('GET', `workflow_jobs/${id}/`);
    if (n >= 0) times.push(there.at('/one').at(-1)! - Date.parse(finished));
    await delay(20);
  }
  await service.call('DELETE', `outbound_webhooks/${hook}/`);
  return figure('outbound', 'change of status → request, p50', median(times), 'ms', '<=', 50, spread(times, 'ms'));
}

/** Milliseconds until nine of ten targets have all of theirs; the tenth hangs, or is as the others. */
async function many(service: Service, there: Target, { workflow, name }: { workflow: number; name: string }) {
  const paths = Array.from({ length: targets }, (_, n) => `/${name}-${n}`);
  if (name.startsWith('hanging')) there.hanging.add(paths[0]!);
  const hooks = await Promise.all(paths.map((path) => make(service, there.url + path)));
  const began = performance.now();
  for (let n = 0; n < each; n += 10)
    await Promise.all(
      Array.from({ length: 10 }, () => service.call('POST', `workflow_job_templates/${workflow}/launch/`, {})),
    );
  await within(600, 'all deliveries of nine', Promise.all(paths.slice(1).map((path) => there.come(path, each))));
  const took = performance.now() - began;
  for (const { id } of hooks) await service.call('DELETE', `outbound_webhooks/${id}/`);
  return took;
}

export async function outbound(): Promise<Figure[]> {
  const service = new Service({ TAPLINE_PLUGINS: 'outbound-webhooks' });
  const there = await target();
  try {
    await service.start();
    await service.call('PATCH', 'settings/system/', { OUTBOUND_ALLOWED_NETWORKS: ['127.0.0.1'] });
    const template = { name: 'Empty', organization: 1, allow_simultaneous: true };
    const { id: workflow } = await service.call('POST', 'workflow_job_templates/', template);
    const first = await one(service, there, workflow);
    const ratios: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      progress(`round ${round + 1} of 3, ${each * targets} deliveries`);
      const without = await many(service, there, { workflow, name: `quick-${round}` });
      ratios.push((await many(service, there, { workflow, name: `hanging-${round}` })) / without);
    }
    const told = spread(ratios, '');
    return [
      first,
      figure('outbound', 'nine targets beside one that hangs ÷ ten quick', median(ratios), '', '<=', 1.2, told),
    ];
  } finally {
    await service.stop();
    there.close();
  }
}
