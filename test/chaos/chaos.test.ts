import { expect } from 'chai';
import { chaos } from './chaos.ts';

describe('chaos', () => {
  it('loses nothing, doubles nothing and leaves nothing behind over 20 kills', async function () {
    this.timeout(300_000);
    const result = await chaos({ kills: 20, seed: 7, say: () => undefined });
    expect(result.problems).to.deep.equal([]);
    expect(Object.values(result.statuses).reduce((sum, count) => sum + count, 0)).to.be.greaterThan(3);
  });
});
