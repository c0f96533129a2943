import { advanceWorkflow } from '@tapline/core/run-kinds/workflow-job/advance/advance.ts';
import { onDatabase } from '../lib/bench-database.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';
import { timed } from '../lib/timed.ts';
import { graphOf } from '../lib/workflow-graph.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 7);
const warmUp = 1;
const chained = 50;
const fanned = 200;

interface Stage {
  service: Service;
  watcher: { ended(run: number): Promise<string> };
  /** a workflow without nodes: there is no engine whose time would hide ours */
  nothing: number;
}

const workflow = async ({ service }: Pick<Stage, 'service'>, name: string): Promise<number> =>
  (await service.call('POST', 'workflow_job_templates/', { name, organization: 1, allow_simultaneous: true })).id;

/** Of workflows, each launched by a request of its own. */
async function run({ service, watcher }: Stage, ids: readonly number[]): Promise<number> {
  return timed(async () => {
    const runs = await Promise.all(ids.map((id) => service.call('POST', `workflow_job_templates/${id}/launch/`, {})));
    for (const { id } of runs) {
      const status = await watcher.ended(id);
      if (status !== 'successful') throw new Error(`workflow job ${id} ended ${status}`);
    }
  });
}

/** A workflow of nodes that do nothing, one after the other or all at once. */
async function nodes(stage: Stage, count: number, follow: boolean): Promise<number> {
  const { service, nothing } = stage;
  const id = await workflow(stage, follow ? 'Chain' : 'Fan');
  let last: number | undefined;
  for (let node = 0; node < count; node += 1) {
    const path = `workflow_job_templates/${id}/workflow_nodes/`;
    const { id: made } = await service.call('POST', path, { unified_job_template: nothing });
    if (follow && last !== undefined)
      await service.call('POST', `workflow_job_template_nodes/${last}/success_nodes/`, { id: made });
    last = made;
  }
  return id;
}

/** What a node costs beyond the same run launched by hand, the two in turns: a chain against runs one by one, a fan against runs at once. */
async function added(): Promise<Figure[]> {
  const service = new Service({ TAPLINE_PLUGINS: '' });
  try {
    await service.start();
    const watcher = await service.watcher();
    const stage = { service, watcher, nothing: 0 };
    stage.nothing = await workflow(stage, 'Nothing');
    const shapes = [
      { name: `chain of ${chained}`, count: chained, follow: true },
      { name: `fan of ${fanned}`, count: fanned, follow: false },
    ];
    const found: Figure[] = [];
    for (const { name, count, follow } of shapes) {
      const id = await nodes(stage, count, follow);
      const bareRun = async () => {
        if (!follow)
          return run(
            stage,
            Array.from({ length: count }, () => stage.nothing),
          );
        let took = 0;
        for (let one = 0; one < count; one += 1) took += await run(stage, [stage.nothing]);
        return took;
      };
      const [ours, bare, more]: number[][] = [[], [], []];
      for (let round = -warmUp; round < rounds; round += 1) {
        progress(`${name}, round ${round + 1} of ${rounds}`);
        const took = new Map<boolean, number>();
        for (const asNodes of round % 2 ? [true, false] : [false, true])
          took.set(asNodes, (asNodes ? await run(stage, [id]) : await bareRun()) / count);
        if (round < 0) continue;
        ours!.push(took.get(true)!);
        bare!.push(took.get(false)!);
        more!.push(took.get(true)! - took.get(false)!);
      }
      const detail = `${warmUp} round of warm-up; as nodes ${spread(ours!, 'ms')}; by hand ${spread(bare!, 'ms')}; pairs ${spread(more!, 'ms')}`;
      found.push(figure('workflow', `${name}, added to each node, p50`, median(more!), 'ms', '<=', 60, detail));
    }
    return found;
  } finally {
    await service.stop();
  }
}

const sizes = [1000, 10_000];
const events = 200;

/** A node ends while others go on: the whole transaction of the advance, beside one that asks for nothing. */
const advance = (size: number): Promise<Figure> =>
  onDatabase(async (db) => {
    const { run: id, going } = await graphOf(db, size);
    // a success on a link for failures: a child is marked and nothing launched, so that only the advance is measured
    const services = { db, queue: { addTasks: async () => {} }, launch: {}, log: {}, statuses: {} };
    const advanced = () =>
      advanceWorkflow(services as unknown as Parameters<typeof advanceWorkflow>[0], id, { whole: false });
    const nothing = () => db.transaction((trx) => trx.raw('select 1'));
    const [ours, bare]: number[][] = [[], []];
    for (const [index, node] of going.slice(0, events).entries()) {
      await db('workflow_job_nodes').where({ id: node }).update({ outcome: 'successful', news: true });
      const sides = [
        [ours!, advanced],
        [bare!, nothing],
      ] as const;
      for (const [samples, work] of index % 2 ? sides : sides.toReversed()) {
        const took = await timed(work);
        if (index >= events / 10) samples.push(took);
      }
    }
    const detail = `${events / 10} events of warm-up; ${spread(ours!, 'ms')}; an empty transaction ${spread(bare!, 'ms')}`;
    return figure('workflow', `advance of ${size} nodes, per event`, median(ours!), 'ms', '<=', 5, detail);
  });

export async function workflowMeasure(): Promise<Figure[]> {
  const found = await added();
  for (const size of sizes) found.push(await advance(size));
  return found;
}
