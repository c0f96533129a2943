import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { until } from '../../../test/support/until.ts';
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
    for (const { run, hosts } of told) await stage.tell(run, hosts);
    // they begin with states of which there are no snapshots
    await stage.patienceEnds();
    for (const id of [host, other])
      expect((await snapshots(id)).map(({ job }) => job)).to.deep.equal([told[0]!.run, told[5]!.run]);
    expect((await stage.get(`hosts/${host}/`)).body.drift_capture_error).to.equal('facts could not be captured');
    const found = await stage.all(`drift_detections/?host=${host}`);
    expect(found.map(({ detail, diff_type: type }) => [type, detail.before, detail.after])).to.deep.equal([
      ['changed', 1, 2],
    ]);
  });

  it('may have names of any length, and of any letters', async () => {
    const host = await stage.host('long');
    const names = [randomBytes(20_000).toString('hex'), String.raw`\x\\0`, 'é\u2028'];
    const facts = (value: number) => Object.fromEntries(names.map((name) => [name, value]));
    await stage.change(host, facts(1));
    await stage.change(host, facts(2));
    const found = await stage.all(`drift_detections/?host=${host}&order_by=-fact_path`);
    expect(found.map(({ fact_path: path }) => path)).to.have.members(names);
  });

  it('are the fault of their host alone, where they cannot be stored: it says so until they can', async () => {
    const { db } = stage.services;
    const hosts = [await stage.host('sound'), await stage.host('broken'), await stage.host('whole')];
    const [sound, broken, whole] = hosts;
    await db.raw(`create function plugin_drift.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no room for it'; end $$;
      create trigger refuse before insert on plugin_drift.snapshots for each row when (new.host_id = ${broken}) execute function plugin_drift.refuse()`);
    const run = await stage.run();
    const told = [];
    for (const host of hosts) told.push({ host_id: host, ...(await stage.learn(run, host, { a: host })) });
    await stage.tell(run, told);
    const problem = async (host?: number) => (await stage.get(`hosts/${host}/`)).body.drift_capture_error;
    await until(async () => (await problem(broken)) !== '', 60_000);
    expect(await problem(broken)).to.equal('no room for it');
    await until(async () => (await db('plugin_drift.reports')).length === 1, 60_000);
    for (const host of [sound, whole]) {
      expect((await snapshots(host!)).map(({ job }) => job)).to.deep.equal([run]);
      expect(await problem(host)).to.equal('');
    }
    await db.raw('drop function plugin_drift.refuse cascade');
    await db.raw(`update tapline_jobs._private_jobs set run_at = now() where locked_at is null`);
    await stage.settled();
    expect((await snapshots(broken!)).map(({ job }) => job)).to.deep.equal([run]);
    expect(await problem(broken)).to.equal('');
  });

  it('are no new snapshot where core calls them by another hash', async () => {
    const { db } = stage.services;
    const host = await stage.host('renamed');
    const [one, two] = [await stage.run(), await stage.run()];
    const first = await stage.learn(one, host, { a: 1 });
    await stage.tell(one, [{ host_id: host, ...first }]);
    await stage.settled();
    // what the database keeps of -0.0 is what it keeps of 0.0
    const other = 'another hash of the same';
    await db.raw('insert into facts (hash, document) select ?, document from facts where hash = ?', [
      other,
      first.new_hash,
    ]);
    await stage.tell(two, [{ host_id: host, old_hash: first.new_hash, new_hash: other }]);
    await stage.settled();
    expect((await snapshots(host)).map(({ job }) => job)).to.deep.equal([one]);
    expect(await stage.all(`drift_detections/?host=${host}`)).to.deep.equal([]);
  });

  it('are deleted by core once no host has them, whatever tells of them here: snapshots stay', async () => {
    const { db, queue } = stage.services;
    const host = await stage.host('forgotten');
    for (const a of ['long gone', 'gone', 'there']) await stage.change(host, { a });
    const run = await stage.run();
    const former = await db('facts').whereRaw(`document ->> 'a' in ('long gone', 'gone')`).pluck('hash');
    expect(former).to.have.length(2);
    await db('plugin_drift.reports').insert({ run_id: run, host_id: host, old_hash: former[0], new_hash: former[1] });
    await db('facts')
      .whereIn('hash', former)
      .update({ created: new Date(Date.now() - 8 * 86_400_000) });
    await queue.addTasks(db, [{ name: 'core:delete-unused-facts', payload: {} }]);
    await until(async () => (await db('facts').whereIn('hash', former)).length === 0, 60_000);
    await db('plugin_drift.reports').where({ run_id: run }).delete();
    const told = [];
    for (const { id } of await snapshots(host)) told.push((await stage.get(`fact_snapshots/${id}/`)).body.facts.a);
    expect(told).to.deep.equal(['long gone', 'gone', 'there']);
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
