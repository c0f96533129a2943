import { expect } from 'chai';
import { scrub } from '../../core/observe/log.ts';

describe('what goes into the log', () => {
  it('has no secret at any depth', () => {
    const clean = JSON.stringify(
      scrub({
        headers: { Authorization: 'canary' },
        a: [{ b: { password: 'canary', become_password: 'canary' } }],
        inputs: { x: 'canary' },
        extra_vars: 'canary',
        run: 5,
      }),
    );
    expect(clean).not.to.contain('canary');
    expect(clean).to.contain('"run":5');
  });

  it('ends where an object contains itself', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(JSON.stringify(scrub(loop))).to.contain('[deep]');
  });
});
