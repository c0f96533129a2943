import { expect } from 'chai';
import { createRecordedExecutor, recordedExit } from '../../bench/lib/recorded-events.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { createHeardBus, createRun, createSpool, eventsOf, follow, type Spool, textOf } from './spool.ts';

describe('following a run', () => {
  let base: TestDatabase;
  let spool: Spool;
  before(async () => void (base = await createTestDatabase()));
  after(() => base.drop());
  beforeEach(() => void (spool = createSpool()));
  afterEach(() => spool.remove());

  const stored = async (options: Partial<Parameters<typeof follow>[0]> = {}, fields: Record<string, unknown> = {}) => {
    const run = await createRun(base.db, fields);
    const outcome = await follow({ db: base.db, run, spool, ...options });
    return { run, outcome, rows: await eventsOf(base.db, run) };
  };

  it('numbers events from 1 without gaps and counts lines', async () => {
    spool.emit('playbook_on_start');
    spool.emit('playbook_on_play_start', '\nPLAY [all] ***\n', { play: 'all', name: 'all' });
    spool.emit('runner_on_ok', 'ok: [a]\n', { host: 'a', play: 'all', task: 't', res: { changed: true } });
    const { rows } = await stored();
    expect(rows.map((row) => row.counter)).to.deep.equal([1, 2, 3]);
    expect(rows.map((row) => [row.start_line, row.end_line])).to.deep.equal([
      [0, 0],
      [0, 2],
      [2, 3],
    ]);
    expect(rows[1]).to.include({ stdout: '\nPLAY [all] ***', event_level: 1, play: 'all', open_line: false });
    expect(rows[2]).to.include({
      changed: true,
      failed: false,
      event_level: 3,
      host_name: 'a',
      created: '2026-11-21T10:00:00.123456Z',
    });
  });

  it('keeps output that no event claims as verbose events, in its place', async () => {
    spool.print('[WARNING]: before\n');
    spool.emit('playbook_on_start', 'start\n');
    spool.print('between\nlines\n');
    spool.emit('playbook_on_stats', 'recap\n');
    spool.print('Traceback: after\nlast without newline');
    const { rows } = await stored();
    expect(rows.map((row) => row.event)).to.deep.equal([
      'verbose',
      'playbook_on_start',
      'verbose',
      'playbook_on_stats',
      'verbose',
    ]);
    expect(textOf(rows)).to.equal(
      '[WARNING]: before\nstart\nbetween\nlines\nrecap\nTraceback: after\nlast without newline',
    );
    expect(rows.at(-1)).to.include({ open_line: true, start_line: 5, end_line: 6 });
    expect(rows[0].event_data).to.deep.equal({});
  });

  it('tells empty text from an empty line', async () => {
    spool.emit('a');
    spool.emit('b', '\n');
    spool.emit('c', '\n\n');
    spool.emit('d', 'x');
    const { rows } = await stored();
    expect(textOf(rows)).to.equal('\n\n\nx');
  });

  it('holds back an unclaimed tail for its event, but not for ever', async () => {
    const run = await createRun(base.db);
    const executor = createRecordedExecutor({ state: 'running' });
    const outcome = follow({ db: base.db, run, spool, executor });
    spool.print('text of the event\n');
    executor.touch();
    const waited = await until(async () => (await eventsOf(base.db, run)).length);
    expect(waited).to.equal(1);
    spool.raw(
      'events',
      `${JSON.stringify({ event: 'runner_on_ok', uuid: 'late', from: 0, to: 18, event_data: {} })}\n`,
    );
    executor.state = recordedExit(0);
    executor.touch();
    await outcome;
    const rows = await eventsOf(base.db, run);
    expect(rows.map((row) => [row.event, row.stdout])).to.deep.equal([
      ['verbose', 'text of the event'],
      ['runner_on_ok', ''],
    ]);
  });

  it('stores events while the run goes on and says so', async () => {
    const run = await createRun(base.db);
    const executor = createRecordedExecutor({ state: 'running' });
    const { bus, heard, counters } = await createHeardBus(base);
    const outcome = follow({ db: base.db, run, spool, executor, bus });
    for (let i = 1; i <= 3; i += 1) {
      spool.emit('runner_on_ok', `line ${i}\n`);
      executor.touch();
      await until(async () => (await eventsOf(base.db, run)).length === i);
    }
    executor.state = recordedExit(0);
    executor.touch();
    expect(await outcome).to.include({ status: 'successful' });
    await until(() => heard.at(-1)?.final);
    expect(heard.at(-1)).to.deep.equal({ run: run.id, kind: 'job', from: 4, to: 3, final: true });
    expect(counters()).to.deep.equal([1, 2, 3]);
    await bus.stop();
  });

  it('waits for the text of an event that was announced before it', async () => {
    const run = await createRun(base.db);
    const executor = createRecordedExecutor({ state: 'running' });
    const outcome = follow({ db: base.db, run, spool, executor });
    spool.raw('events', `${JSON.stringify({ event: 'runner_on_ok', uuid: 'x', from: 0, to: 6, event_data: {} })}\n`);
    spool.raw('stdout', 'hel');
    executor.touch();
    spool.raw('stdout', 'lo\n');
    executor.touch();
    const [row] = await until(async () => {
      const rows = await eventsOf(base.db, run);
      return rows.length ? rows : null;
    });
    expect(row).to.include({ event: 'runner_on_ok', stdout: 'hello' });
    executor.state = recordedExit(0);
    executor.touch();
    await outcome;
  });

  it('keeps every line of 30,000 printed at once', async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `line ${i + 1}\n`).join('');
    spool.emit('playbook_on_start', 'begin\n');
    spool.print(lines);
    spool.emit('runner_on_ok', lines, { host: 'a', res: { stdout: lines } });
    spool.emit('playbook_on_stats', 'PLAY RECAP\n', { ok: { a: 1 } });
    const { rows } = await stored();
    expect(textOf(rows)).to.equal(`begin\n${lines}${lines}PLAY RECAP\n`);
    expect(rows.at(-1)).to.include({ event: 'playbook_on_stats', start_line: 60_001, end_line: 60_002 });
    expect(rows.map((row) => row.counter)).to.deep.equal(rows.map((_, i) => i + 1));
  });

  it('continues the text of a giant event in verbose ones', async () => {
    const text = `${'x'.repeat(99)}\n`.repeat(100_000);
    spool.emit('runner_on_ok', text, { host: 'a' });
    spool.emit('playbook_on_stats', 'end\n');
    const { rows } = await stored();
    expect(rows[0].event).to.equal('runner_on_ok');
    expect(rows.at(-1).event).to.equal('playbook_on_stats');
    expect(textOf(rows) === `${text}end\n`).to.equal(true);
  });

  it('stores more events than one batch holds', async () => {
    for (let i = 0; i < 2500; i += 1)
      spool.emit('runner_on_ok', `ok ${i}\n`, { host: 'a', res: { path: 'C:\\tmp\t', n: i } });
    const { rows } = await stored();
    expect(rows).to.have.length(2500);
    expect(rows[2499]).to.include({ counter: 2500, stdout: 'ok 2499' });
    expect(rows[2499].event_data.res).to.deep.equal({ path: 'C:\\tmp\t', n: 2499 });
  });

  it('makes NUL, lone surrogates and invalid UTF-8 safe', async () => {
    spool.emit('runner_on_ok', Buffer.from([0x61, 0, 0xff, 0x62, 10]), {
      host: 'h\0',
      res: { s: 'a\0b', l: '\ud800x', path: '\\u0000', ok: '😀' },
    });
    const { rows } = await stored();
    expect(rows[0].stdout).to.equal('a\ufffd\ufffdb');
    expect(rows[0].event_data.res).to.deep.equal({ s: 'a\ufffdb', l: '\ufffdx', path: '\\u0000', ok: '😀' });
    expect(rows[0].host_name).to.equal('h\ufffd');
  });

  it('keeps an event whose data Postgres refuses, and all its neighbours', async () => {
    for (let i = 0; i < 5; i += 1) spool.emit('runner_on_ok', `before ${i}\n`, { host: 'a', n: i });
    spool.raw(
      'events',
      `{"event":"runner_on_ok","uuid":"deep","from":0,"to":0,"event_data":{"host":"a","res":${'['.repeat(9000)}${']'.repeat(9000)}}}\n`,
    );
    for (let i = 5; i < 10; i += 1) spool.emit('runner_on_ok', `after ${i}\n`, { host: 'a', n: i });
    const { rows } = await stored();
    expect(rows.map((row) => row.event_data.n ?? row.uuid)).to.deep.equal([0, 1, 2, 3, 4, 'deep', 5, 6, 7, 8, 9]);
    expect(rows[5].event_data).to.deep.equal({});
  });

  it('drops a result that is too large, not its event', async () => {
    spool.emit('runner_on_ok', 'big\n', { host: 'a', res: { blob: 'x'.repeat(3000) } });
    spool.emit('runner_on_ok', 'small\n', { host: 'a', res: { blob: 'x' } });
    spool.emit('runner_on_ok', 'huge\n', { host: 'a', res: { blob: 'x'.repeat(53_000_000) } });
    const { rows } = await stored({ settings: { MAX_EVENT_RES_DATA: '2000' } });
    expect(rows.map((row) => row.event_data.res)).to.deep.equal([{}, { blob: 'x' }, undefined]);
    expect(rows.map((row) => row.stdout)).to.deep.equal(['big', 'small', 'huge']);
  });

  it('steps over lines that are no events and over a torn last line', async () => {
    spool.emit('a', 'one\n');
    spool.raw('events', `\0\0\0\0\n{"event": 5}\nnot json\n`);
    spool.emit('b', 'two\n');
    spool.raw('events', '{"event":"c","uuid":"torn","from":');
    spool.print('text of c\n');
    const { rows } = await stored();
    expect(rows.map((row) => [row.event, row.stdout])).to.deep.equal([
      ['a', 'one'],
      ['b', 'two'],
      ['verbose', 'text of c'],
    ]);
  });

  it('survives ranges that make no sense', async () => {
    spool.print('0123456789\n');
    const line = (uuid: string, from: unknown, to: unknown) =>
      spool.raw('events', `${JSON.stringify({ event: 'runner_on_ok', uuid, from, to, event_data: null })}\n`);
    line('a', 4, 2);
    line('b', 9e15, 9e15 + 5);
    line('c', -1, 'x');
    line('d', 0, 11);
    const { rows } = await stored();
    expect(textOf(rows)).to.equal('0123456789\n');
    expect(rows.filter((row) => row.event === 'runner_on_ok').map((row) => row.uuid)).to.deep.equal([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it('gives up nothing when the spool is shorter than what was stored', async () => {
    spool.emit('a', 'one\n');
    const { rows, run } = await stored();
    const other = createSpool();
    const outcome = await follow({
      db: base.db,
      run,
      spool: other,
      executor: createRecordedExecutor({ state: 'lost', detail: 'the machine restarted' }),
    });
    other.remove();
    expect(outcome).to.include({ status: 'error' });
    expect(outcome.explanation).to.include('the machine restarted');
    expect(await eventsOf(base.db, run)).to.deep.equal(rows);
  });

  it('stops when asked, and can go on later', async () => {
    const run = await createRun(base.db);
    const executor = createRecordedExecutor({ state: 'running' });
    const stop = new AbortController();
    const first = follow({ db: base.db, run, spool, executor, signal: stop.signal }).then(
      () => 'ended',
      (error) => error.name,
    );
    spool.emit('a', 'one\n');
    executor.touch();
    await until(async () => (await eventsOf(base.db, run)).length === 1);
    stop.abort();
    expect(await first).to.equal('AbortError');
    spool.emit('b', 'two\n');
    await follow({ db: base.db, run, spool });
    expect((await eventsOf(base.db, run)).map((row) => row.event)).to.deep.equal(['a', 'b']);
  });
});
