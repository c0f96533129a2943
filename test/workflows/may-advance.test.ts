import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { decideSteps } from '../../core/run-kinds/workflow-job/advance/decide.ts';
import { loadGraph } from '../../core/run-kinds/workflow-job/advance/graph.ts';
import { mayAdvance } from '../../core/run-kinds/workflow-job/advance/may-advance.ts';
import { startCore } from '../../core/testing/start-core.ts';

const graphs = 300;

/** The same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe('the look for workflows that may go on', function () {
  this.timeout(120_000);
  let core: Core;

  before(async () => (core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } })));
  after(() => core?.stop());

  it('finds every one that has something to do, and leaves out most that only wait', async () => {
    const below = numbers(20_260_101);
    const one = <T>(among: readonly T[]): T => among[below(among.length)]!;
    const trx = await core.db.transaction();
    try {
      const [template] = await trx('templates').insert({ kind: 'workflow_job_template', name: 'none' }).returning('id');
      const ids: number[] = [];
      for (let graph = 0; graph < graphs; graph += 1) {
        const run = { kind: 'workflow_job', name: 'graph', status: 'running', needs: 'nobody' };
        const [{ id }] = await trx('runs').insert(run).returning('id');
        ids.push(id);
        const states = [
          { do_not_run: true },
          { outcome: one(['successful', 'failed', 'error']), max_retries: below(2) },
          { job_id: id },
          { job_id: id },
          {},
        ];
        const nodes = Array.from({ length: 1 + below(6) }, (_, index) => ({
          run_id: id,
          identifier: String(index),
          do_not_run: false,
          outcome: null,
          job_id: null,
          max_retries: 0,
          unified_job_template_id: below(4) ? template.id : null,
          all_parents_must_converge: below(2) === 1,
          ...one(states),
        }));
        const made = await trx('workflow_job_nodes').insert(nodes).returning('id');
        const links = made.flatMap((child, index) =>
          made
            .slice(0, index)
            .flatMap((parent) =>
              below(2)
                ? [{ parent_id: parent.id, child_id: child.id, kind: one(['success', 'failure', 'always']) }]
                : [],
            ),
        );
        if (links.length) await trx('workflow_job_node_links').insert(links);
      }
      const looked = trx('runs as t').whereIn('t.id', ids);
      mayAdvance(looked);
      const found = new Set(await looked.pluck('t.id'));
      const [moving, waiting]: number[][] = [[], []];
      for (const id of ids) {
        const { skip, fail, launch, end } = decideSteps(await loadGraph(trx, id), { canceled: false });
        (skip.length + fail.length + launch.length || end ? moving : waiting)!.push(id);
      }
      expect(moving!.filter((id) => !found.has(id))).to.deep.equal([]);
      expect(moving!.length).to.be.greaterThan(graphs / 4);
      expect(waiting!.length).to.be.greaterThan(graphs / 10);
      expect(waiting!.filter((id) => found.has(id)).length).to.be.lessThan(waiting!.length / 2);
    } finally {
      await trx.rollback();
    }
  });
});
