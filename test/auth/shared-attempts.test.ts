import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { boot, type Running } from '../../core/app/boot.ts';
import { loadConfig } from '../../core/config/config.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { Browser } from './browser.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const shared = {
  TAPLINE_ROLES: 'web',
  TAPLINE_SECRET_KEY: 'one secret that both of the nodes know',
};
const limit = 'LOGIN_ATTEMPTS_PER_MINUTE';
const password = 'long enough 1';

describe('failed logins on two nodes of one database', () => {
  let first: TestService;
  let second: Running;
  const dataDir = mkdtempSync(join(tmpdir(), 'tapline-attempts-'));

  before(async () => {
    first = await startService(shared);
    second = await boot(
      loadConfig({
        ...shared,
        PORT: '0',
        LOG_LEVEL: 'silent',
        DATABASE_URL: first.database.url,
        TAPLINE_DATA: dataDir,
        TAPLINE_NODE_NAME: 'second',
        ADMIN_PASSWORD: adminPassword,
      }),
    );
    await first.post('users/', { username: 'operator', password });
    await allow(4);
  });
  after(async () => {
    await second?.stop();
    await first?.stop();
    removeFolder(dataDir);
  });
  // a new minute for every test: all of them come from one address
  beforeEach(() => first.services.db('login_attempts').delete());

  async function allow(attempts: number): Promise<void> {
    await first.request('PATCH', 'settings/authentication/', { body: { [limit]: attempts } });
    await until(() => second.services.settings.get(limit) === attempts);
  }
  const nodes = () => [first.url, second.url];
  const login = async (url: string) => (await new Browser(url).login('operator', password)).status;
  const fail = async (url: string, name = 'operator') => (await new Browser(url).login(name, 'wrong')).status;
  const basic = (url: string, word: string) =>
    fetch(`${url}/api/v2/me/`, {
      headers: { authorization: `Basic ${Buffer.from(`operator:${word}`).toString('base64')}` },
    });

  it('count on the one as on the other, for the form and for Basic', async () => {
    for (const url of nodes()) {
      expect(await fail(url)).to.equal(401);
      expect((await basic(url, 'wrong')).status).to.equal(401);
    }
    for (const url of nodes()) {
      const late = await new Browser(url).login('operator', password);
      expect(late.status).to.equal(429);
      expect(Number(late.headers['retry-after'])).to.be.within(1, 60);
      expect(late.headers['ratelimit-policy']).to.equal('"login";q=4;w=60');
      expect(late.headers['ratelimit']).to.match(/^"login";r=0;t=\d+$/);
      expect((await basic(url, password)).status).to.equal(429);
      expect(await fail(url, 'other'), 'another name').to.equal(401);
    }
  });

  it('are not counted twice when they come at once', async () => {
    const statuses = await Promise.all([...nodes(), ...nodes(), ...nodes()].map((url) => fail(url)));
    expect(statuses.filter((status) => status === 401)).to.have.length(4);
    expect(statuses.filter((status) => status === 429)).to.have.length(2);
  });

  it('leave successes uncounted, and successes leave them', async () => {
    for (const url of [...nodes(), ...nodes(), ...nodes()]) expect(await login(url)).to.equal(302);
    for (const url of [...nodes(), first.url]) expect(await fail(url)).to.equal(401);
    for (const url of nodes()) expect(await login(url)).to.equal(302);
    expect(await fail(second.url), 'the fourth').to.equal(401);
    for (const url of nodes()) expect(await login(url), 'as designed: only time forgives').to.equal(429);
  });

  it('are forgiven on both when the minute is over', async () => {
    for (const url of [...nodes(), ...nodes()]) await fail(url);
    expect(await fail(first.url)).to.equal(429);
    await first.services.db('login_attempts').update({ expire: Date.now() - 1000 });
    for (const url of nodes()) expect(await login(url)).to.equal(302);
  });

  it('are five times as many for an address under ever new names, on both together', async () => {
    await allow(1);
    for (let name = 0; name < 5; name++) expect(await fail(nodes()[name % 2]!, `name ${name}`)).to.equal(401);
    for (const url of nodes()) {
      expect(await login(url), 'a right one').to.equal(429);
      expect(await fail(url, 'one more')).to.equal(429);
    }
  });

  it('follow the limit as it is changed on one of them; 0 is none', async () => {
    await allow(1);
    expect(await fail(second.url)).to.equal(401);
    for (const url of nodes()) expect(await login(url)).to.equal(429);
    await allow(0);
    for (const url of [...nodes(), ...nodes(), ...nodes()]) expect(await fail(url)).to.equal(401);
    for (const url of nodes()) expect(await login(url)).to.equal(302);
  });
});
