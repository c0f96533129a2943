import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot, type Running } from '../../core/app/boot.ts';
import { loadConfig } from '../../core/config/config.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { adminPassword, createRequest, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { held } from '../launch/fixture.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** A node that can stop and start again on the same data, as after a restart of the service. */
describe('a node that comes back', function () {
  let database: TestDatabase;
  let dataDir: string;
  let running: Running;
  let request: TestService['request'];
  let template: number;
  const released = (name: string) => join(dataDir, 'projects', 'demo', name);

  const environment = () => ({
    PORT: '0',
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    DATABASE_URL: database.url,
    TAPLINE_DATA: dataDir,
    ADMIN_PASSWORD: adminPassword,
    ENGINE_COMMAND: process.env['ENGINE_COMMAND'] ?? '',
    TAPLINE_NODE_NAME: 'n1',
  });
  const start = async () => {
    running = await boot(loadConfig(environment()));
    request = createRequest(running);
  };
  const job = async (id: number) => (await request('GET', `jobs/${id}/`)).body;
  const reached = (id: number, status: string) =>
    until(async () => (await job(id)).status === status, 60_000, `job ${id} ${status}`);
  const ended = (id: number) =>
    until(async () => {
      const body = await job(id);
      return body.finished ? body : undefined;
    }, 60_000);
  const launch = async (name = 'command: sleep 4') => {
    writeFileSync(
      join(dataDir, 'projects', 'demo', 'held.yml'),
      `- hosts: all\n  gather_facts: false\n  tasks:\n    - ${name}\n    - debug: {msg: the end}\n`,
    );
    return (await request('POST', `job_templates/${template}/launch/`, { body: {} })).body.id as number;
  };

  before(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-node-'));
    chmodSync(dataDir, 0o711);
    await start();
    writeFileSync(released('held.yml'), held);
    const demo = (await request('GET', 'job_templates/')).body.results[0];
    template = (
      await request('POST', 'job_templates/', {
        body: {
          name: 'held',
          project: demo.project,
          inventory: demo.inventory,
          playbook: 'held.yml',
          allow_simultaneous: true,
        },
      })
    ).body.id;
  });
  after(async () => {
    await running.stop();
    await database.drop();
    removeFolder(dataDir);
  });

  it('keeps its row and takes its running job up again', async () => {
    const [before] = (await request('GET', 'instances/')).body.results;
    const id = await launch();
    await reached(id, 'running');
    await running.stop();
    await start();
    const [after] = (await request('GET', 'instances/')).body.results;
    expect([after.id, after.uuid]).to.deep.equal([before.id, before.uuid]);
    const done = await ended(id);
    expect(done.status, done.job_explanation).to.equal('successful');
    expect((await request('GET', `jobs/${id}/stdout/?format=txt`)).body.match(/the end/g)).to.have.length(1);
  });

  it('stores the result of a job that ended meanwhile', async () => {
    const id = await launch();
    await reached(id, 'running');
    await running.stop();
    const run = () => database.db('runs').where({ id }).first();
    const { handle } = await run();
    await until(() => readFileSync(join(handle.workspace, 'control/exit'), 'utf8').trim());
    expect((await run()).status, 'nobody was there to store it').to.equal('running');
    await start();
    expect((await ended(id)).status).to.equal('successful');
    expect((await request('GET', `jobs/${id}/stdout/?format=txt`)).body.match(/the end/g)).to.have.length(1);
  });

  it('cancels what was asked to be canceled while it was away', async () => {
    const id = await launch('command: sleep 600');
    await reached(id, 'running');
    await running.stop();
    await database.db('runs').where({ id }).update({ canceled_on: database.db.fn.now() });
    await start();
    expect((await ended(id)).status).to.equal('canceled');
  });

  it('ends a job whose process was killed, with an explanation', async () => {
    const id = await launch('command: sleep 600');
    await reached(id, 'running');
    const { handle } = await database.db('runs').where({ id }).first('handle');
    await running.stop();
    process.kill(handle.pid, 'SIGKILL');
    await start();
    const done = await ended(id);
    expect(done.status).to.equal('error');
    expect(done.job_explanation).to.not.equal('');
  });

  it('begins a job that was assigned to it, and one that its former life had claimed but not started', async () => {
    const assigned = await launch('debug: {msg: once}');
    await ended(assigned);
    await running.stop();
    const { db } = database;
    const [instance] = await db('instances').select('id');
    const copy = async (handle: object | null, more: object = {}) => {
      const row = await db('runs').where({ id: assigned }).first();
      const columns = {
        kind: 'job',
        template_id: template,
        name: 'copy',
        status: 'waiting',
        project_id: row.project_id,
        inventory_id: row.inventory_id,
        playbook: row.playbook,
        instance_id: instance.id,
      };
      return (
        await db('runs')
          .insert({ ...columns, ...more, handle: handle && JSON.stringify(handle) })
          .returning('id')
      )[0].id as number;
    };
    const claim = { executor: 'local', claimed: '2026-01-01' };
    const [fresh, claimed] = [await copy(null), await copy(claim)];
    const unwanted = await copy(claim, { canceled_on: '2026-01-02' });
    await start();
    expect((await ended(fresh)).status).to.equal('successful');
    expect((await ended(claimed)).status).to.equal('successful');
    expect(await ended(unwanted)).to.include({ status: 'canceled', started: null });
  });

  it('removes what an ended job left when the service was killed between its record and its end, and what a deleted one left', async () => {
    const { id } = await ended(await launch('debug: {}'));
    const [over, deleted, foreign] = [String(id), '999999', 'notes'].map((name) => join(dataDir, 'jobs', name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [over, deleted, foreign]) mkdirSync(join(folder, 'control'), { recursive: true });
    await running.stop();
    await start();
    await until(() => !existsSync(over) && !existsSync(deleted));
    expect(existsSync(foreign), 'no run is called that').to.equal(true);
  });

  it('frees the queue locks of its former life', async () => {
    const { db } = database;
    const pools = await db('queue_pools').select('id', 'boot_id');
    expect(pools).to.have.length(1);
    await db('queue_pools').insert({
      id: 'pool-dead',
      boot_id: crypto.randomUUID(),
      created: db.raw("now() - interval '1 minute'"),
    });
    await db.raw(`select tapline_jobs.add_job('core:hook', '{}'::json)`);
    await db.raw(`update tapline_jobs._private_jobs set locked_by = 'pool-dead', locked_at = now()`);
    await running.services.node.beat();
    expect(await db('queue_pools').where({ id: 'pool-dead' })).to.deep.equal([]);
    const { rows } = await db.raw(`select count(*) from tapline_jobs._private_jobs where locked_by = 'pool-dead'`);
    expect(rows[0].count).to.equal(0);
  });

  it('has its runs taken over by another node that can reach them', async () => {
    const other = await boot(
      loadConfig({
        ...environment(),
        TAPLINE_NODE_NAME: 'n2',
        TAPLINE_ROLES: 'worker',
      }),
    );
    try {
      const { db } = database;
      expect(new Set((await db('instances').select('uuid')).map(({ uuid }) => uuid)).size).to.equal(2);
      await db('instances').where({ hostname: 'n2' }).update({ enabled: false });
      const id = await launch();
      await reached(id, 'running');
      expect((await job(id)).execution_node).to.equal('n1');
      await running.stop();
      await db('instances')
        .where({ hostname: 'n1' })
        .update({ last_seen: db.raw("now() - interval '1 minute'") });
      await other.services.node.beat();
      await until(async () => (await db('runs').where({ id }).first()).status === 'successful', 60_000);
      expect((await db('runs').where({ id }).first()).execution_node).to.equal('n2');
    } finally {
      await other.stop();
      await start();
    }
  });

  it('ends a job that cannot begin with a reason, not the service', async () => {
    const { db } = database;
    const [credential] = await db('credentials')
      .insert({
        name: 'broken',
        credential_type_id: db('credential_types').where({ namespace: 'ssh' }).select('id').limit(1),
        inputs: JSON.stringify({ password: 'tap1:000000000000:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }),
      })
      .returning('id');
    await db('template_credentials').insert({ template_id: template, credential_id: credential.id });
    const done = await ended(await launch());
    expect(done.status).to.equal('error');
    expect(done.job_explanation).to.contain('could not be started');
    await db('template_credentials').delete();
    const { rows } = await db.raw('select playbook from templates where id = ?', [template]);
    expect(rows[0].playbook).to.equal('held.yml');
    await db('templates').where({ id: template }).update({ playbook: '../outside.yml' });
    const outside = await ended(await launch());
    expect(outside.status).to.equal('failed');
    await db('templates')
      .where({ id: template })
      .update({ playbook: 'held.yml', limit: 'a'.repeat(200_000) });
    const long = await ended(await launch());
    expect(long.status).to.equal('failed');
    expect(long.job_explanation).to.contain('128');
  });
});
