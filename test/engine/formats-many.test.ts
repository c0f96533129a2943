import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { bookResources, bookSql } from './books.ts';
import { openStage, type Stage } from './stage.ts';

interface Ended {
  text: string;
  /** by a reset of the connection, or as if all had been said */
  how: 'reset' | 'end';
}

/** What comes over the connection, whatever becomes of it. */
const raw = (url: string, path: string, version: string): Promise<Ended> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('data', (part) => (text += part));
    socket.on('error', () => resolve({ text, how: 'reset' }));
    socket.on('end', () => resolve({ text, how: 'end' }));
    socket.write(`GET ${path} HTTP/${version}\r\nHost: here\r\nx-caller: admin\r\nConnection: close\r\n\r\n`);
  });

const megabyte = 1024 * 1024;

describe('formats of a list of many rows', function () {
  let stage: Stage;
  const rows = 20_000;
  before(async () => {
    stage = await openStage(bookResources, { sql: bookSql });
    await add(rows);
  });
  after(() => stage.close());

  const add = (count: number) =>
    stage.db.raw(
      `insert into books (name, tags) select 'row ' || n, jsonb_build_array(repeat('x', 1000)) from generate_series(1, ${count}) n`,
    );
  const ask = (path: string, { as = 'admin', ...more }: { as?: string; signal?: AbortSignal; method?: string } = {}) =>
    fetch(`${stage.url}/api/v2/${path}`, { headers: { 'x-caller': as }, ...more });
  const activity = async (condition: string) =>
    (
      await stage.db.raw(
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
      )
    ).rows.length;
  /** Nothing of a list that was written is left in the database. */
  const free = () => until(async () => (await activity('xact_start is not null')) === 0);
  afterEach(free);

  it('have them all as they were in the beginning', async () => {
    const reader = (await ask('books/?format=lines&id__gt=10')).body!.getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await reader.read()).value);
    await stage.db('books').where('name', `row ${rows}`).update({ pages: 1000 });
    await stage
      .db('books')
      .where('name', `row ${rows - 1}`)
      .delete();
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value);
    const sizes = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).Size);
    expect(sizes.length).to.equal(rows);
    expect(new Set(sizes)).to.deep.equal(new Set([0]));
  });

  it('are read no faster than the client takes them', async () => {
    let batches = 0;
    const count = ({ sql }: { sql: string }) => void (batches += Number(sql.startsWith('fetch')));
    stage.db.on('query', count);
    const leave = new AbortController();
    await ask('books/?format=all&id__gt=10', { signal: leave.signal });
    let before = 0;
    await until(async () => batches > 0 && before === (before = batches));
    expect(batches).to.be.within(1, rows / 500 - 1);
    stage.db.off('query', count);
    leave.abort();
  });

  it('break off without an end where something fails midway', async () => {
    for (const version of ['1.1', '1.0']) {
      const { text, how } = await raw(stage.url, '/api/v2/books/?format=broken&id__gt=10', version);
      expect(text, version).to.include('row 1\n').and.not.include('row 700\n');
      expect(how, version).to.equal('reset');
    }
    expect(
      await ask('books/?format=broken&id__gt=10')
        .then((reply) => reply.text())
        .catch(String),
    ).to.match(/terminated/);
  });

  it('end with their client, in the database too', async () => {
    const sleeping = () => activity(`wait_event = 'PgSleep'`);
    const leave = new AbortController();
    const gone = ask('books/?format=csv&slow=true', { signal: leave.signal }).catch((error: Error) => error.name);
    await until(sleeping);
    leave.abort();
    expect(await gone).to.equal('AbortError');
    await until(async () => !(await sleeping()));
  });

  it('leave nothing behind where only the head was asked for, or nobody reads on', async () => {
    const reply = await ask('books/?format=csv', { method: 'HEAD' });
    expect([reply.status, reply.headers.get('content-type')]).to.deep.equal([200, 'text/csv; charset=utf-8']);
    await free();
    const leave = new AbortController();
    await ask('books/?format=all', { signal: leave.signal });
    leave.abort();
  });

  it('are written four at once, two for one caller, and then again', async () => {
    const leave = new AbortController();
    // an answer that nobody holds any more is closed when memory is cleaned
    const held: Response[] = [];
    const open = async (as: string) => {
      const reply = await ask('books/?format=all', { as, signal: leave.signal });
      held.push(reply);
      return reply;
    };
    const status = async (as: string) => {
      const reply = await open(as);
      return [reply.status, reply.headers.get('retry-after')];
    };
    for (const as of ['admin', 'admin', 'nobody', 'auditor']) expect((await open(as)).status).to.equal(200);
    expect(await status('admin')).to.deep.equal([429, '10']);
    expect(await status('nobody')).to.deep.equal([503, '10']);
    expect((await ask('books/?format=all&nothing=1', { as: 'reader' })).status).to.equal(503);
    expect(held.length).to.equal(6);
    leave.abort();
    await until(async () => (await ask('books/?format=lines&id=1')).status === 200);
    for (let turn = 0; turn < 5; turn += 1) expect((await ask('books/?format=csv&nothing=1')).status).to.equal(400);
  });

  it('take no more memory for more of them', async function () {
    const script = fileURLToPath(new URL('./many-rows.ts', import.meta.url));
    // held in memory, they would need several times as much
    const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=128', script]);
    const { few, many } = JSON.parse(stdout.trim().split('\n').at(-1)!);
    expect(many.bytes).to.be.greaterThan(100_000 * 1000);
    expect(many.peak - few.peak).to.be.lessThan(96 * megabyte);
  });
});
