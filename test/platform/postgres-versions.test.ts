import { chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runAs, serverUser } from '../../core/db/postgres-binaries.ts';
import { cloneDatabase } from '../../core/testing/database.ts';
import { createFixtures } from '../http/fixtures.ts';
import type { TestDatabase } from '../support/database.ts';
import { describeWith, postgres15 } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

interface Server {
  url: string;
  stop(): Promise<unknown>;
}

/** A throw-away server of the oldest version that we promise to run on. */
async function startOldest(): Promise<Server> {
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), 'tapline-pg15-'));
  chmodSync(folder, 0o711);
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  if (user.uid !== undefined) chownSync(home, user.uid, user.gid!);
  const data = join(home, 'data');
  const run = async (program: string, ...args: string[]) => {
    const { code, output } = await runAs(user, join(postgres15!, program), args);
    if (code !== 0) throw new Error(`${program}: ${output}`);
  };
  await run('initdb', '-D', data, '-U', 'svc', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  const options = `-c listen_addresses='' -c unix_socket_directories=${home} -c fsync=off`;
  await run('pg_ctl', 'start', '-w', '-D', data, '-l', join(home, 'log'), '-o', options);
  return {
    url: `postgres://svc@/postgres?host=${encodeURIComponent(home)}`,
    async stop() {
      await run('pg_ctl', 'stop', '-w', '-m', 'immediate', '-D', data);
      removeFolder(folder);
    },
  };
}

describeWith(['Postgres 15'], 'on Postgres 15, by DATABASE_URL, the service', function () {
  let server: Server;
  let database: TestDatabase;
  let service: TestService;
  before(async () => {
    server = await startOldest();
    database = await cloneDatabase(server.url);
    service = await startService({}, { database });
  });
  after(async () => {
    await service?.stop();
    await database?.drop();
    await server?.stop();
  });

  it('migrates the database and is ready', async () => {
    const { rows } = await database.db.raw('show server_version_num');
    expect(Number(rows[0].server_version_num)).to.be.within(150_000, 159_999);
    expect((await service.get('/readyz')).status).to.equal(200);
  });

  it('runs a job, and stores its events, its output and what it tells of hosts', async () => {
    const [template] = (await service.get('job_templates/')).body.results;
    const { body: launched } = await service.post(`job_templates/${template.id}/launch/`);
    const job = await until(async () => {
      const { body } = await service.get(`jobs/${launched.id}/`);
      return body.event_processing_finished && body;
    }, 60_000);
    expect(job.status, job.job_explanation + job.result_traceback).to.equal('successful');
    expect(job.host_status_counts).to.deep.equal({ ok: 1 });
    const { body: events } = await service.get(`jobs/${job.id}/job_events/`);
    expect(events.count).to.be.greaterThan(5);
    expect((await service.get(`jobs/${job.id}/stdout/?format=txt`)).body).to.contain('PLAY RECAP');
    expect((await service.get(`jobs/${job.id}/job_host_summaries/`)).body.count).to.equal(1);
  });

  it('answers on every path that can be read, and on every list searched and in order', async () => {
    const { ids } = await createFixtures(service);
    const asked: string[] = [];
    for (const { path, type, endpoints, kind } of service.services.catalog.routes) {
      if (!endpoints.GET) continue;
      const at = path
        .replace(':id', String(ids[type!]))
        .replace(':slug', 'jobs')
        .replace(':plugin', 'recommendations')
        .replace(':file', 'start.js');
      asked.push(at);
      if (kind === 'list' || kind === 'sublist') asked.push(`${at}?search=a&order_by=-id&page_size=3`);
    }
    const wrong: string[] = [];
    for (const path of asked) {
      const { status, text } = await service.get(path);
      // the node at work installs itself, and says so
      const right = path.endsWith('/install_bundle/') ? 400 : 200;
      if (status !== right) wrong.push(`${path}: ${status} ${text.slice(0, 200)}`);
    }
    expect(wrong).to.deep.equal([]);
    expect(asked.length).to.be.at.least(300);
  });
});
