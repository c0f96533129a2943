import { expect } from 'chai';
import { type Task, z } from '@tapline/plugin-sdk';
import { deleteOldFailures, failingTasks } from '../../core/queue/failing-tasks.ts';
import { TaskOutcomes } from '../../core/queue/task-outcomes.ts';
import { createHealth } from '../../core/plugins/services/health.ts';
import { preparePlugins } from '../../core/plugins/prepare.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('the health of a plugin whose tasks fail', function () {
  let service: TestService;
  let sweep: Task<object>;
  let broken = true;
  let own: unknown = { status: 'ok', detail: 'All is well.' };

  const fails = async () => {
    if (broken) throw new TypeError('row.opens_at.getTime is not a function');
  };
  before(async () => {
    const silent = testPlugin('silent', (api) => {
      sweep = api.task('sweep', { schema: z.object({}), maxAttempts: 1 }, fails);
    });
    const speaking = testPlugin('speaking', (api) => {
      api.hooks.onStatusChange({ name: 'watch' }, fails);
      api.health(() => own as never);
    });
    const fine = testPlugin('fine');
    service = await bootWith({ plugins: [silent, speaking, fine] });
  });
  after(() => service.stop());

  const health = async (plugin: string) => (await service.get(`plugins/${plugin}/`)).body.health;
  const ready = async () => (await service.get('/readyz?verbose', { auth: null })).body;

  it('is degraded by a task that was given up, with a sentence that names it, since when and why', async () => {
    expect(await health('silent')).to.equal(null);
    await sweep.enqueue(service.services.db, {});
    const report = await until(() => health('silent'));
    expect(report.status).to.equal('degraded');
    expect(report.detail).to.match(
      /^Task sweep keeps failing since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, its last try failed: TypeError: row\.opens_at\.getTime is not a function$/,
    );
    expect(await ready()).to.deep.include({ status: 'ok', plugins: { silent: 'degraded', speaking: 'ok' } });
    expect(await health('fine')).to.equal(null);
  });

  it('recovers by itself with the next success', async () => {
    broken = false;
    await sweep.enqueue(service.services.db, {});
    await until(async () => (await health('silent')) === null);
    expect((await ready()).plugins).to.deep.equal({ speaking: 'ok' });
  });

  it('is degraded by a tap that failed three times in a row, beside what its own check says', async () => {
    broken = true;
    const { db, statuses } = service.services;
    const change = async () => {
      const [run] = await db('runs').insert({ kind: 'job', name: 'x' }).returning('id');
      await db.transaction((trx) => statuses.setStatus(trx, run, 'failed'));
    };
    await change();
    await change();
    await until(async () => (await db('failing_tasks').where('failures', '>=', 2)).length);
    await change();
    const report = await until(async () => {
      const told = await health('speaking');
      return told.status === 'ok' ? undefined : told;
    });
    expect(report.detail).to.match(/^All is well\. Tap watch keeps failing since \S+, its last \d+ tries failed: /);
    own = { status: 'failed', detail: 'No disk.' };
    expect(await health('speaking')).to.include({ status: 'failed' });
    own = 'nonsense';
    expect((await health('speaking')).status).to.equal('failed');
  });
});

describe('what is written of the ends of tasks', () => {
  let database: TestDatabase;
  before(async () => void (database = await createTestDatabase()));
  after(() => database.drop());
  beforeEach(() => database.db('failing_tasks').delete());

  const outcomes = () => new TaskOutcomes({ db: database.db, log: silentLog });
  const once = { error: new Error('broken \0 \ud800'), lastTry: false };
  const failing = async () =>
    (await failingTasks(database.db)).map(({ task, failures, error }) => [task, failures, error]);

  it('counts failures in a row, on whatever node and however they are gathered', async () => {
    const [one, other] = [outcomes(), outcomes()];
    one.failed('p', 'p:task', once);
    await one.flush();
    expect(await failing()).to.deep.equal([]);
    other.failed('p', 'p:task', once);
    other.failed('p', 'p:task', { ...once, error: new Error('the latest') });
    await other.flush();
    expect(await failing()).to.deep.equal([['p:task', 3, 'Error: the latest']]);
    one.succeeded('p', 'p:task');
    await one.flush();
    expect(await database.db('failing_tasks')).to.deep.equal([]);
  });

  it('begins anew after a success between two failures', async () => {
    const one = outcomes();
    for (const last of [false, true]) one.failed('p', 'p:task', { ...once, lastTry: last });
    one.succeeded('p', 'p:task');
    one.failed('p', 'p:task', once);
    await one.flush();
    const [row] = await database.db('failing_tasks');
    expect(row).to.include({ task: 'p:task', failures: 1, given_up: false, error: 'Error: broken \uFFFD \uFFFD' });
  });

  it('is written by itself after a moment, and forgotten after a month', async () => {
    outcomes().failed('p', 'p:task', { ...once, lastTry: true });
    await until(async () => (await failing()).length);
    await database.db('failing_tasks').update({ latest: database.db.raw("now() - interval '31 days'") });
    expect(await deleteOldFailures(database.db, 30)).to.equal(1);
  });

  it('is dropped where the database does not take it', async () => {
    const told: string[] = [];
    const away = { raw: async () => Promise.reject(new Error('away')) };
    const one = new TaskOutcomes({ db: away as never, log: { warn: (_fields, text) => void told.push(text) } });
    one.failed('p', 'p:task', once);
    await one.flush();
    expect(told).to.deep.equal(['how tasks of plugins ended could not be written']);
  });

  it('says nothing of a task that the plugin has no more, nor where the database cannot tell', async () => {
    const config = { root: '/nowhere', dataDir: '/nowhere', plugins: [] };
    const registries = await preparePlugins({ config, inline: [testPlugin('p')] });
    const stale = { task: 'p:task', plugin: 'p', failures: 9, since: '2026-01-01T00:00:00Z', error: 'old' };
    for (const failing of [
      async () => [stale],
      () => Promise.reject(new Error('away')),
      () => new Promise<never>(() => undefined),
    ])
      expect(await createHealth(registries, { timeoutMs: 20, failing }).of('p')).to.equal(null);
  });
});
