import { expect } from 'chai';
import { type DriftStage, startDrift } from './stage.ts';

describe('facts that are none', function () {
  this.timeout(600_000);
  let stage: DriftStage;

  before(async () => {
    stage = await startDrift();
  });
  after(() => stage?.stop());

  const snapshots = (host: number) => stage.all(`fact_snapshots/?host=${host}&order_by=id`);

  it('may hold NUL, which the database does not: what it keeps is compared', async () => {
    const id = (await stage.get('hosts/?name=good')).body.results[0].id;
    for (const text of ['a\0b', 'a\0c']) {
      stage.writeSysctl({ motd: text });
      await stage.gather();
    }
    const found = await stage.all(`drift_detections/?host=${id}&fact_path=sysctl`);
    expect(found.map(({ detail }) => [detail.before.motd, detail.after.motd])).to.deep.equal([
      ['a\ufffdb', 'a\ufffdc'],
    ]);
  });

  it('are left out where they are no objects, and hold up neither their host nor others', async () => {
    const [host, other] = [await stage.host('odd'), await stage.host('even')];
    const told = [];
    for (const [n, facts] of [{ a: 1 }, [1, 2], 'text', 7, null, { a: 2 }].entries()) {
      const run = await stage.run();
      const hosts = [{ host_id: host, ...(await stage.learn(run, host, facts as object)) }];
      if (n === 0 || n === 5) hosts.push({ host_id: other, ...(await stage.learn(run, other, { b: n })) });
      told.push({ run, hosts });
    }
    // long ago: nothing that belongs before them is waited for
    await stage.services.db('facts').update({ created: new Date(Date.now() - 3_600_000) });
    for (const { run, hosts } of told) await stage.tell(run, hosts);
    await stage.settled();
    for (const id of [host, other])
      expect((await snapshots(id)).map(({ job }) => job)).to.deep.equal([told[0]!.run, told[5]!.run]);
    const found = await stage.all(`drift_detections/?host=${host}`);
    expect(found.map(({ detail, diff_type: type }) => [type, detail.before, detail.after])).to.deep.equal([
      ['changed', 1, 2],
    ]);
  });

  it('go with an inventory, also those that nobody captured yet', async () => {
    const inventory = (await stage.post('inventories/', { name: 'short-lived', organization: 1 })).body.id;
    const host = (await stage.post('hosts/', { name: 'short', inventory })).body.id;
    await stage.change(host, { a: 1 });
    await stage.change(host, { a: 2 });
    const [late, other] = [await stage.run(), await stage.host('stays')];
    const hosts = [
      { host_id: host, ...(await stage.learn(late, host, { a: 3 })) },
      { host_id: other, ...(await stage.learn(late, other, { a: 3 })) },
    ];
    const { db } = stage.services;
    await db('plugin_drift.reports').insert(hosts.map((one) => ({ run_id: late, ...one })));
    await db('inventories').where({ id: inventory }).delete();
    await stage.services.queue.addTasks(db, [{ name: 'drift:capture', payload: { hosts: [host, other] } }]);
    await stage.settled();
    for (const table of ['reports', 'watched_hosts', 'snapshots', 'detections'])
      expect(await db(`plugin_drift.${table}`).where({ host_id: host }), table).to.deep.equal([]);
    expect((await snapshots(other)).map(({ job }) => job)).to.deep.equal([late]);
    expect((await stage.get(`hosts/${host}/timeline/`)).status).to.equal(404);
  });
});
