import { expect } from 'chai';
import { createSpool, createRun, follow } from '../events/spool.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('host metrics', function () {
  let service: TestService;
  before(async () => (service = await startService()));
  after(() => service.stop());
  beforeEach(async () => {
    await service.database.db('host_metrics').delete();
    await service.database.db('host_metric_months').delete();
  });

  const metrics = async (query = '') => (await service.get(`host_metrics/${query}`)).body.results;
  const months = async () =>
    (await service.get('host_metric_summary_monthly/')).body.results.map((one: any) => [
      one.date,
      one.license_consumed,
      one.hosts_added,
      one.hosts_deleted,
    ]);
  /** What happened so many months ago. */
  const host = async (hostname: string, first: number, last = first, more: object = {}) => {
    const ago = (count: number) => service.database.db.raw(`now() - interval '${count} months'`);
    const row = { hostname, first_automation: ago(first), last_automation: ago(last), ...more };
    return (await service.database.db('host_metrics').insert(row).returning('id'))[0].id as number;
  };
  const keep = async () => {
    const { queue, db } = service.services;
    const done = async () =>
      (await db('tapline_jobs.jobs').where('task_identifier', 'core:keep-host-metrics')).length === 0;
    await queue.addTask(db, 'core:keep-host-metrics', {});
    await until(done);
  };
  const month = (ago: number) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString().slice(0, 10);
  };

  it('count each host once for every job that ended on it, however often its statistics are stored', async () => {
    const { db } = service.database;
    for (const names of [['web1', 'web2'], ['web1']]) {
      const spool = createSpool();
      const ok = Object.fromEntries(names.map((name) => [name, 1]));
      spool.emit('playbook_on_stats', 'RECAP\n', { ok, processed: ok });
      await follow({ db, run: await createRun(db), spool });
      spool.remove();
    }
    const shown = await metrics();
    expect(shown.map((one: any) => [one.hostname, one.automated_counter])).to.deep.equal([
      ['web1', 2],
      ['web2', 1],
    ]);
    expect(shown[0]).to.deep.include({ type: 'host_metric', deleted: false, deleted_counter: 0, last_deleted: null });
    expect(shown[0].first_automation < shown[0].last_automation).to.equal(true);
    expect(shown[0].summary_fields).to.deep.equal({ user_capabilities: { delete: true } });
  });

  it('mark a host that is deleted, which a further job takes back', async () => {
    const { db } = service.database;
    const id = await host('gone', 1);
    expect((await service.request('DELETE', `host_metrics/${id}/`)).status).to.equal(204);
    expect((await service.request('DELETE', `host_metrics/${id}/`)).status).to.equal(204);
    const [deleted] = await metrics('?deleted=true');
    expect(deleted).to.deep.include({ id, deleted: true, deleted_counter: 1 });
    expect(deleted.last_deleted).to.be.a('string');
    const spool = createSpool();
    spool.emit('playbook_on_stats', 'RECAP\n', { ok: { gone: 1 } });
    await follow({ db, run: await createRun(db), spool });
    spool.remove();
    expect((await metrics())[0]).to.include({ id, deleted: false, deleted_counter: 1, automated_counter: 1 });
  });

  it('say in how many inventories a host stands', async () => {
    const { db } = service.database;
    const inventories = await db('inventories')
      .insert([{ name: 'a' }, { name: 'b' }])
      .returning('id');
    await db('hosts').insert(inventories.map(({ id }: any) => ({ name: 'twice', inventory_id: id })));
    await host('twice', 0);
    await host('nowhere', 0);
    await keep();
    expect((await metrics()).map((one: any) => one.used_in_inventories)).to.deep.equal([0, 2]);
  });

  it('sum up every month since the first job, and leave months alone that are over', async () => {
    await host('old', 2, 0);
    await host('newer', 1, 0);
    await keep();
    expect(await months()).to.deep.equal([
      [month(2), 1, 1, 0],
      [month(1), 2, 1, 0],
      [month(0), 2, 0, 0],
    ]);
    await service.database.db('host_metrics').where('hostname', 'old').delete();
    const id = (await metrics())[0].id;
    await service.request('DELETE', `host_metrics/${id}/`);
    await keep();
    expect(await months()).to.deep.equal([
      [month(2), 1, 1, 0],
      [month(1), 2, 1, 0],
      [month(0), 0, 0, 1],
    ]);
    const { body } = await service.get('settings/system/');
    expect(Date.parse(body.HOST_METRIC_SUMMARY_TASK_LAST_TS)).to.be.closeTo(Date.now(), 60_000);
    expect(body.CLEANUP_HOST_METRICS_LAST_TS).to.equal(body.HOST_METRIC_SUMMARY_TASK_LAST_TS);
  });

  it('leave the count, and go, after the months that the settings say', async () => {
    const set = (body: object) => service.request('PATCH', 'settings/system/', { body });
    await host('used', 40, 1);
    await host('idle', 40, 13);
    await host('forgotten', 40, 37);
    await set({ CLEANUP_HOST_METRICS_SOFT_THRESHOLD: 0, CLEANUP_HOST_METRICS_HARD_THRESHOLD: 0 });
    await keep();
    expect((await metrics('?deleted=false')).length).to.equal(3);
    await set({ CLEANUP_HOST_METRICS_SOFT_THRESHOLD: 12, CLEANUP_HOST_METRICS_HARD_THRESHOLD: 36 });
    await keep();
    expect((await metrics()).map((one: any) => [one.hostname, one.deleted])).to.deep.equal([
      ['idle', true],
      ['used', false],
    ]);
  });
});
