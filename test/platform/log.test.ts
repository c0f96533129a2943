import { expect } from 'chai';
import { scrub } from '../../core/observe/log.ts';
import { createRunEntries } from '../../core/runs/entries.ts';
import { RunKinds } from '../../core/runs/kinds.ts';

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

  it('names template, user, tap and reason of a launch that was denied', async () => {
    const lines: unknown[] = [];
    const entries = createRunEntries({
      settings: { get: () => false },
      kinds: new RunKinds(),
      log: { info: (fields: object, text: string) => void lines.push({ ...fields, text }) } as any,
      node: 'n1',
    });
    // the audit log is written, the activity stream is off
    await entries.refused({ raw: async () => ({ rows: [] }) } as any, {
      run: { id: 7, kind: 'job', name: 'Release', template_id: 3 } as any,
      about: [],
      actor: { id: 2, username: 'ann' } as any,
      changes: { tap: 'freeze:refuse', detail: 'Frozen.', reasons: [], launch_type: 'manual' },
    });
    const about = { run: 7, kind: 'job', name: 'Release', template: 3, user: 'ann' };
    expect(lines).to.deep.equal([
      { ...about, launch_type: 'manual', tap: 'freeze:refuse', why: 'Frozen.', text: 'launch denied' },
    ]);
  });
});
