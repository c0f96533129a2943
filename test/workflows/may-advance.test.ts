import { expect } from 'chai';
import type { Knex } from 'knex';
import type { Core } from '@tapline/plugin-sdk/testing';
import { decideSteps, type Steps } from '../../core/run-kinds/workflow-job/advance/decide.ts';
import { loadGraph } from '../../core/run-kinds/workflow-job/advance/graph.ts';
import { nextSteps } from '../../core/run-kinds/workflow-job/advance/next-steps.ts';
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

async function randomGraphs(trx: Knex): Promise<number[]> {
  const below = numbers(20_260_101);
  const one = <T>(among: readonly T[]): T => among[below(among.length)]!;
  const [template] = await trx('templates').insert({ kind: 'workflow_job_template', name: 'none' }).returning('id');
  const ids: number[] = [];
  for (let graph = 0; graph < graphs; graph += 1) {
    const run = { kind: 'workflow_job', name: 'graph', status: 'running', needs: 'nobody' };
    const [{ id }] = await trx('runs')
      .insert({ ...run, started: '2026-01-01', finished: '2026-01-01' })
      .returning('id');
    ids.push(id);
    const states = [
      { do_not_run: true },
      { outcome: one(['successful', 'failed', 'error']), max_retries: below(2) },
      { job_id: id },
      { job_id: id, ...(below(4) ? {} : { outcome: 'failed', max_retries: 1 }) },
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
          below(2) ? [{ parent_id: parent.id, child_id: child.id, kind: one(['success', 'failure', 'always']) }] : [],
        ),
    );
    if (links.length) await trx('workflow_job_node_links').insert(links);
  }
  return ids;
}

/** What comes of a run as long as nothing that it launches ends: the nodes as they are then, and its end. */
async function settled(db: Knex, run: number, look: (trx: Knex) => Promise<Steps & { more?: boolean }>) {
  const trx = await db.transaction();
  try {
    let end: string | undefined;
    for (let looks = 0; ; looks += 1) {
      expect(looks).to.be.lessThan(100);
      const { skip, fail, launch, more = true, end: over } = await look(trx);
      end ??= over?.status;
      const nodes = trx('workflow_job_nodes');
      await nodes.clone().whereIn('id', skip).update({ do_not_run: true });
      await nodes.clone().whereIn('id', fail).update({ outcome: 'error' });
      const ids = launch.map(({ id }) => id);
      await nodes
        .clone()
        .whereIn('id', ids)
        .update({ job_id: run, outcome: null, retry_attempts: trx.raw('retry_attempts + 1') });
      if (!more || skip.length + fail.length + launch.length === 0) break;
    }
    const columns = ['id', 'do_not_run', 'outcome', 'job_id', 'retry_attempts'];
    return { end, nodes: await trx('workflow_job_nodes').where({ run_id: run }).orderBy('id').select(columns) };
  } finally {
    await trx.rollback();
  }
}

const going = { canceled: false };

describe('the look for workflows that may go on', function () {
  this.timeout(120_000);
  let core: Core;

  before(async () => (core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } })));
  after(() => core?.stop());

  it('finds every one that has something to do, and leaves out most that only wait', async () => {
    const trx = await core.db.transaction();
    try {
      const ids = await randomGraphs(trx);
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

  it('decides of what may move as of the whole', async () => {
    const trx = await core.db.transaction();
    try {
      let ends = 0;
      for (const id of await randomGraphs(trx)) {
        const whole = await settled(trx, id, async (db) => decideSteps(await loadGraph(db, id), going));
        expect(await settled(trx, id, (db) => nextSteps(db, id, going)), `graph ${id}`).to.deep.equal(whole);
        if (whole.end) ends += 1;
      }
      expect(ends).to.be.greaterThan(graphs / 10);
    } finally {
      await trx.rollback();
    }
  });

  it('comes to the end of a long chain that cannot run, while something else goes on and when nothing does', async () => {
    const trx = await core.db.transaction();
    try {
      const run = { kind: 'workflow_job', name: 'chain', status: 'running', needs: 'nobody' };
      const [{ id }] = await trx('runs').insert(run).returning('id');
      const node = { run_id: id, outcome: null, job_id: null };
      const made: { id: number }[] = await trx('workflow_job_nodes')
        .insert([
          { ...node, identifier: 'aside', job_id: id },
          ...Array.from({ length: 60 }, (_, index) => ({
            ...node,
            identifier: String(index),
            outcome: index ? null : 'failed',
          })),
        ])
        .returning('id');
      const [aside, ...chain] = made;
      const links = chain.slice(1).map((child, index) => ({ parent_id: chain[index]!.id, child_id: child.id }));
      await trx('workflow_job_node_links').insert(links.map((link) => ({ ...link, kind: 'success' })));
      const look = (db: Knex) => nextSteps(db, id, going);
      const waiting = await settled(trx, id, look);
      expect(waiting.end).to.equal(undefined);
      expect(waiting.nodes.filter((one) => one.do_not_run)).to.have.length(59);
      await trx('workflow_job_nodes').where({ id: aside!.id }).update({ outcome: 'successful' });
      const over = await settled(trx, id, look);
      expect(over.end).to.equal('failed');
      expect(over.nodes.filter((one) => one.do_not_run)).to.have.length(59);
    } finally {
      await trx.rollback();
    }
  });
});
