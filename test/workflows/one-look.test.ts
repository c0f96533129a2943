import { expect } from 'chai';
import { oneLook } from '../../core/runs/waiting/one-look.ts';

describe('looks at a run', () => {
  let begun: { run: number; whole: boolean; end: (error?: Error) => void }[];
  let ask: ReturnType<typeof oneLook>;
  beforeEach(() => {
    begun = [];
    ask = oneLook(
      (run, { whole }) =>
        new Promise((resolve, reject) =>
          begun.push({ run, whole, end: (error) => (error ? reject(error) : resolve()) }),
        ),
    );
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('are one at a time, with one more for all who ask meanwhile; other runs do not wait', async () => {
    const first = ask(1, { whole: false });
    const second = ask(1, { whole: false });
    const others = [ask(1, { whole: true }), ask(1, { whole: false })];
    const elsewhere = ask(2, { whole: false });
    await Promise.all(others);
    expect(begun.map(({ run }) => run)).to.deep.equal([1, 2]);
    begun[0]!.end();
    await first;
    await turn();
    expect(begun[2]).to.include({ run: 1, whole: true });
    const third = ask(1, { whole: false });
    begun[2]!.end();
    await second;
    await turn();
    expect(begun[3]).to.include({ run: 1, whole: false });
    begun[3]!.end();
    begun[1]!.end();
    await Promise.all([third, elsewhere]);
    void ask(1, { whole: false });
    expect(begun).to.have.length(5);
  });

  it('go on after one that failed, which only its own task is told', async () => {
    const first = ask(1, { whole: false });
    const second = ask(1, { whole: false });
    begun[0]!.end(new Error('no'));
    const failed: unknown = await first.catch((error: unknown) => error);
    expect(String(failed)).to.include('no');
    await turn();
    begun[1]!.end();
    await second;
    expect(begun).to.have.length(2);
  });
});
