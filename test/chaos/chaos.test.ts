import { expect } from 'chai';
import { chaos } from './chaos.ts';
import { plan } from './plan.ts';
import { victims } from './victims.ts';

const seed = Number(process.env['CHAOS_SEED'] ?? 7);

describe('chaos', () => {
  it('follows the schedule of its seed', () => {
    expect(plan(seed, 40)).to.deep.equal(plan(seed, 40));
    expect(plan(seed, 40)).to.not.deep.equal(plan(seed + 1, 40));
  });

  it('loses nothing, doubles nothing and leaves nothing behind over 20 kills', async function () {
    // it only ends what hangs
    this.timeout(2_400_000);
    const result = await chaos({ kills: 20, seed, say: () => undefined });
    expect(result.problems, `seed ${seed}; ${result.evidence}`).to.deep.equal([]);
    expect(result.hits).to.have.all.keys(Object.keys(victims));
    expect(result.early).to.be.greaterThan(1);
    expect(result.alive).to.be.greaterThan(1);
    expect(result.kinds).to.include.keys('job', 'project_update', 'ad_hoc_command', 'system_job', 'inventory_update');
    expect(result.kinds).to.include.keys('workflow_job', 'workflow_approval');
    expect(result.pushed).to.be.greaterThan(0);
    expect(result.told).to.be.greaterThan(result.pushed);
    expect(result.ticks).to.be.greaterThan(0);
    expect(result.notified).to.be.greaterThan(0);
    expect(result.struck).to.be.greaterThan(0);
    expect(result.statuses).to.include.keys('successful', 'failed');
  });
});
