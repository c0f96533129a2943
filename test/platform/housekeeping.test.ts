import { expect } from 'chai';
import { z } from 'zod';
import { defineHousekeeping } from '../../core/app/housekeeping.ts';
import { ensurePartition } from '../../core/events/partitions.ts';
import { deleteUnusedFacts } from '../../core/inventory/unused-facts.ts';
import { createQueue, type Queue } from '../../core/queue/queue.ts';
import { QUEUE_SCHEMA } from '../../core/queue/tasks.ts';
import { createSettings } from '../../core/settings/settings.ts';
import { createRun } from '../events/spool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { until } from '../support/until.ts';

describe('housekeeping', function () {
  let base: TestDatabase;
  let queue: Queue;
  const crons: string[] = [];

  before(async () => {
    base = await createTestDatabase();
    queue = createQueue({ pool: base.pool, log: silentLog });
    queue.define('drift:hook:capture', { schema: z.object({}), run: async () => {} });
    const define: Queue['define'] = (name, definition) => queue.define(name, definition);
    const cron: Queue['cron'] = (item) => {
      crons.push(item.task);
      queue.cron(item);
    };
    const settings = createSettings({ config: { settings: {} } });
    const deps = { db: base.db, log: silentLog as never, settings, catalog: {} as never, node: 'test' };
    defineHousekeeping({ ...deps, queue: { define, cron, addTasks: async () => undefined } });
    await queue.migrate();
  });
  after(async () => {
    await queue.stop();
    await base.drop();
  });

  const waiting = async () => Number((await base.db(`${QUEUE_SCHEMA}.jobs`).count('* as n'))[0]!['n']);
  const run = async (name: string) => {
    await queue.addTask(base.db, name, {});
    await until(async () => (await waiting()) === 0);
  };
  const facts = async () => (await base.db('facts').orderBy('hash').pluck('hash')).join(' ');

  it('keeps facts while a task of a tap waits', async () => {
    await base.db('facts').insert({ hash: 'old', document: '{}', created: '2020-01-01' });
    await queue.addTask(base.db, 'drift:hook:capture', {});
    expect(await deleteUnusedFacts(base.db)).to.equal(0);
  });

  it('has a time for each of its tasks, and the queue takes them', async () => {
    expect(crons).to.have.lengthOf(14);
    await queue.start();
    await until(async () => (await waiting()) === 0);
  });

  it('deletes facts that no host has or had just before', async () => {
    const { db } = base;
    const [inventory] = await db('inventories').insert({ name: 'facts' }).returning('id');
    const [host] = await db('hosts').insert({ name: 'a', inventory_id: inventory.id }).returning('id');
    const old = ['before', 'now'].map((hash) => ({ hash, document: '{}', created: '2020-01-01' }));
    await db('facts').insert([...old, { hash: 'recent', document: '{}' }]);
    await db('host_facts').insert({ host_id: host.id, hash: 'now', previous_hash: 'before' });
    await run('core:delete-unused-facts');
    expect(await facts()).to.equal('before now recent');
  });

  it('drops the partitions of events whose runs are gone', async () => {
    await createRun(base.db, { id: 58_000 });
    await ensurePartition(base.db, 35_000);
    await run('core:drop-empty-partitions');
    const { rows } = await base.db.raw(`select to_regclass('run_events_30000') as name`);
    expect(rows[0].name).to.equal(null);
  });

  it('deletes tokens that ended long ago, but none that can still be refreshed', async () => {
    const { db } = base;
    const [user] = await db('users').insert({ username: 'housekeeping' }).returning('id');
    const ended = { user_id: user.id, expires: '2020-01-01' };
    const tokens = await db('tokens')
      .insert([
        { ...ended, token_hash: Buffer.from('1') },
        { ...ended, token_hash: Buffer.from('2') },
        { user_id: user.id, token_hash: Buffer.from('3'), expires: '2999-01-01' },
      ])
      .returning('id');
    await db('oauth_refresh_tokens').insert({
      token_id: tokens[1].id,
      token_hash: Buffer.from('4'),
      expires: '2999-01-01',
    });
    await run('core:delete-expired-tokens');
    expect(await db('tokens').orderBy('id').pluck('id')).to.deep.equal([tokens[1].id, tokens[2].id]);
  });

  it('deletes attempts to log in that ended an hour ago', async () => {
    const ago = (hours: number) => Date.now() - hours * 3_600_000;
    await base.db('login_attempts').insert([
      { key: 'old', points: 1, expire: ago(1.1) },
      { key: 'recent', points: 1, expire: ago(0.9) },
    ]);
    await run('core:delete-old-login-attempts');
    expect(await base.db('login_attempts').pluck('key')).to.deep.equal(['recent']);
  });

  it('forgets tasks that were given up a month ago', async () => {
    const given = `select id from ${QUEUE_SCHEMA}.add_job('gone:task', max_attempts => 1)`;
    const { rows } = await base.db.raw(given);
    await base.db.raw(`select ${QUEUE_SCHEMA}.permanently_fail_jobs(array[?::bigint], 'tried')`, [rows[0].id]);
    await base.db.raw(`update ${QUEUE_SCHEMA}._private_jobs set updated_at = now() - interval '31 days' where id = ?`, [
      rows[0].id,
    ]);
    await run('core:delete-given-up-tasks');
    expect(await waiting()).to.equal(0);
  });
});
