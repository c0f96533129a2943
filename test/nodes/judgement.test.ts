import { expect } from 'chai';
import { createJudgement } from '../../core/nodes/judgement.ts';
import { DEAD_AFTER_S, HEARTBEAT_MS } from '../../core/nodes/living.ts';

describe('a node', () => {
  const deadAfter = DEAD_AFTER_S * 1000;
  let time = 0;
  const after = (milliseconds: number) => (time += milliseconds);

  it('may take others for dead from its start on, while it is heard of itself', () => {
    const mayJudge = createJudgement(() => time);
    for (let beat = 0; beat < 10; beat += 1) {
      expect(mayJudge()).to.equal(true);
      after(HEARTBEAT_MS);
    }
    // one heartbeat that failed is no outage
    after(HEARTBEAT_MS);
    expect(mayJudge()).to.equal(true);
  });

  it('gives the others their time where it was not heard of either', () => {
    const mayJudge = createJudgement(() => time);
    expect(mayJudge()).to.equal(true);
    after(deadAfter);
    for (let waited = 0; waited < deadAfter; waited += HEARTBEAT_MS) {
      expect(mayJudge(), `${waited} ms after it was heard of again`).to.equal(false);
      after(HEARTBEAT_MS);
    }
    expect(mayJudge()).to.equal(true);
  });
});
