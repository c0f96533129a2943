import { expect } from 'chai';
import { chaos } from './chaos.ts';

describe('chaos', () => {
  it('loses nothing, doubles nothing and leaves nothing behind over 20 kills', async function () {
    this.timeout(300_000);
    const result = await chaos({ kills: 20, seed: 7, say: () => undefined });
    expect(result.problems).to.deep.equal([]);
    expect(result.killed).to.deep.equal({ web: 4, worker: 8, wrapper: 4, backend: 4 });
    expect(result.alive).to.be.greaterThan(1);
    expect(result.statuses).to.include.keys('successful', 'error');
  });
});
