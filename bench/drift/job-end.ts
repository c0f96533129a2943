import { prepare } from '../lib/content.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, interval, median, spread } from '../lib/stats.ts';

const pairs = Number(process.env.BENCH_JOBS ?? 15);
const hosts = 50;

/** Other facts of each host every time; nobody is connected to. */
const playbook = `- hosts: all
  gather_facts: false
  tasks:
    - set_fact:
        cacheable: true
        kernel: "{{ now(utc=True) }} of {{ inventory_hostname }}"
`;

/** Milliseconds from the launch of a job to its end, as the service tells of both. */
async function jobs(service: Service): Promise<() => Promise<number>> {
  await service.start();
  const { template } = await prepare(service, { 'facts.yml': playbook });
  const id = await template('Facts', 'facts.yml', { use_fact_cache: true, forks: hosts });
  const { inventory } = await service.call('GET', `job_templates/${id}/`);
  for (let n = 1; n < hosts; n++) await service.call('POST', 'hosts/', { name: `host-${n}`, inventory });
  const watcher = await service.watcher();
  return async () => {
    const { job } = await service.call('POST', `job_templates/${id}/launch/`, {});
    const status = await watcher.ended(job);
    if (status !== 'successful') throw new Error(`job ${job} ${status}`);
    const { created, finished } = await service.call('GET', `jobs/${job}/`);
    return Date.parse(finished) - Date.parse(created);
  };
}

/** The same job, in turns with drift and without: what its end waits for is measured, and not what is done later. */
export async function jobEnds(): Promise<Figure> {
  const [on, off] = [new Service({ TAPLINE_PLUGINS: 'drift' }), new Service({ TAPLINE_PLUGINS: '' })];
  try {
    const [withDrift, without] = [await jobs(on), await jobs(off)];
    progress(`${pairs} jobs with drift and ${pairs} without`);
    const took: { on: number; off: number }[] = [];
    for (let n = -2; n < pairs; n++) {
      const first = n % 2 === 0;
      const pair = { on: first ? await withDrift() : 0, off: await without() };
      if (!first) pair.on = await withDrift();
      if (n >= 0) took.push(pair);
    }
    const later = took.map(({ on: with_, off: without_ }) => with_ - without_);
    const [low] = interval(later);
    const detail = `difference ${spread(later, 'ms')}; with drift ${median(took.map((pair) => pair.on)).toFixed(0)} ms, without ${median(took.map((pair) => pair.off)).toFixed(0)} ms, ${hosts} hosts`;
    return figure(
      'drift',
      'the end of a job is later than without drift, at least (95 %)',
      Math.max(0, low),
      'ms',
      '<=',
      0,
      detail,
    );
  } finally {
    await on.stop();
    await off.stop();
  }
}
