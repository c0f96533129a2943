import { isDeepStrictEqual } from 'node:util';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { boot, type Running } from '../../core/app/boot.ts';
import { loadConfig } from '../../core/config/config.ts';
import { adminPassword, createRequest, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const key = { TAPLINE_ROLES: 'web', TAPLINE_SECRET_KEY: 'one secret that both of the nodes know' };

describe('settings of two nodes on one database', () => {
  let first: TestService;
  let second: Running;
  let request: ReturnType<typeof createRequest>;
  const dataDir = mkdtempSync(join(tmpdir(), 'tapline-settings-'));

  before(async () => {
    first = await startService(key);
    writeFileSync(
      join(dataDir, 'settings.json'),
      JSON.stringify({ SCHEDULE_MAX_JOBS: 5, CUSTOM_TITLE: 'From the file' }),
    );
    const config = loadConfig({
      ...key,
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: first.database.url,
      TAPLINE_DATA: dataDir,
      TAPLINE_NODE_NAME: 'second',
      TAPLINE_SESSION_COOKIE_AGE: '600',
      ADMIN_PASSWORD: adminPassword,
    });
    second = await boot(config);
    request = createRequest(second);
  });
  after(async () => {
    await second?.stop();
    await first?.stop();
    removeFolder(dataDir);
  });
  afterEach(async () => void (await first.request('DELETE', 'settings/all/')));

  it('shows a change to the next request here, and on the other node within a moment', async () => {
    const { body } = await first.request('PATCH', 'settings/jobs/', { body: { MAX_FORKS: 11 } });
    expect(body.MAX_FORKS).to.equal(11);
    expect((await first.get('settings/jobs/')).body.MAX_FORKS).to.equal(11);
    expect(first.services.settings.get('MAX_FORKS')).to.equal(11);
    await until(() => second.services.settings.get('MAX_FORKS') === 11);
    expect((await request('GET', 'settings/jobs/')).body.MAX_FORKS).to.equal(11);
    await request('DELETE', 'settings/jobs/');
    await until(() => first.services.settings.get('MAX_FORKS') === 200);
  });

  it('brings secrets to the other node', async () => {
    await first.request('PATCH', 'settings/oidc/', { body: { SOCIAL_AUTH_OIDC_SECRET: 'shared' } });
    await until(() => second.services.settings.get('SOCIAL_AUTH_OIDC_SECRET') === 'shared');
  });

  it('lets the file of a node lie above defaults and below the database', async () => {
    expect(second.services.settings.state('SCHEDULE_MAX_JOBS')).to.include({ value: 5, origin: 'file' });
    expect(first.services.settings.state('SCHEDULE_MAX_JOBS')).to.include({ value: 10, origin: 'default' });
    await first.request('PATCH', 'settings/jobs/', { body: { SCHEDULE_MAX_JOBS: 6 } });
    await until(() => second.services.settings.get('SCHEDULE_MAX_JOBS') === 6);
    expect(second.services.settings.state('SCHEDULE_MAX_JOBS')).to.include({ fallback: 5, origin: 'database' });
    const { actions } = (await request('OPTIONS', 'settings/ui/')).body;
    expect(actions.PUT.CUSTOM_TITLE).to.include({ origin: 'file', default: 'From the file', defined_in_file: false });
  });

  it("keeps the environment's word on its own node, whatever is stored", async () => {
    await first.request('PATCH', 'settings/authentication/', {
      body: { SESSION_COOKIE_AGE: 999, SESSIONS_PER_USER: 9 },
    });
    await until(() => second.services.settings.get('SESSIONS_PER_USER') === 9);
    expect(second.services.settings.get('SESSION_COOKIE_AGE')).to.equal(600);
    expect(first.services.settings.get('SESSION_COOKIE_AGE')).to.equal(999);
    const { status, body } = await request('PATCH', 'settings/authentication/', { body: { SESSION_COOKIE_AGE: 700 } });
    expect(status).to.equal(400);
    expect(body.SESSION_COOKIE_AGE[0]).to.contain('TAPLINE_SESSION_COOKIE_AGE');
    await request('DELETE', 'settings/authentication/');
    await until(() => first.services.settings.get('SESSIONS_PER_USER') !== 9);
    expect((await first.get('settings/changed/')).body).to.deep.equal({ SESSION_COOKIE_AGE: 999 });
  });

  it('keeps both of two changes made at once on different nodes', async () => {
    const rounds = Array.from({ length: 10 }, (_, n) => n + 1);
    await Promise.all(
      rounds.flatMap((n) => [
        first.request('PATCH', 'settings/all/', { body: { BULK_JOB_MAX_LAUNCH: n, SCHEDULE_MAX_JOBS: n } }),
        request('PATCH', 'settings/all/', { body: { SCHEDULE_MAX_JOBS: n, BULK_HOST_MAX_CREATE: n } }),
      ]),
    );
    const rows = await first.database.db('settings').select('key', 'value');
    const stored = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
    const changed = ['BULK_HOST_MAX_CREATE', 'BULK_JOB_MAX_LAUNCH', 'SCHEDULE_MAX_JOBS'];
    // each node learns of the other's last change when its message arrives
    for (const node of [first.request, request])
      await until(async () => {
        const { body } = await node('GET', 'settings/changed/');
        return (
          isDeepStrictEqual(Object.keys(body).toSorted(), changed) && changed.every((key) => body[key] === stored[key])
        );
      });
  });

  it('puts up with stored values that it cannot use', async () => {
    await first.database.db('settings').insert([
      { key: 'MAX_FORKS', value: '"many"' },
      { key: 'PLUGIN_THAT_IS_OFF', value: '1' },
      { key: 'LOG_AGGREGATOR_PASSWORD', value: '"tap1:000000000000:nothing-that-any-key-could-ever-open-again"' },
    ]);
    const { status, body } = await first.request('PATCH', 'settings/all/', { body: { UI_NEXT: true } });
    expect(status).to.equal(200);
    expect(body).to.include({ MAX_FORKS: 200, LOG_AGGREGATOR_PASSWORD: '', UI_NEXT: true });
    await first.request('PATCH', 'settings/all/', { body: { MAX_FORKS: 3, LOG_AGGREGATOR_PASSWORD: 'new' } });
    expect((await first.get('settings/jobs/')).body.MAX_FORKS).to.equal(3);
    expect(first.services.settings.get('LOG_AGGREGATOR_PASSWORD')).to.equal('new');
  });
});
