import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Step } from '../capture/chain.ts';
import type { HostPlan } from '../capture/plans.ts';
import { cutPlan, portionsOf } from '../capture/portions.ts';
import { type DriftStage, startDrift } from './stage.ts';

const planOf = (host_id: number, steps: Step[], others: { done?: number[]; waiting?: number[] } = {}): HostPlan => ({
  host_id,
  inventory_id: 1,
  organization_id: null,
  latest: null,
  chain: {
    steps,
    done: [...steps.flatMap(({ run_id: run }) => run ?? []), ...(others.done ?? [])],
    waiting: others.waiting ?? [],
  },
});
const step = (hash: string, run: number | null): Step => ({ hash, run_id: run });

describe('facts that are captured together', () => {
  const sizes = new Map([
    ['a', 4],
    ['b', 4],
    ['c', 4],
    ['huge', 99],
  ]);
  const cut = (steps: Step[], others = {}) => {
    const { plan, rest } = cutPlan(planOf(1, steps, others), sizes, 8);
    const { steps: left, done, waiting } = plan.chain;
    return [left.map(({ hash }) => hash).join(' '), done, waiting, rest];
  };

  it('are of one host as many as are worked on in time; its other reports stay', () => {
    expect(cut([step('a', 1), step('b', 2)], { done: [9], waiting: [7] })).to.deep.equal([
      'a b',
      [1, 2, 9],
      [7],
      false,
    ]);
    expect(cut([step('a', 1), step('b', 2), step('c', 3)], { done: [9], waiting: [7] })).to.deep.equal([
      'a b',
      [1, 2, 9],
      [7],
      true,
    ]);
    expect(cut([step('a', 1), step('gone', 2), step('b', 3), step('gone too', 4)])).to.deep.equal([
      'a gone b gone too',
      [1, 2, 3, 4],
      [],
      false,
    ]);
  });

  it('are one at least, however large, and a state that nobody told of goes with what follows on it', () => {
    expect(cut([step('huge', 1), step('a', 2)])).to.deep.equal(['huge', [1], [], true]);
    expect(cut([step('a', 1), step('huge', 2), step('b', 3)])).to.deep.equal(['a', [1], [], true]);
    expect(cut([step('huge', null), step('huge', 1), step('a', 2)])).to.deep.equal(['huge huge', [1], [], true]);
    expect(cut([step('a', 1), step('huge', null), step('b', 2), step('c', 3)])).to.deep.equal(['a', [1], [], true]);
  });

  it('are of many hosts while they are small', () => {
    const hosts = Array.from({ length: 60 }, (_, n) => planOf(n, [step(n === 30 ? 'large' : 'a', 1)]));
    const found = [...portionsOf(hosts, new Map([...sizes, ['large', 3 << 20]]))].map(({ length }) => length);
    expect(found).to.deep.equal([25, 5, 1, 25, 4]);
  });
});

describe('a host that has much behind it', function () {
  this.timeout(600_000);
  let stage: DriftStage;

  before(async () => {
    stage = await startDrift();
  });
  after(() => stage?.stop());

  it('is captured in one transaction after the other, each of which ends in time', async () => {
    const { db, queue } = stage.services;
    const [host, small] = [await stage.host('behind'), await stage.host('small')];
    const runs = [await stage.run(), await stage.run(), await stage.run()];
    for (const [n, run] of runs.entries()) {
      // nothing of it can be packed
      const facts = { kernel: n, blob: randomBytes(900_000).toString('base64') };
      const hosts = [{ host_id: host, ...(await stage.learn(run, host, facts)) }];
      hosts.push({ host_id: small, ...(await stage.learn(run, small, { kernel: n })) });
      await db('plugin_drift.reports').insert(hosts.map((one) => ({ run_id: run, ...one })));
    }
    await queue.addTasks(db, [{ name: 'drift:capture', payload: { hosts: [host, small] } }]);
    await stage.settled();
    const snapshots = await db('plugin_drift.snapshots')
      .whereIn('host_id', [host, small])
      .orderBy('id')
      .select('host_id', 'job_id', db.raw('xmin::text as transaction'));
    const of = (id: number) => snapshots.filter(({ host_id: one }) => one === id);
    for (const id of [host, small]) expect(of(id).map(({ job_id: run }) => run)).to.deep.equal(runs);
    const transactions = (id: number) => new Set(of(id).map(({ transaction }) => transaction)).size;
    expect([transactions(host), transactions(small)]).to.deep.equal([3, 1]);
    const found = await stage.all(`drift_detections/?host=${host}&fact_path=kernel&order_by=id`);
    expect(found.map(({ detail, job }) => [job, detail.before, detail.after])).to.deep.equal([
      [runs[1], 0, 1],
      [runs[2], 1, 2],
    ]);
  });
});
