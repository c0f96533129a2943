import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { freePort } from '../../demo/free-port.ts';
import { Node } from '../chaos/node.ts';
import { type HttpTarget, httpTarget } from '../notifications/servers.ts';
import { world } from '../rbac/world.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Teller, tellerOf } from '../../plugins/drift/test/teller.ts';

const gate = 7_232_044;
const patience = 60_000;
/** Before each of these the process dies; it is started anew, and dies at the next. */
const deaths = [
  'insert on plugin_drift.reports',
  'insert on plugin_drift.bases',
  'insert on plugin_drift.snapshots',
  'insert on plugin_drift.detections',
  'insert on plugin_drift.alerts',
  'update of notification_id on plugin_drift.alerts',
  'update of notification_status on plugin_drift.alerts',
];

describe('drift, with a process that is killed at each step', function () {
  this.timeout(600_000);
  let base: TestDatabase;
  let node: Node;
  let data: string;
  let url: string;
  let target: HttpTarget;
  let host: number;
  let others: number[];
  let teller: Teller;

  before(async () => {
    [base, target] = await Promise.all([createTestDatabase(), httpTarget()]);
    data = mkdtempSync(join(tmpdir(), 'tapline-drift-'));
    chmodSync(data, 0o755);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api/v2/`;
    node = new Node('web,worker', {
      DATABASE_URL: base.url,
      TAPLINE_DATA: data,
      TAPLINE_PLUGINS: 'drift',
      TAPLINE_DRIFT_ALERT_GROUP_SECONDS: '0',
      TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1',
      ADMIN_PASSWORD: 'killed-secret',
      PORT: String(port),
    });
    await start();
    const make = world(base.db);
    const organization = await make.organization();
    const inventory = await make.inventory(organization);
    const project = await make.project(organization, { status: 'successful', scm_type: 'git', scm_revision: 'abc' });
    const template = await make.jobTemplate(organization, {
      inventory_id: inventory.id,
      project_id: project.id,
      playbook: 'site.yml',
    });
    const common = { organization: organization.id, name: 'killed' };
    ({ id: host } = await post('hosts/', { name: 'killed', inventory: inventory.id }));
    others = [];
    for (const name of ['one', 'two', 'three'])
      others.push((await post('hosts/', { name, inventory: inventory.id })).id);
    const told = await post('notification_templates/', {
      ...common,
      notification_type: 'webhook',
      notification_configuration: { url: target.url, headers: {}, http_method: 'POST' },
    });
    await post('drift_alert_rules/', { ...common, host_filter: 'killed', notification_template: told.id });
    // tasks are put into the queue of a process that may be dead
    const queue = {
      addTasks: async (db: Knex, tasks: readonly { name: string; payload: object }[]) => {
        for (const { name, payload } of tasks)
          await db.raw('select tapline_jobs.add_job(?, ?::json)', [name, JSON.stringify(payload)]);
      },
    };
    teller = tellerOf({ services: { db: base.db, queue } as unknown as TestService['services'] }, template.id);
  });
  after(async () => {
    await node?.kill();
    await target?.stop();
    await base?.drop();
    if (data) removeFolder(data);
  });

  async function post(path: string, body: object): Promise<any> {
    const headers = { authorization: `Basic ${btoa('admin:killed-secret')}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const read: any = await answer.json();
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(read)}`);
    return read;
  }
  async function start(): Promise<void> {
    node.start();
    const up = () =>
      fetch(`${url}ping/`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(up, patience, 'the service answers');
  }

  const waiting = `select pid from pg_locks where locktype = 'advisory' and not granted and objid = ${gate}`;

  /** Kills the process where it comes to this change, which Postgres then gives up. */
  async function dieAt(change: string, go: () => Promise<void>): Promise<void> {
    const { db } = base;
    await db.raw(`create trigger gate before ${change} for each row execute function wait_at_gate()`);
    const held = await db.transaction();
    // it may be a minute and more until a process that is started anew comes to it
    await held.raw('set local idle_in_transaction_session_timeout = 0');
    await held.raw('select pg_advisory_xact_lock(?)', [gate]);
    await go();
    await until(async () => (await db.raw(waiting)).rows.length, patience, `somebody comes to the ${change}`);
    await node.kill();
    await db.raw(`select pg_terminate_backend(pid) from (${waiting}) as w`);
    await held.commit();
    await until(async () => !(await db.raw(waiting)).rows.length, patience);
    await db.raw(`drop trigger gate on ${change.split(' ').at(-1)}`);
  }

  it('has each snapshot, detection and alert once, in consecutive pairs, of two jobs that ended together', async () => {
    const { db } = base;
    await db.raw(`create function wait_at_gate() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(${gate}); return new; end $$`);
    await teller.change(host, { kernel: 1 });
    const first = (await db('plugin_drift.snapshots').where({ host_id: host }).first()).job_id;
    const [one, two] = [await teller.run(), await teller.run()];
    const told = [await teller.learn(one, host, { kernel: 2 }), await teller.learn(two, host, { kernel: 3 })];
    const tell = async () => {
      await teller.tell(two, [{ host_id: host, ...told[1]! }]);
      await teller.tell(one, [{ host_id: host, ...told[0]! }]);
    };
    for (const [n, change] of deaths.entries()) await dieAt(change, n === 0 ? tell : start);
    await start();
    await teller.settled();
    const alerts = () => db('plugin_drift.alerts').where({ host_id: host });
    await until(async () => (await alerts()).every((row) => row.notification_status === 'sent'), patience);
    // what is said again, when all is done, changes nothing
    await tell();
    await teller.settled();
    const snapshots = await db('plugin_drift.snapshots').where({ host_id: host }).orderBy('id');
    expect(snapshots.map(({ job_id: job }) => job)).to.deep.equal([first, one, two]);
    const ids = snapshots.map(({ id }) => id);
    const found = await db('plugin_drift.detections').where({ host_id: host }).orderBy('id');
    expect(
      found.map((row) => [row.snapshot_before_id, row.snapshot_after_id, row.detail.before, row.detail.after]),
    ).to.deep.equal([
      [ids[0], ids[1], 1, 2],
      [ids[1], ids[2], 2, 3],
    ]);
    expect((await alerts()).map((row) => row.notification_status)).to.deep.equal(['sent']);
    expect(await db('notifications')).to.have.length(1);
    expect(target.seen).to.have.length(1);
  });

  /** All that is to be compared was read; what the thread makes of it was not written yet. */
  const threadWorks = async () =>
    (
      await base.db.raw(
        `select pid from pg_stat_activity where state = 'idle in transaction' and datname = current_database()
           and query like '%"plugin_drift"."snapshots" as "s"%' and now() - state_change > interval '50 ms'`,
      )
    ).rows[0]?.pid;

  it('has the newest facts of each host once, where its thread was at work on them', async () => {
    const { db } = base;
    const packages = (version: number) =>
      Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`package-${n}`, { version, n }]));
    const tell = async (version: number) => {
      const run = await teller.run();
      const told = [];
      for (const id of others)
        told.push({ host_id: id, ...(await teller.learn(run, id, { packages: packages(version), id })) });
      await teller.tell(run, told);
      return run;
    };
    const first = await tell(1);
    await teller.settled();
    const second = await tell(2);
    const pid = await until(threadWorks, patience, 'the thread works');
    await node.kill();
    await db.raw('select pg_terminate_backend(?)', [pid]);
    await start();
    await teller.settled();
    for (const id of others) {
      const snapshots = await db('plugin_drift.snapshots').where({ host_id: id }).orderBy('id');
      expect(snapshots.map(({ job_id: job }) => job)).to.deep.equal([first, second]);
      const found = await db('plugin_drift.detections').where({ host_id: id });
      expect(found.map((row) => [row.snapshot_before_id, row.snapshot_after_id])).to.deep.equal([
        snapshots.map(({ id: snapshot }) => snapshot),
      ]);
    }
  });
});
