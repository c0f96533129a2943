import { SandboxError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { Core } from '@tapline/plugin-sdk/testing';
import { advanceWorkflow } from '../../core/run-kinds/workflow-job/advance/advance.ts';
import { mergedArtifacts } from '../../core/run-kinds/workflow-job/advance/artifacts.ts';
import { decideSteps } from '../../core/run-kinds/workflow-job/advance/decide.ts';
import { loadGraph } from '../../core/run-kinds/workflow-job/advance/graph.ts';
import { takeSteps } from '../../core/run-kinds/workflow-job/advance/take-steps.ts';
import { mayAdvance } from '../../core/run-kinds/workflow-job/advance/may-advance.ts';
import { carryForward } from '../../core/run-kinds/workflow-job/launch/carry-forward.ts';
import { startCore } from '../../core/testing/start-core.ts';

const graphs = 300;
/** Each is played through twice, look by look. */
const playedGraphs = 100;

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

/** There are no expressions. */
const nobody = { sandbox: { evaluate: () => expect.fail() }, log: {} } as never;

/**
 * What comes of a run whose nodes end one after the other: how its nodes stand after each look, and its end. The same nodes end in
 * the same way each time, so that two ways of looking can be compared.
 */
async function played(db: Knex, run: number, whole: boolean) {
  const trx = await db.transaction();
  const below = numbers(run);
  try {
    const looks: { end: string | undefined; nodes: unknown[] }[] = [];
    for (let first = true; ; first = false) {
      expect(looks.length).to.be.lessThan(100);
      const { launch, end } = await takeSteps(nobody, trx, run, { canceled: false, whole: whole || first });
      const ids = launch.map(({ id }) => id);
      const nodes = trx('workflow_job_nodes').where({ run_id: run });
      await nodes.clone().whereIn('id', ids).update({ job_id: run, outcome: null, news: false, retry_attempts: 1 });
      const columns = ['id', 'do_not_run', 'outcome', 'job_id', 'retry_attempts', 'news'];
      looks.push({ end: end?.status, nodes: await nodes.clone().orderBy('id').select(columns) });
      const going = await nodes
        .clone()
        .where({ do_not_run: false, outcome: null })
        .whereNotNull('job_id')
        .orderBy('id')
        .pluck('id');
      if (end || !going.length) return looks;
      const outcome = ['successful', 'failed', 'error', 'canceled'][below(4)];
      await nodes
        .clone()
        .where({ id: going[below(going.length)] })
        .update({ outcome, news: true });
    }
  } finally {
    await trx.rollback();
  }
}

describe('the look for workflows that may go on', function () {
  // it only ends what hangs
  this.timeout(600_000);
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

  it('decides of what there is news of as of the whole', async () => {
    const trx = await core.db.transaction();
    try {
      let [ends, looks] = [0, 0];
      for (const id of (await randomGraphs(trx)).slice(0, playedGraphs)) {
        const whole = await played(trx, id, true);
        expect(await played(trx, id, false), `graph ${id}`).to.deep.equal(whole);
        if (whole.at(-1)!.end) ends += 1;
        looks += whole.length;
      }
      expect(ends).to.be.greaterThan(playedGraphs / 2);
      expect(looks).to.be.greaterThan(2 * playedGraphs);
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
            ...(index ? {} : { outcome: 'failed', news: true }),
          })),
        ])
        .returning('id');
      const [aside, ...chain] = made;
      const links = chain.slice(1).map((child, index) => ({ parent_id: chain[index]!.id, child_id: child.id }));
      await trx('workflow_job_node_links').insert(links.map((link) => ({ ...link, kind: 'success' })));
      const look = () => takeSteps(nobody, trx, id, { canceled: false, whole: false });
      const skipped = () => trx('workflow_job_nodes').where({ run_id: id, do_not_run: true }).pluck('id');
      expect((await look()).end).to.equal(undefined);
      expect(await skipped()).to.have.length(59);
      await trx('workflow_job_nodes').where({ id: aside!.id }).update({ outcome: 'successful', news: true });
      expect((await look()).end?.status).to.equal('failed');
      expect(await skipped()).to.have.length(59);
    } finally {
      await trx.rollback();
    }
  });

  it('judges a condition once, later where nobody could be asked, and keeps what came of it', async () => {
    const trx = await core.db.transaction();
    try {
      const run = await twoNodes(trx, "artifacts.color == 'red'");
      const asked: unknown[] = [];
      const look = async (answer: () => unknown, whole: boolean) => {
        const evaluate = async (_expression: string, context: object) => (asked.push(context), answer());
        const judging = { sandbox: { evaluate }, log: { warn: () => undefined } } as never;
        const { launch, skip, end, later } = await takeSteps(judging, trx, run, { canceled: false, whole });
        return { launch: launch.length, skip: skip.length, end, later };
      };
      const away = () => {
        throw new SandboxError('unavailable', 'it is stopping');
      };
      for (const whole of [false, true])
        expect(await look(away, whole)).to.deep.equal({ launch: 0, skip: 0, end: undefined, later: 5 });
      expect(await look(() => true, false)).to.include({ launch: 1, skip: 0 });
      expect(asked).to.have.length(3);
      await trx('workflow_job_nodes').where({ run_id: run }).update({ artifacts: '{}' });
      expect(await look(() => false, true)).to.include({ launch: 1, skip: 0 });
      expect(asked).to.have.length(3);
      expect(asked[2]).to.deep.equal({ artifacts: { color: 'red' }, status: 'successful' });
    } finally {
      await trx.rollback();
    }
  });

  it('asks five times over a quarter of an hour, then takes a condition for not met and says so', async () => {
    const trx = await core.db.transaction();
    try {
      const run = await twoNodes(trx, 'never');
      const [{ id: parent }, { id: child }] = await trx('workflow_job_nodes').where({ run_id: run }).orderBy('id');
      let asked = 0;
      const evaluate = async () => {
        asked += 1;
        throw new SandboxError('unavailable', 'the machine was too busy');
      };
      const log = { warn: () => undefined, error: () => undefined };
      const ends: unknown[] = [];
      const statuses = { setStatus: async (_trx: Knex, _run: object, status: string) => void ends.push(status) };
      const queue = { addTasks: async () => undefined };
      const services = { db: trx, sandbox: { evaluate }, log, queue, statuses } as never;
      const look = () => advanceWorkflow(services, run, { whole: false });
      const link = () => trx('workflow_job_node_links').where({ parent_id: parent }).first();
      for (let tries = 1; tries <= 6; tries += 1) {
        // oxlint-disable-next-line no-await-in-loop
        await look();
        // oxlint-disable-next-line no-await-in-loop
        expect(await link()).to.include({ holds: null, asked_in_vain: tries });
      }
      // tries alone do not end it, nor does time alone
      const longAgo = { asked_since: trx.raw("now() - interval '16 minutes'") };
      await trx('workflow_job_node_links').update({ ...longAgo, asked_in_vain: 3 });
      await look();
      expect(await link()).to.include({ holds: null, asked_in_vain: 4 });
      await look();
      expect(await link()).to.include({ holds: false });
      expect(asked).to.equal(8);
      expect(await trx('workflow_job_nodes').where({ id: child }).first()).to.include({ do_not_run: true });
      expect(ends).to.deep.equal(['successful']);
      expect(await trx('runs').where({ id: run }).first('job_explanation')).to.deep.equal({
        job_explanation: `Nobody could evaluate the condition on the link from node ${parent} to ${child} for 15 minutes: it counts as not met.`,
      });
    } finally {
      await trx.rollback();
    }
  });

  it('judges the other conditions beside those that nobody has an answer to', async () => {
    const trx = await core.db.transaction();
    try {
      const run = await twoNodes(trx, 'never');
      const [first, second] = await trx('workflow_job_nodes').where({ run_id: run }).orderBy('id').select('*');
      const follow = async (expression: string) => {
        const { id: _id, ...node } = second;
        const row = { ...node, identifier: expression, retried_jobs: '[]', columns: '{}', ancestor_artifacts: '{}' };
        const [{ id }] = await trx('workflow_job_nodes').insert(row).returning('id');
        const link = { parent_id: first.id, child_id: id, kind: 'condition', expression };
        await trx('workflow_job_node_links').insert(link);
        return id as number;
      };
      let asked = 0;
      const evaluate = async (expression: string) => {
        asked += 1;
        if (expression.includes('never')) throw new SandboxError('unavailable', 'the machine was too busy');
        return true;
      };
      const judging = { sandbox: { evaluate }, log: { warn: () => undefined } } as never;
      const look = () => takeSteps(judging, trx, run, { canceled: false, whole: false });
      const good = await follow('one');
      const { launch, later } = await look();
      expect([launch.map(({ id }) => id), later, asked]).to.deep.equal([[good], 5, 2]);
      await trx('workflow_job_nodes').where({ id: good }).update({ do_not_run: true });

      // where two in a row have none nobody can be asked, and another look begins elsewhere
      await follow('never either');
      const other = await follow('another');
      let launched: number[] = [];
      for (let looks = 0; looks < 100 && !launched.length; looks += 1) {
        asked = 0;
        // oxlint-disable-next-line no-await-in-loop
        launched = (await look()).launch.map(({ id }) => id);
        expect(asked).to.be.within(2, 3);
      }
      expect(launched).to.deep.equal([other]);
    } finally {
      await trx.rollback();
    }
  });

  it('launches the others beside nodes that nobody could be asked about, and those later', async () => {
    const trx = await core.db.transaction();
    try {
      const row = { kind: 'workflow_job', name: 'graph', status: 'running', needs: 'nobody' };
      const [run] = await trx('runs').insert(row).returning('id');
      const named = ['asks', 'asks too', 'asks as well', 'works'];
      const templates: { id: number }[] = await trx('templates')
        .insert(named.map((name) => ({ kind: name === 'works' ? 'job_template' : 'workflow_approval_template', name })))
        .returning('id');
      await trx('workflow_job_nodes').insert(
        templates.map(({ id }, index) => ({ run_id: run.id, identifier: named[index], unified_job_template_id: id })),
      );
      let away = true;
      const asked: number[] = [];
      const added: { after_s?: number }[] = [];
      const insert = async (_trx: Knex, { template }: { template: number }) => {
        asked.push(template);
        const [made] = await trx('runs').insert({ kind: 'job', name: 'n', status: 'pending' }).returning('*');
        if (away && template !== templates[3]!.id) throw new SandboxError('unavailable', 'the machine was too busy');
        return { run: made };
      };
      const services = {
        db: trx,
        kinds: { ofTemplate: () => undefined },
        launch: { insert, decide: async () => undefined },
        queue: { addTasks: async (_trx: Knex, tasks: object[]) => void added.push(...tasks) },
        log: { warn: () => undefined },
      } as never;
      const tied = () => trx('workflow_job_nodes').where({ run_id: run.id }).whereNotNull('job_id').pluck('identifier');
      await advanceWorkflow(services, run.id, { whole: true });
      expect(await tied()).to.deep.equal(['works']);
      expect(asked).to.deep.equal([templates[0]!.id, templates[1]!.id, templates[3]!.id]);
      expect(added.map(({ after_s: after }) => after)).to.deep.equal([5]);
      expect(await trx('workflow_job_nodes').where({ run_id: run.id }).whereNotNull('outcome')).to.deep.equal([]);
      away = false;
      await advanceWorkflow(services, run.id, { whole: true });
      expect(await tied()).to.have.members(named);
    } finally {
      await trx.rollback();
    }
  });

  it('reads what a run set from the run itself, where it was ended by an older version that left it there', async () => {
    const trx = await core.db.transaction();
    try {
      const run = await twoNodes(trx, "artifacts.color == 'red'");
      await trx('workflow_job_nodes').where({ run_id: run }).update({ artifacts: '{}' });
      await trx('runs').where({ id: run }).update({ artifacts: '{"color":"red"}' });
      const { links } = await loadGraph(trx, run);
      expect(JSON.parse(links[0]!.artifact!)).to.deep.equal({ color: 'red' });
      expect(await mergedArtifacts(trx, run)).to.deep.equal({ color: 'red' });
      const again = await twoNodes(trx, 'true');
      await trx('workflow_job_nodes').where({ run_id: again }).update({ artifacts: '{}' });
      await carryForward(trx, again, run);
      const taken = await trx('workflow_job_nodes').where({ run_id: again, identifier: 'first' }).first('artifacts');
      expect(taken.artifacts).to.deep.equal({ color: 'red' });
      await trx('runs').where({ id: run }).update({ artifacts: '"$encrypted$"' });
      expect(await mergedArtifacts(trx, run)).to.deep.equal({});
    } finally {
      await trx.rollback();
    }
  });
});

/** A run whose first node went well and said that it is red; the second follows where the expression holds. */
async function twoNodes(trx: Knex, expression: string): Promise<number> {
  const [template] = await trx('templates').insert({ kind: 'job_template', name: expression }).returning('id');
  const run = { kind: 'workflow_job', name: 'graph', status: 'running', needs: 'nobody' };
  const [{ id }] = await trx('runs').insert(run).returning('id');
  const node = { run_id: id, unified_job_template_id: template.id };
  const [first, second] = await trx('workflow_job_nodes')
    .insert([
      { ...node, identifier: 'first', job_id: id, outcome: 'successful', news: true, artifacts: '{"color":"red"}' },
      { ...node, identifier: 'second', job_id: null, outcome: null, news: false, artifacts: '{}' },
    ])
    .returning('id');
  const link = { parent_id: first.id, child_id: second.id, kind: 'condition', expression };
  await trx('workflow_job_node_links').insert(link);
  return id;
}
