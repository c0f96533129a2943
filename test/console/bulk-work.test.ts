import { expect } from 'chai';
import '../../console-kit/testing/dom.ts';
import { ApiFailure, get } from '../../console-kit/api/http.ts';
import { findAll, freeze } from '../../console-kit/bulk/find-all.ts';
import { oneUp } from '../../console-kit/resources/one-up.ts';
import { launcher } from '../../console-kit/runs/launching.ts';
import { begin, type Judge, workOff } from '../../console-kit/bulk/work.ts';

const rows = Array.from({ length: 10_000 }, (_, i) => ({ id: i + 1 }));

const nothing = () => undefined;
const judge: Judge = (error) => {
  const { message } = error as Error;
  return { message, passing: message === 'away' };
};

describe('several at once, in the console', () => {
  it('finds 10,000 records of a list by pages, each once, and none that came meanwhile', async () => {
    const asked: string[] = [];
    const list = [...rows];
    const read = async (path: string) => {
      asked.push(path);
      const query = new URLSearchParams(path.split('?')[1]);
      const after = Number(query.get('id__gt') ?? 0);
      const sorted = query.get('order_by') === '-id' ? list.toReversed() : list;
      const results = sorted.filter(({ id }) => id > after).slice(0, 200);
      // somebody makes more while it is read
      list.push({ id: list.length + 1 });
      return { results, count: list.length - 1 };
    };
    const seen: number[] = [];
    const frozen = await freeze('hosts/?name=x&page=3&page_size=25', read);
    expect(frozen.count).to.equal(10_000);
    // and between choosing them and saying what to do with them
    for (let more = 0; more < 300; more++) list.push({ id: list.length + 1 });
    const found = await findAll<{ id: number }>(frozen, read, (count) => seen.push(count));
    expect(found.map(({ id }) => id)).to.deep.equal(rows.map(({ id }) => id));
    expect(asked).to.have.length(51);
    expect(asked.every((query) => query.includes('name=x') && !query.includes('page='))).to.equal(true);
    expect(seen.at(-1)).to.equal(10_000);
  });

  it('finds no more than a list that begins behind a number holds', async () => {
    const read = async (path: string) => {
      const query = new URLSearchParams(path.split('?')[1]);
      const [after, size] = [Number(query.get('id__gt') ?? 0), Number(query.get('page_size'))];
      const fitting = rows.filter(({ id }) => id > after);
      const sorted = query.get('order_by') === '-id' ? fitting.toReversed() : fitting;
      return { results: sorted.slice(0, size), count: fitting.length };
    };
    const found = await findAll<{ id: number }>(await freeze('hosts/?id__gt=9500', read), read, nothing);
    expect(found.map(({ id }) => id)).to.deep.equal(rows.slice(9500).map(({ id }) => id));
  });

  it('does each once, a few at a time, keeps what was refused, and goes on after a pause with what is left', async () => {
    const tried = new Map<number, number>();
    let [now, most, away] = [0, 0, false];
    const act = async ({ id }: { id: number }) => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      now -= 1;
      if (id === 5000 && !away) {
        away = true;
        throw new Error('away');
      }
      tried.set(id, (tried.get(id) ?? 0) + 1);
      if (id % 1000 === 1) throw new Error('in use');
    };
    const work = begin(rows);
    const { signal } = new AbortController();
    await workOff(work, { act, judge, signal, onStep: nothing });
    expect(work.held).to.equal('away');
    expect(work.left.map(({ id }) => id)).to.include(5000);
    await workOff(work, { act, judge, signal, onStep: nothing });
    expect({ done: work.done, refused: work.refused.length, left: work.left.length, held: work.held }).to.deep.equal({
      done: 9990,
      refused: 10,
      left: 0,
      held: '',
    });
    expect([...tried.values()].every((times) => times === 1) && tried.size).to.equal(10_000);
    expect(most).to.equal(4);
  });

  it('tries again what was asked for without an answer, and knows of it until there is one', async () => {
    const lost: Judge = (error) => ({ message: (error as Error).message, passing: true, unsure: true });
    const work = begin(rows.slice(0, 10));
    let cut = true;
    const act = async ({ id }: { id: number }) => {
      if (id === 5 && cut) throw new Error('cut');
    };
    const { signal } = new AbortController();
    await workOff(work, { act, judge: lost, signal, onStep: nothing });
    expect([[...work.unsure].map(({ id }) => id), work.held]).to.deep.equal([[5], 'cut']);
    cut = false;
    await workOff(work, { act, judge: lost, signal, onStep: nothing });
    expect([work.unsure.size, work.done, work.left.length]).to.deep.equal([0, 10, 0]);
  });

  it('is told of an answer that was cut in its middle, as of a service that is away', async () => {
    const before = globalThis.fetch;
    globalThis.fetch = async () =>
      new Response(new ReadableStream({ pull: (stream) => stream.error(new TypeError('network error')) }));
    const failure = await get('hosts/').catch((error: unknown) => error);
    globalThis.fetch = before;
    expect(failure).to.be.instanceOf(ApiFailure).and.include({ status: 0 });
  });

  it('launches once under one key until there is an answer, and anew when it was long ago', async () => {
    const [fetchBefore, nowBefore] = [globalThis.fetch, Date.now];
    const keys: (string | null)[] = [];
    let away = true;
    globalThis.fetch = async (_path, { headers } = {}) => {
      keys.push(new Headers(headers).get('Idempotency-Key'));
      return Response.json({ id: 1 }, { status: away ? 502 : 201 });
    };
    let now = 0;
    Date.now = () => now;
    try {
      const launch = launcher();
      const press = () => launch('jobs/1/relaunch/').catch(() => undefined);
      await Promise.all([press(), press()]);
      now += 4 * 60_000;
      await press();
      now += 6 * 60_000;
      await press();
      away = false;
      await press();
      await press();
    } finally {
      globalThis.fetch = fetchBefore;
      Date.now = nowBefore;
    }
    expect(keys.map((key) => keys.indexOf(key))).to.deep.equal([0, 0, 2, 2, 4]);
  });

  it('begins nothing more once it is told to stop', async () => {
    const stop = new AbortController();
    const work = begin(rows);
    const act = async ({ id }: { id: number }) => void (id === 100 && stop.abort());
    await workOff(work, { act, judge, signal: stop.signal, onStep: nothing });
    expect(work.done + work.left.length).to.equal(10_000);
    expect(work.done).to.be.within(100, 103);
  });
});

describe('an order of links, in the console', () => {
  const before = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = before;
  });
  const listed = { path: 'things', type: 'thing', one: 'thing', many: 'things' } as never;
  /** A list that is answered by pages of two, and what is refused: the number of a record, and how often. */
  function service(first: number[], refuses: (asked: { id: number; disassociate?: true }) => boolean = () => false) {
    const there = { ids: [...first] };
    globalThis.fetch = async (path, { body } = {}) => {
      if (body === undefined || body === null) {
        const page = Number(new URL(String(path), 'http://x').searchParams.get('page') ?? 1);
        const results = there.ids.slice(page * 2 - 2, page * 2).map((id) => ({ id, name: `thing ${id}` }));
        const next = page * 2 < there.ids.length ? `/api/v2/things/1/links/?page=${page + 1}` : null;
        return Response.json({ count: there.ids.length, next, results });
      }
      const asked = JSON.parse(String(body));
      if (refuses(asked)) return Response.json({ detail: 'Not you.' }, { status: 403 });
      if (asked.disassociate) there.ids = there.ids.filter((id) => id !== asked.id);
      else if (!there.ids.includes(asked.id)) there.ids.push(asked.id);
      return new Response(null, { status: 204 });
    };
    return there;
  }
  const up = (id: number) => oneUp('things/1/links/', id, listed).catch((error: ApiFailure) => error.message);

  it('is changed however many pages it has', async () => {
    const there = service([1, 2, 3, 4, 5]);
    await up(3);
    expect(there.ids).to.deep.equal([1, 3, 2, 4, 5]);
    await up(1);
    expect(there.ids).to.deep.equal([1, 3, 2, 4, 5]);
  });

  it('is taken back where nobody changed it since', async () => {
    const there = service([1, 2, 3]);
    const first = await oneUp('things/1/links/', 2, listed);
    const second = await oneUp('things/1/links/', 3, listed);
    expect(there.ids).to.deep.equal([2, 3, 1]);
    const back = async (move: typeof first) =>
      oneUp('things/1/links/', move!.passed.id, listed, move!.order).catch((error: ApiFailure) => error.message);
    expect(await back(first)).to.equal('The order was changed since: it stays as it is.');
    expect(there.ids).to.deep.equal([2, 3, 1]);
    await back(second);
    expect(there.ids).to.deep.equal([2, 1, 3]);
    expect(await oneUp('things/1/links/', 2, listed)).to.equal(undefined);
  });

  it('stays as it is where one may not be linked again', async () => {
    const there = service([1, 2, 3], ({ id, disassociate }) => id === 3 && !disassociate);
    expect(await up(2)).to.equal('Not you.');
    expect(there.ids).to.deep.equal([1, 2, 3]);
  });

  it('loses none for one answer, and says which is missing', async () => {
    let [off, fails] = [false, 1];
    const refuses = ({ id, disassociate }: { id: number; disassociate?: true }) => {
      if (id !== 1) return false;
      if (disassociate) off = true;
      return off && !disassociate && fails-- > 0;
    };
    const there = service([1, 2], refuses);
    await up(2);
    expect(there.ids).to.deep.equal([2, 1]);
    [off, fails] = [false, 2];
    const lost = service([1, 2], refuses);
    expect(await up(2)).to.equal('thing 1 may be missing now: add it again. Not you.');
    expect(lost.ids).to.deep.equal([2]);
  });
});
