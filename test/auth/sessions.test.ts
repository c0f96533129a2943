import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { Browser } from './browser.ts';

describe('sessions', () => {
  let service: TestService;
  let names = 0;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web', TAPLINE_SESSION_ABSOLUTE_AGE: '7200' });
  });
  after(() => service?.stop());

  const db = () => service.services.db;
  const hash = (browser: Browser) => createHash('sha256').update(browser.sessionId).digest();
  const stored = (browser: Browser) =>
    db()('sessions')
      .where({ secret_hash: hash(browser) })
      .first();
  const age = (browser: Browser, columns: Record<string, number>) =>
    db()('sessions')
      .where({ secret_hash: hash(browser) })
      .update(
        Object.fromEntries(
          Object.entries(columns).map(([name, seconds]) => [
            name,
            db().raw('now() + make_interval(secs => ?)', [seconds]),
          ]),
        ),
      );
  const status = async (browser: Browser) => (await browser.get('/api/v2/me/')).status;

  async function newUser(more: object = {}): Promise<{ id: number; username: string; password: string }> {
    const [username, password] = [`user${names++}`, 'first-password'];
    const { body } = await service.post('users/', { username, password, ...more });
    return { id: body.id, username, password };
  }
  async function loggedIn(
    { username, password } = { username: 'admin', password: adminPassword },
    headers = {},
  ): Promise<Browser> {
    const browser = new Browser(service.url);
    await browser.get('/api/', headers);
    expect((await browser.login(username, password)).status).to.equal(302);
    return browser;
  }

  it('are stored by the hash of their id alone, with where they come from and how strong they are', async () => {
    const browser = new Browser(service.url);
    await browser.get('/api/');
    const headers = { 'x-csrftoken': browser.csrf, 'user-agent': `Test ${'x'.repeat(500)}` };
    await browser.send('POST', '/api/login/', { form: { username: 'admin', password: adminPassword }, headers });
    const row = await stored(browser);
    expect(row).to.include({ user_id: 1, assurance: 'password', ip: '127.0.0.1' });
    expect(row.user_agent)
      .to.match(/^Test x+$/)
      .and.have.length(300);
    const all = JSON.stringify(await db()('sessions'));
    expect(all).to.not.include(browser.sessionId);
  });

  it('tell each answer how long they last, and put off their end', async () => {
    const browser = await loggedIn();
    await age(browser, { last_seen: -600, expires: 1200 });
    const page = await browser.get('/api/v2/me/');
    expect(page.headers['session-timeout']).to.equal('1800');
    expect(page.setCookies.tapline_sessionid).to.match(/; Max-Age=1800; HttpOnly$/);
    const { rows } = await db().raw(
      "select extract(epoch from expires - now())::int as left, last_seen > now() - interval '5 min' as seen from sessions where secret_hash = ?",
      [hash(browser)],
    );
    expect(rows[0].left).to.be.within(1800, 1860);
    expect(rows[0].seen).to.equal(true);
  });

  it('do not put off their end for requests in the background', async () => {
    const browser = await loggedIn();
    await age(browser, { last_seen: -600, expires: 1260 });
    const before = await stored(browser);
    const page = await browser.get('/api/v2/me/', { 'x-ws-session-quiet': 'true' });
    expect(page.status).to.equal(200);
    expect(Number(page.headers['session-timeout'])).to.be.within(1000, 1200);
    expect(page.setCookies).to.deep.equal({});
    expect(await stored(browser)).to.deep.equal(before);
  });

  it('are written at most once a minute', async () => {
    const browser = await loggedIn();
    await age(browser, { last_seen: -10 });
    const before = await stored(browser);
    await Promise.all(Array.from({ length: 5 }, () => status(browser)));
    expect(await stored(browser)).to.deep.equal(before);
    await age(browser, { last_seen: -70 });
    await status(browser);
    expect((await stored(browser)).last_seen).to.not.deep.equal(before.last_seen);
  });

  it('end when nothing comes for too long', async () => {
    const browser = await loggedIn();
    await age(browser, { last_seen: -1900, expires: -1 });
    const page = await browser.get('/api/v2/me/');
    expect(page.status).to.equal(401);
    expect(page.headers['session-timeout']).to.equal(undefined);
    expect(
      (await browser.change('POST', '/api/v2/organizations/', { name: 'x' })).status,
      'a change: 401 comes before CSRF',
    ).to.equal(401);
  });

  it('end at their absolute age however busy they are', async () => {
    const browser = await loggedIn();
    await age(browser, { created: -6600, last_seen: -100 });
    const page = await browser.get('/api/v2/me/');
    expect(page.status).to.equal(200);
    expect(Number(page.headers['session-timeout'])).to.be.within(400, 600);
    expect(page.setCookies.tapline_sessionid).to.match(/Max-Age=([45]\d\d|600);/);
    const { rows } = await db().raw(
      'select extract(epoch from expires - now())::int as left from sessions where secret_hash = ?',
      [hash(browser)],
    );
    expect(rows[0].left).to.be.within(400, 600);
    await age(browser, { created: -7201, expires: 600 });
    expect(await status(browser)).to.equal(401);
  });

  it('serve two requests at once in their last minute, and live on', async () => {
    const browser = await loggedIn();
    await age(browser, { last_seen: -1850, expires: 60 });
    const pages = await Promise.all(Array.from({ length: 6 }, () => browser.get('/api/v2/me/')));
    expect(pages.map((page) => page.status)).to.deep.equal(Array(6).fill(200));
    expect(new Set(pages.map((page) => page.headers['session-timeout']))).to.deep.equal(new Set(['1800']));
    expect(
      (await stored(browser)).expires.getTime?.() ?? Date.parse((await stored(browser)).expires),
    ).to.be.greaterThan(Date.now() + 1_700_000);
  });

  it('answer all of several requests alike once they are over', async () => {
    const browser = await loggedIn();
    await age(browser, { expires: -0.001 });
    expect(await Promise.all([status(browser), status(browser), status(browser)])).to.deep.equal([401, 401, 401]);
  });

  describe('POST /api/logout/', () => {
    it('ends the session and answers 302 to /api/', async () => {
      const browser = await loggedIn();
      const { sessionId } = browser;
      const page = await browser.change('POST', '/api/logout/');
      expect([page.status, page.location]).to.deep.equal([302, '/api/']);
      expect(page.setCookies.tapline_sessionid).to.include('Max-Age=0').and.include('HttpOnly');
      expect(page.setCookies.userLoggedIn).to.match(/^userLoggedIn=false;/);
      const thief = new Browser(service.url);
      thief.cookies.set('tapline_sessionid', sessionId);
      expect(await status(thief)).to.equal(401);
    });

    it('needs the CSRF token, in the header or in a form', async () => {
      const browser = await loggedIn();
      expect((await browser.send('POST', '/api/logout/')).status).to.equal(403);
      expect(await status(browser)).to.equal(200);
      expect(
        (await browser.send('POST', '/api/logout/', { form: { csrfmiddlewaretoken: browser.csrf } })).status,
      ).to.equal(302);
      expect(browser.sessionId).to.equal('');
    });

    it('is done already without a session', async () => {
      expect((await new Browser(service.url).send('POST', '/api/logout/')).status).to.equal(302);
    });

    it('is not to be had by GET, which any page could make its visitors send', async () => {
      const browser = await loggedIn();
      const page = await browser.get('/api/logout/');
      expect([page.status, page.headers.allow]).to.deep.equal([405, 'POST, OPTIONS']);
      expect(await status(browser)).to.equal(200);
    });

    it('leaves the other sessions of the user', async () => {
      const [one, two] = [await loggedIn(), await loggedIn()];
      await one.change('POST', '/api/logout/');
      expect(await status(two)).to.equal(200);
    });
  });

  describe('of a user whose password changes', () => {
    it('end, all but the one that changed it', async () => {
      const user = await newUser();
      const [one, two, bystander] = [await loggedIn(user), await loggedIn(user), await loggedIn()];
      expect((await one.change('PATCH', `/api/v2/users/${user.id}/`, { password: 'second-password' })).status).to.equal(
        200,
      );
      expect(await Promise.all([one, two, bystander].map(status))).to.deep.equal([200, 401, 200]);
    });

    it('end all when somebody else changes it, a command or an operator included', async () => {
      const user = await newUser();
      const [one, admin] = [await loggedIn(user), await loggedIn()];
      expect(
        (await admin.change('PATCH', `/api/v2/users/${user.id}/`, { password: 'third-password' })).status,
      ).to.equal(200);
      expect(await Promise.all([one, admin].map(status))).to.deep.equal([401, 200]);
      const two = await loggedIn({ ...user, password: 'third-password' });
      await db()('users').where({ id: user.id }).update({ password: 'x' });
      expect(await status(two)).to.equal(401);
    });

    it('live on when anything else of the user changes, or the change is refused', async () => {
      const user = await newUser();
      const [one, two] = [await loggedIn(user), await loggedIn(user)];
      await one.change('PATCH', `/api/v2/users/${user.id}/`, { first_name: 'New', password: '$encrypted$' });
      expect((await one.change('PATCH', `/api/v2/users/${user.id}/`, { password: 'x'.repeat(999) })).status).to.equal(
        400,
      );
      expect(await Promise.all([one, two].map(status))).to.deep.equal([200, 200]);
    });
  });

  it('end with their user, and do not come back with it', async () => {
    const user = await newUser();
    const browser = await loggedIn(user);
    await db()('users').where({ id: user.id }).update({ is_active: false });
    expect(await status(browser)).to.equal(401);
    await db()('users').where({ id: user.id }).update({ is_active: true });
    expect(await status(browser)).to.equal(401);
    const again = await loggedIn(user);
    expect((await service.request('DELETE', `users/${user.id}/`)).status).to.equal(204);
    expect(await status(again)).to.equal(401);
  });

  it('take the rights of their user as they are now', async () => {
    const user = await newUser({ is_superuser: true });
    const browser = await loggedIn(user);
    expect((await browser.get('/api/v2/organizations/')).body.count).to.be.greaterThan(0);
    await service.request('PATCH', `users/${user.id}/`, { body: { is_superuser: false } });
    expect((await browser.change('POST', '/api/v2/organizations/', { name: 'no' })).status).to.equal(403);
  });

  for (const value of ['', 'x', 'A'.repeat(43), 'A'.repeat(10_000), "' or 1=1 --", '%00', 'ü']) {
    it(`are none for the cookie ${JSON.stringify(value.slice(0, 20))}`, async () => {
      const { status } = await new Browser(service.url).get('/api/v2/me/', {
        cookie: `tapline_sessionid=${Buffer.from(value).toString('latin1')}`,
      });
      expect(status).to.equal(401);
    });
  }

  it('that are over are removed at the next login', async () => {
    const browser = await loggedIn();
    await age(browser, { expires: -5 });
    await loggedIn();
    expect(await stored(browser)).to.equal(undefined);
  });
});

describe('SESSIONS_PER_USER', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web', TAPLINE_SESSIONS_PER_USER: '2' });
  });
  after(() => service?.stop());

  const login = async () => {
    const browser = new Browser(service.url);
    await browser.login('admin', adminPassword);
    return browser;
  };
  const status = async (browser: Browser) => (await browser.get('/api/v2/me/')).status;

  it('ends the oldest sessions of the user, not those of others', async () => {
    await service.post('users/', { username: 'bob', password: 'bobs-password' });
    const bob = new Browser(service.url);
    await bob.login('bob', 'bobs-password');
    const browsers = [await login(), await login(), await login()];
    expect(await Promise.all([...browsers, bob].map(status))).to.deep.equal([401, 200, 200, 200]);
  });

  it('holds for logins at once', async () => {
    const browsers = await Promise.all(Array.from({ length: 6 }, login));
    const statuses = await Promise.all(browsers.map(status));
    expect(statuses.filter((one) => one === 200)).to.have.length(2);
  });
});
