import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const sent = Number(process.env.BENCH_NOTIFICATIONS ?? 200);
const warmUp = 10;

/** Where word of runs goes: when each arrives. */
async function target() {
  const arrived = new Map<number, PromiseWithResolvers<number>>();
  // word may come before the launch is answered
  const word = (run: number): PromiseWithResolvers<number> => {
    if (!arrived.has(run)) arrived.set(run, Promise.withResolvers<number>());
    return arrived.get(run)!;
  };
  const server = createServer((request, response) => {
    const at = Date.now();
    request.setEncoding('utf8');
    let body = '';
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      response.end('{}');
      word((JSON.parse(body) as { id: number }).id).resolve(at);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** milliseconds of the clock */
    arrival: (run: number) => word(run).promise,
    close: () => server.close(),
  };
}

/** From the end of a run, as it stands in its row, to the request at a webhook; one after the other. */
export async function notify(): Promise<Figure[]> {
  const service = new Service();
  const there = await target();
  try {
    await service.start();
    await service.call('PATCH', 'settings/system/', { OUTBOUND_ALLOWED_NETWORKS: ['127.0.0.1'] });
    const { id } = await service.call('POST', 'workflow_job_templates/', { name: 'Empty', organization: 1 });
    await service.call('POST', `workflow_job_templates/${id}/notification_templates_success/`, {
      name: 'Told',
      organization: 1,
      notification_type: 'webhook',
      notification_configuration: { url: there.url, headers: {}, http_method: 'POST' },
    });
    const times: number[] = [];
    for (let n = -warmUp; n < sent; n++) {
      const run: number = (await service.call('POST', `workflow_job_templates/${id}/launch/`, {})).id;
      const arrived = await within(60, `word of run ${run}`, there.arrival(run));
      const { finished } = await service.call('GET', `workflow_jobs/${run}/`);
      if (n >= 0) times.push(arrived - Date.parse(finished));
      // one by one: none finds the queue at work
      await delay(20);
    }
    return [
      figure('notify', 'end of a run → request at its target, p50', median(times), 'ms', '<=', 60, spread(times, 'ms')),
    ];
  } finally {
    await service.stop();
    there.close();
  }
}
