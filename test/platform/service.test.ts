import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { boot } from '../../core/app/boot.ts';
import { loadConfig } from '../../core/config/config.ts';
import { EarlyDatabase } from '../../core/db/open-database.ts';
import { type PostgresServer, startPostgres } from '../../core/db/postgres.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog as log } from '../support/log.ts';
import { createRequest, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('the service', () => {
  let service: TestService;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('says that it lives and that it is ready, without credentials', async () => {
    expect((await service.request('GET', '/healthz', { auth: null })).body).to.deep.equal({ status: 'ok' });
    const ready = await service.request('GET', '/readyz', { auth: null });
    expect(ready.status).to.equal(200);
    expect(ready.body.checks.database).to.equal('ok');
  });

  it('answers ping with its version, its nodes and an id of the installation', async () => {
    const { body } = await service.request('GET', 'ping/', { auth: null });
    expect(body.version).to.equal(service.services.config.version);
    expect(body.install_uuid).to.match(/^[0-9a-f-]{36}$/);
    expect(body.instances.map(({ node }: any) => node)).to.include(service.services.config.nodeName);
  });

  it('counts requests by route pattern, not by path', async () => {
    await service.get('organizations/1/');
    const { body } = await service.request('GET', '/metrics', { auth: null });
    expect(body).to.match(/tapline_http_requests_total\{method="GET",route="[^"]*organizations[^"]*",status="\d+"\} 1/);
    expect(body).not.to.contain('organizations/1/');
    for (const name of [
      'tapline_queue_tasks_total',
      'tapline_launches_total',
      'tapline_launch_to_start_seconds',
      'tapline_events_stored_total',
    ])
      expect(body).to.contain(name);
  });

  it('has demo content on a new database: something to launch', async () => {
    const rows = await service.services.db('templates').select('kind', 'name').orderBy(['kind', 'id']);
    const clean = rows.filter(({ kind }) => kind === 'system_job_template').map(({ name }) => name);
    expect(clean).to.have.members([
      'Cleanup Job Details',
      'Cleanup Activity Stream',
      'Cleanup Expired Sessions',
      'Cleanup Expired OAuth 2 Tokens',
    ]);
    expect(rows.filter(({ kind }) => kind !== 'system_job_template')).to.deep.equal([
      { kind: 'job_template', name: 'Demo Job Template' },
      { kind: 'project', name: 'Demo Project' },
    ]);
    expect(existsSync(join(service.dataDir, 'projects/demo/greeting.yml'))).to.equal(true);
  });

  it('shows timestamps as ISO texts with microseconds', async () => {
    const { rows } = await service.services.db.raw(
      `select '2026-01-02 03:04:05.120005+01'::timestamptz as a, '2026-01-02 03:04:05Z'::timestamptz as b`,
    );
    expect(rows[0]).to.deep.equal({ a: '2026-01-02T02:04:05.120005Z', b: '2026-01-02T03:04:05Z' });
  });
});

describe('the start of the service', () => {
  let database: TestDatabase;
  let dataDir: string;

  before(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-boot-'));
    chmodSync(dataDir, 0o711);
  });
  after(async () => {
    await database.drop();
    removeFolder(dataDir);
  });

  const config = (env: Record<string, string> = {}) =>
    loadConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      TAPLINE_DATA: dataDir,
      TAPLINE_ROLES: 'web',
      ...env,
    });

  it('generates the first password once and keeps it for the owner alone', async () => {
    const first = await boot(config());
    const { password, file, created } = first.admin;
    await first.stop();
    expect(created).to.equal(true);
    expect(readFileSync(file ?? '', 'utf8').trim()).to.equal(password);
    expect(statSync(file ?? '').mode & 0o777).to.equal(0o600);

    const second = await boot(config());
    expect(second.admin).to.include({ created: false, password: null, file });
    const reply = await createRequest(second)('GET', 'me/', { auth: `admin:${password}` });
    expect(reply.status).to.equal(200);
    await second.stop();
  });

  it('begins anew when its database connections are cut meanwhile', async () => {
    let cuts = 0;
    const started = new AbortController();
    const cutting = (async () => {
      while (cuts < 4 && !started.signal.aborted) {
        const { rowCount } = await database.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name like 'tapline%' and pid not in (select pid from pg_stat_activity where application_name = 'tapline pool')`,
        );
        cuts += rowCount ?? 0;
        await delay(20);
      }
    })();
    const running = await boot(config());
    started.abort();
    await cutting;
    expect(cuts).to.be.greaterThan(0);
    expect((await createRequest(running)('GET', '/readyz', { auth: null })).status).to.equal(200);
    await running.stop();
  });

  it('leaves demo content alone once it was removed', async () => {
    await database.db('organizations').delete();
    const running = await boot(config());
    expect(await database.db('organizations').first()).to.equal(undefined);
    await running.stop();
  });

  it('names the phase, the reason and the remedy when it fails, and leaves nothing open', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await until(() => other.listening);
    const port = String((other.address() as { port: number }).port);
    const error = await boot(config({ PORT: port })).then(
      () => null,
      (reason: Error) => reason,
    );
    other.close();
    expect(error?.message).to.match(/phase "serve".*in use.*set PORT/);
    await until(
      async () =>
        (
          await database.db.raw(
            `select 1 from pg_stat_activity where datname = current_database() and application_name = 'tapline bus'`,
          )
        ).rows.length === 0,
    );
  });
});

describe('a Postgres that falls silent', () => {
  let server: PostgresServer;
  let dataDir: string;
  let running: Awaited<ReturnType<typeof boot>>;

  /** The main process and every connection's own. */
  const everyProcess = () => [
    server.pid,
    ...readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
      .filter((pid) => parentOf(pid) === server.pid),
  ];
  const parentOf = (pid: number) => {
    try {
      return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
    } catch {
      return 0;
    }
  };
  const signal = (name: NodeJS.Signals) => everyProcess().forEach((pid) => process.kill(pid, name));

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-silent-'));
    chmodSync(dataDir, 0o711);
    server = await startPostgres({ dataDir, log });
    running = await boot(
      loadConfig({
        PORT: '0',
        LOG_LEVEL: 'silent',
        DATABASE_URL: server.url,
        TAPLINE_DATA: dataDir,
        ADMIN_PASSWORD: 'test-admin-password',
        TAPLINE_ROLES: 'web',
      }),
    );
  });
  after(async () => {
    await running.stop();
    await server.stop();
    removeFolder(dataDir);
  });

  it('is answered with 503, also to requests that wait already, and used again when it is back', async () => {
    const request = createRequest(running);
    expect((await request('GET', 'organizations/')).status).to.equal(200);
    signal('SIGSTOP');
    try {
      const replies = await Promise.all(Array.from({ length: 5 }, () => request('GET', 'organizations/')));
      expect(replies.map(({ status }) => status)).to.deep.equal([503, 503, 503, 503, 503]);
      expect((await request('GET', '/readyz', { auth: null })).status).to.equal(503);
      expect((await request('GET', '/healthz', { auth: null })).status).to.equal(200);
    } finally {
      signal('SIGCONT');
    }
    await until(async () => (await request('GET', 'organizations/')).status === 200, 10_000);
  });
});

describe('the embedded Postgres of a running service', () => {
  let dataDir: string;
  let running: Awaited<ReturnType<typeof boot>>;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-embedded-'));
    running = await boot(
      loadConfig({ PORT: '0', LOG_LEVEL: 'silent', TAPLINE_DATA: dataDir, ADMIN_PASSWORD: 'test-admin-password' }),
    );
  });
  after(async () => {
    await running.stop();
    removeFolder(dataDir);
  });

  it('is started again when its main process was killed, and the service goes on', async () => {
    const request = createRequest(running);
    const made = await request('POST', 'organizations/', { body: { name: 'kept' } });
    expect(made.status).to.equal(201);
    process.kill(Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
    await until(async () => (await request('GET', 'organizations/?name=kept')).body.count === 1, 20_000);
  });

  it('is stopped with it', async () => {
    await running.stop();
    expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).to.equal(false);
  });

  it('does not keep a start waiting that fails for another reason', async () => {
    const config = loadConfig({
      LOG_LEVEL: 'silent',
      TAPLINE_DATA: dataDir,
      TAPLINE_PLUGINS: 'there-is-none',
      DATABASE_URL: 'postgres://127.0.0.1:9/nobody-listens',
    });
    const failure = await boot(config).then(
      () => 'none',
      (error: Error) => error.message,
    );
    expect(failure).to.match(/there-is-none/);
  });

  it('starts beside the rest of the service, and stops where that cannot be loaded', async () => {
    const config = loadConfig({ LOG_LEVEL: 'silent', TAPLINE_DATA: dataDir, TAPLINE_PLUGINS: 'there-is-none' });
    const database = new EarlyDatabase({ config, log });
    const failure = await boot(config, { database }).then(
      () => 'none',
      (error: Error) => error.message,
    );
    expect(failure).to.match(/phase "plugins".*there-is-none/);
    expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).to.equal(false);
    // begun once, asked for anew
    const { server } = await database.open();
    await server!.stop();
  });
});
