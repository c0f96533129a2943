import { expect } from 'chai';
import { Aside } from '../capture/aside.ts';
import { captureHosts } from '../capture/capture.ts';
import { historyOf, type NewSnapshot, type Sources } from '../capture/history.ts';
import { factTexts, wholeOf } from '../facts/canonical.ts';
import { pack, type Packed } from '../facts/content.ts';
import { parseExactly } from '../facts/exact-json.ts';

function packedOf(json: string): Packed {
  const { content, base = null } = pack(wholeOf(factTexts(parseExactly(json) as Record<string, unknown>, json)).text);
  return { content, base };
}

const host = { host_id: 1, inventory_id: 2, organization_id: null };

/** Facts that become others by the runs 1, 2, …; undefined: they are gone. */
function sourcesOf(first: string, ...states: (string | undefined)[]): Sources {
  const steps = states.map((_, at) => ({ hash: `${at}`, run_id: at + 1 }));
  return {
    plan: { ...host, latest: null, chain: { steps, done: [], waiting: [] } },
    documents: new Map(states.flatMap((json, at) => (json === undefined ? [] : [[`${at}`, json] as const]))),
    newest: packedOf(first),
    options: { overrides: { load: 'high' }, ignored: ['noise'] },
  };
}

describe('facts in a thread', () => {
  let aside: Aside;
  beforeEach(() => {
    aside = new Aside();
  });
  afterEach(() => aside.end());

  it('come to what they come to without one, to the digits of numbers', async () => {
    const sources = sourcesOf(
      '{"load": 1.0, "noise": 1}',
      '{"load": 12345678901234567890, "noise": 2}',
      undefined,
      '[]',
    );
    const found = await aside.historyOf(sources);
    const plain = historyOf(sources);
    const bytes = ({ content, base, ...rest }: NewSnapshot) => ({
      ...rest,
      content: Buffer.from(content),
      base: base && Buffer.from(base),
    });
    expect(found.snapshots.map(bytes)).to.deep.equal(plain.snapshots.map(bytes));
    expect(found.leftOut.map(({ run, why }) => [run, why])).to.deep.equal([
      [2, 'facts were gone before they were captured'],
      [3, 'facts could not be captured'],
    ]);
    const [load] = found.snapshots[0]!.differences;
    expect([load?.severity, load?.summary, load?.detail]).to.deep.equal([
      'high',
      'load changed from 1.0 to 12345678901234567890',
      '{"before":1.0,"after":12345678901234567890,"diff_type":"changed","paths":[{"op":"replace","path":"","before":1.0,"value":12345678901234567890}]}',
    ]);
  });

  it('are left out where they take too much memory, and the next host goes on', async () => {
    aside = new Aside({ memoryMb: 24 });
    const huge = JSON.stringify({ list: Array.from({ length: 200_000 }, (_, n) => ({ [`key-${n}`]: [n] })) });
    const { snapshots, leftOut } = await aside.historyOf(sourcesOf('{}', huge));
    expect([snapshots, leftOut.map(({ run, why }) => [run, why])]).to.deep.equal([
      [],
      [[1, 'facts could not be captured']],
    ]);
    expect((await aside.historyOf(sourcesOf('{}', '{"a": 1}'))).snapshots.length).to.equal(1);
  });

  it('are compared without what takes too much memory, which is told', async () => {
    aside = new Aside({ memoryMb: 24 });
    const huge = JSON.stringify(Object.fromEntries(Array.from({ length: 500_000 }, (_, n) => [`key-${n}`, n])));
    const digests = await aside.digestsOf([packedOf('{"a": 1}'), packedOf(huge), packedOf('{"b": 1}')]);
    expect(digests.map((found) => found?.paths)).to.deep.equal([['a'], undefined, ['b']]);
  });

  it('have their turn one portion after the other, also after one that failed', async () => {
    const said: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        said.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        said.push(`${name} ends`);
        if (fails) throw new Error(name);
      };
    const turns = [aside.inTurn(work('a', true)), aside.inTurn(work('b'))];
    expect((await Promise.allSettled(turns)).map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
    expect(said).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('start a thread again after it was ended', async () => {
    for (let n = 0; n < 2; n++) {
      // one after the other
      // oxlint-disable-next-line no-await-in-loop
      expect((await aside.historyOf(sourcesOf('{}', '{"a": 1}'))).snapshots.length).to.equal(1);
      // oxlint-disable-next-line no-await-in-loop
      await aside.end();
    }
  });

  it('are at fault for nothing where the service stops', async () => {
    const stop = new AbortController();
    const ended = new Error('Terminating worker thread');
    const db = Object.assign(() => expect.fail('nothing is written'), {
      transaction: async () => {
        stop.abort();
        throw ended;
      },
      raw: () => expect.fail('nothing is written'),
    });
    const asked = captureHosts({ db, table: String } as never, {} as never, [1], stop);
    expect(await asked.catch((error: unknown) => error)).to.equal(ended);
  });
});
