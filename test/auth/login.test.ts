import { expect } from 'chai';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { Browser, formFields } from './browser.ts';

describe('POST /api/login/', () => {
  let service: TestService;
  let browser: Browser;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web', TAPLINE_LOGIN_ATTEMPTS_PER_MINUTE: '50' });
  });
  after(() => service?.stop());
  beforeEach(() => void (browser = new Browser(service.url)));

  it('answers 302 to next with three cookies and the name of the session cookie', async () => {
    await browser.get('/api/');
    const before = browser.csrf;
    const page = await browser.login('admin', adminPassword, '/api/v2/config/');
    expect(page.status).to.equal(302);
    expect(page.location).to.equal('/api/v2/config/');
    expect(page.text).to.equal('');
    expect(page.headers['x-api-session-cookie-name']).to.equal('tapline_sessionid');
    expect(page.headers['session-timeout']).to.equal('1800');
    expect(page.setCookies.tapline_sessionid).to.match(
      /^tapline_sessionid=[\w-]{43}; Path=\/; SameSite=Lax; Max-Age=1800; HttpOnly$/,
    );
    expect(page.setCookies.csrftoken).to.match(/^csrftoken=[\w-]{43}; Path=\/; SameSite=Lax$/);
    expect(page.setCookies.userLoggedIn).to.equal('userLoggedIn=true; Path=/; SameSite=Lax');
    expect(browser.csrf).to.not.equal(before);
    const { status, body } = await browser.get('/api/v2/me/');
    expect([status, body.results[0].username]).to.deep.equal([200, 'admin']);
  });

  it('takes JSON from a client that never fetched a cookie', async () => {
    const page = await browser.send('POST', '/api/login/', { json: { username: 'admin', password: adminPassword } });
    expect([page.status, page.location]).to.deep.equal([302, '/api/']);
    expect((await browser.get('/api/v2/me/')).status).to.equal(200);
  });

  it('takes the form of its own page', async () => {
    const page = await browser.get('/api/login/?next=/api/v2/jobs/%3Fstatus%3Dfailed');
    const fields = formFields(page.text);
    expect(fields).to.deep.equal({
      csrfmiddlewaretoken: browser.csrf,
      next: '/api/v2/jobs/?status=failed',
      username: '',
      password: '',
    });
    const answer = await browser.send('POST', '/api/login/', {
      form: { ...fields, username: 'admin', password: adminPassword },
    });
    expect([answer.status, answer.location]).to.deep.equal([302, '/api/v2/jobs/?status=failed']);
  });

  for (const [what, username, password] of [
    ['a wrong password', 'admin', 'wrong'],
    ['an unknown user', 'nobody', 'wrong'],
    ['no password', 'admin', ''],
    ['no user name', '', 'x'],
    ['NUL in the name', 'ad\0min', adminPassword],
    ['NUL in the password', 'admin', `${adminPassword}\0`],
    ['a very long name', 'x'.repeat(20_000), 'x'],
  ] as const) {
    it(`answers 401 with the form to ${what}, and no session`, async () => {
      const page = await browser.login(username, password);
      expect(page.status).to.equal(401);
      expect(page.headers['content-type']).to.include('text/html');
      expect(page.headers['www-authenticate']).to.match(/^Bearer /);
      expect(page.setCookies).to.not.have.any.keys('tapline_sessionid', 'userLoggedIn');
      expect(formFields(page.text).csrfmiddlewaretoken).to.equal(browser.csrf);
      expect(page.text).to.include('role="alert"').and.not.include(adminPassword);
    });
  }

  it('says the same of an unknown user, a wrong password and a user switched off', async () => {
    await service.post('users/', { username: 'off', password: 'off-password' });
    await service.services.db('users').where({ username: 'off' }).update({ is_active: false });
    const pages = await Promise.all(
      [
        ['nobody', 'off-password'],
        ['admin', 'wrong'],
        ['off', 'off-password'],
      ].map(async ([username, password]) => {
        const { status, text } = await new Browser(service.url).login(username!, password!);
        return `${status} ${text.replace(/value="[^"]*"/g, '')}`;
      }),
    );
    expect(new Set(pages).size).to.equal(1);
  });

  it('answers JSON to JSON', async () => {
    const page = await browser.send('POST', '/api/login/', { json: { username: 'admin', password: 'wrong' } });
    expect([page.status, page.body]).to.deep.equal([401, { detail: 'Authentication credentials were not provided.' }]);
  });

  it('repeats no markup that came in', async () => {
    const page = await browser.login('"><script>alert(1)</script>', 'x', '/"><script>');
    expect(page.status).to.equal(401);
    expect(page.text).to.not.include('<script');
    expect(formFields(page.text).username).to.equal('"><script>alert(1)</script>');
  });

  for (const [what, sent, status] of [
    ['a body that is no form and no JSON', { form: '<a/>', headers: { 'content-type': 'application/xml' } }, 415],
    [
      'text/plain, which a foreign page may send',
      { form: '{"username":"admin"}', headers: { 'content-type': 'text/plain' } },
      415,
    ],
    ['broken JSON', { form: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['a JSON list', { json: [] }, 400],
    ['a body that is too large', { form: 'x'.repeat(70_000) }, 413],
    ['lists and objects for texts', { json: { username: ['admin'], password: { a: 1 } } }, 401],
    ['an empty body', {}, 403],
  ] as const) {
    it(`answers ${status} to ${what}`, async () => {
      expect((await browser.send('POST', '/api/login/', sent)).status).to.equal(status);
    });
  }

  it('offers GET and POST, and redirects to its slash', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const page = await browser.send(method, '/api/login/');
      expect([page.status, page.headers.allow]).to.deep.equal([405, 'GET, POST, HEAD, OPTIONS']);
    }
    expect((await browser.send('OPTIONS', '/api/login/')).status).to.equal(200);
    expect((await browser.send('HEAD', '/api/login/')).status).to.equal(200);
    const { status, location } = await browser.get('/api/login?next=/x');
    expect([status, location]).to.deep.equal([301, '/api/login/?next=/x']);
  });

  it('forgets the session that the caller had before', async () => {
    await browser.login('admin', adminPassword);
    const old = browser.sessionId;
    await browser.login('admin', adminPassword);
    expect(browser.sessionId).to.not.equal(old);
    expect((await new Browser(service.url).get('/api/v2/me/', { cookie: `tapline_sessionid=${old}` })).status).to.equal(
      401,
    );
  });

  it('never adopts a session id that the caller brought (fixation)', async () => {
    const planted = 'A'.repeat(43);
    browser.cookies.set('tapline_sessionid', planted);
    await browser.login('admin', adminPassword);
    expect(browser.sessionId)
      .to.match(/^[\w-]{43}$/)
      .and.not.equal(planted);
    expect(
      (await new Browser(service.url).get('/api/v2/me/', { cookie: `tapline_sessionid=${planted}` })).status,
    ).to.equal(401);
  });
});

describe('GET /api/login/', () => {
  let service: TestService;
  let browser: Browser;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web' });
    browser = new Browser(service.url);
  });
  after(() => service?.stop());

  it('is a labelled form without scripts, under a policy that allows none', async () => {
    const page = await browser.get('/api/login/', { accept: 'text/html' });
    expect(page.status).to.equal(200);
    for (const id of ['username', 'password'])
      expect(page.text)
        .to.match(new RegExp(`<label for="${id}">`))
        .and.match(new RegExp(`<input id="${id}"`));
    expect(page.text)
      .to.include('<html lang="en">')
      .and.not.match(/<script|\son\w+=|style="/);
    expect(page.headers['content-security-policy']).to.match(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(page.headers['cache-control']).to.equal('no-store');
    // otherwise a browser's form would send `Origin: null`
    expect(page.headers['referrer-policy']).to.equal('same-origin');
  });

  it('answers 406 where HTML is not wanted', async () => {
    expect((await browser.get('/api/login/', { accept: 'application/json' })).status).to.equal(406);
    expect((await browser.get('/api/login/', { accept: '*/*' })).status).to.equal(200);
  });

  it('keeps a CSRF cookie that is there and replaces a malformed one', async () => {
    const kept = browser.csrf;
    await browser.get('/api/login/');
    expect(browser.csrf).to.equal(kept);
    browser.cookies.set('csrftoken', 'x');
    await browser.get('/api/');
    expect(browser.csrf).to.match(/^[\w-]{43}$/);
  });
});

describe('failed logins', () => {
  it('count together with those of Basic, and answer 429 with the form', async () => {
    const service = await startService({ TAPLINE_ROLES: 'web', TAPLINE_LOGIN_ATTEMPTS_PER_MINUTE: '4' });
    try {
      const browser = new Browser(service.url);
      for (const _ of [1, 2]) expect((await service.get('me/', { auth: 'admin:wrong' })).status).to.equal(401);
      for (const _ of [1, 2]) expect((await browser.login('admin', 'wrong')).status).to.equal(401);
      const late = await browser.login('admin', adminPassword);
      expect([late.status, late.headers['content-type']]).to.deep.equal([429, 'text/html; charset=utf-8']);
      expect(Number(late.headers['retry-after'])).to.be.within(1, 60);
      expect(late.setCookies).to.not.have.property('tapline_sessionid');
      expect((await service.get('me/')).status).to.equal(429);
      expect((await new Browser(service.url).login('other', 'x')).status, 'another name').to.equal(401);
    } finally {
      await service.stop();
    }
  });
});
