import { expect } from 'chai';
import { payloadSchemas } from '../../core/hooks/payloads.ts';
import { TaskRegistry } from '../../core/queue/tasks.ts';
import { defineHookTask } from '../../core/hooks/queue-tasks.ts';
import { factsUpdates } from '../../core/hooks/facts-updates.ts';

const pairs = (hosts: number) =>
  Array.from({ length: hosts }, (_, at) => ({ host_id: at + 1, old_hash: null, new_hash: `${at}` }));

describe('what a run tells of facts', () => {
  it('is one update where hosts are few, and none where there are none', () => {
    expect(factsUpdates(7, [])).to.deep.equal([]);
    expect(factsUpdates(7, pairs(2000))).to.deep.equal([{ run_id: 7, hosts: pairs(2000) }]);
  });

  it('is told in parts where they are many, each host in one of them', () => {
    const updates = factsUpdates(7, pairs(4001));
    expect(updates.map(({ part, hosts }) => [part, hosts.length])).to.deep.equal([
      [0, 2000],
      [1, 2000],
      [2, 1],
    ]);
    expect(updates.flatMap(({ hosts }) => hosts)).to.deep.equal(pairs(4001));
    for (const update of updates) expect(payloadSchemas.onFactsUpdated.parse(update)).to.deep.equal(update);
  });

  it('is told to a plugin one part at a time, beside its other tasks', () => {
    const registry = new TaskRegistry();
    const taps = [{ label: 'drift:take', plugin: 'drift' }];
    const hooks = {
      list: () => [
        { hook: 'onFactsUpdated', taps },
        { hook: 'afterFinish', taps: [{ label: 'drift:note', plugin: 'drift' }] },
      ],
    };
    defineHookTask({ queue: registry, hooks: hooks as never });
    expect([...registry.lanes()]).to.deep.equal([
      ['drift: facts', 1],
      ['drift', 4],
    ]);
  });
});
