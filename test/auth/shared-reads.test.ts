import { expect } from 'chai';
import { shareReads } from '../../core/db/shared-reads.ts';

/** A reading that the test ends, each telling how many began before it. */
function readings() {
  const ends: ((error?: Error) => void)[] = [];
  const read = shareReads((key) => {
    const text = `${key}${ends.length}`;
    return new Promise<string>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve(text))));
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { read, ends, settled };
}

describe('readings that callers share', () => {
  it('give those who come during one the next, which began after they asked', async () => {
    const { read, ends, settled } = readings();
    const first = read('a');
    const others = [read('a'), read('a')];
    expect(ends).to.have.length(1);
    ends[0]!();
    expect(await first).to.equal('a0');
    await settled();
    expect(ends).to.have.length(2);
    const late = read('a');
    ends[1]!();
    expect(await Promise.all(others)).to.deep.equal(['a1', 'a1']);
    await settled();
    ends[2]!();
    expect(await late).to.equal('a2');
  });

  it('are apart for each key', async () => {
    const { read, ends } = readings();
    const [a, b] = [read('a'), read('b')];
    ends[1]!();
    ends[0]!();
    expect(await Promise.all([a, b])).to.deep.equal(['a0', 'b1']);
  });

  it('fail for those who shared them, and begin anew', async () => {
    const { read, ends, settled } = readings();
    const first = read('a');
    const second = read('a');
    ends[0]!(new Error('away'));
    expect(await first.catch((error: Error) => error.message)).to.equal('away');
    await settled();
    ends[1]!();
    expect(await second).to.equal('a1');
    const third = read('a');
    ends[2]!();
    expect(await third).to.equal('a2');
  });
});
