import { expect } from 'chai';
import { withHashGate } from '../../core/accounts/hash-gate.ts';

describe('the gate in front of password hashes', () => {
  it('lets a few through at once, keeps some waiting in order and refuses the rest', async () => {
    let running = 0;
    let most = 0;
    const order: number[] = [];
    let release!: () => void;
    const open = new Promise<void>((resolve) => void (release = resolve));
    const work = (index: number) =>
      withHashGate(async () => {
        most = Math.max(most, ++running);
        await open;
        order.push(index);
        running--;
      });
    const results = Array.from({ length: 200 }, (_, index) =>
      work(index).then(
        () => 'done',
        (error) => error.status as number,
      ),
    );
    release();
    const answers = await Promise.all(results);
    const passed = answers.filter((answer) => answer === 'done').length;
    expect(most).to.be.within(1, 3);
    expect(passed).to.equal(100 + most);
    expect(answers.slice(passed)).to.deep.equal(Array(200 - passed).fill(503));
    expect(order).to.deep.equal([...order].toSorted((a, b) => a - b));
  });

  it('is open again after failures', async () => {
    const failing = Array.from({ length: 10 }, () =>
      withHashGate(() => Promise.reject(new Error('x'))).catch((error: Error) => error.message),
    );
    expect(await Promise.all(failing)).to.deep.equal(Array(10).fill('x'));
    expect(await withHashGate(async () => 1)).to.equal(1);
  });
});
