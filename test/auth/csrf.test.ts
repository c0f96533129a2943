import { expect } from 'chai';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { Browser } from './browser.ts';

const basic = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;

describe('CSRF protection', () => {
  let service: TestService;
  let browser: Browser;
  let other: Browser;
  let host: string;
  let token: string;
  before(async () => {
    service = await startService({
      TAPLINE_ROLES: 'web',
      TAPLINE_CSRF_TRUSTED_ORIGINS: 'https://ui.example,https://*.apps.example:8443',
    });
    host = new URL(service.url).host;
    [browser, other] = [new Browser(service.url), new Browser(service.url)];
    await browser.login('admin', adminPassword);
    await other.login('admin', adminPassword);
    token = (await service.post('tokens/', {})).body.token;
  });
  after(() => service?.stop());

  let count = 0;
  /** A change that a foreign page would like to make. */
  const change = (headers: Record<string, string>, jar = browser) =>
    jar.send('POST', '/api/v2/organizations/', { json: { name: `org ${count++}` }, headers });

  const origin = (scheme: string, name = host) => `${scheme}://${name}`;
  const https = { 'x-forwarded-proto': 'https' };
  const good = () => ({ 'x-csrftoken': browser.csrf });
  const cookie = (csrf: string | null) => ({
    cookie: `tapline_sessionid=${browser.sessionId}${csrf === null ? '' : `; csrftoken=${csrf}`}`,
  });

  const cases: [what: string, status: number, headers: () => Record<string, string>][] = [
    ['the token of the cookie', 201, good],
    ['no token', 403, () => ({})],
    ['an empty token', 403, () => ({ 'x-csrftoken': '' })],
    ['a wrong token', 403, () => ({ 'x-csrftoken': 'A'.repeat(43) })],
    ['a token of another length', 403, () => ({ 'x-csrftoken': 'A' })],
    ['the token of another session', 403, () => ({ 'x-csrftoken': other.csrf })],
    ['the token without its cookie', 403, () => ({ ...good(), ...cookie(null) })],
    [
      'a planted cookie that matches the header',
      403,
      () => ({ 'x-csrftoken': 'A'.repeat(43), ...cookie('A'.repeat(43)) }),
    ],
    [
      "another session's cookie that matches the header",
      403,
      () => ({ 'x-csrftoken': other.csrf, ...cookie(other.csrf) }),
    ],
    [
      'values in double quotes',
      201,
      () => ({ ...good(), cookie: `tapline_sessionid="${browser.sessionId}"; csrftoken="${browser.csrf}"` }),
    ],
    ['our own Origin', 201, () => ({ ...good(), origin: origin('http') })],
    ['our own Origin when TLS ends in front of us unsaid', 201, () => ({ ...good(), origin: origin('https') })],
    ['a foreign Origin', 403, () => ({ ...good(), origin: 'http://evil.example' })],
    ['an Origin that begins like ours', 403, () => ({ ...good(), origin: `${origin('http')}.evil.example` })],
    ['our host at another port', 403, () => ({ ...good(), origin: 'http://127.0.0.1:1' })],
    ['Origin null', 403, () => ({ ...good(), origin: 'null' })],
    [
      'a foreign Origin with our Referer',
      403,
      () => ({ ...good(), origin: 'http://evil.example', referer: `${origin('http')}/` }),
    ],
    ['our own Referer', 201, () => ({ ...good(), referer: `${origin('http')}/page?x#y` })],
    ['a foreign Referer', 403, () => ({ ...good(), referer: 'http://evil.example/' })],
    ['a Referer with our host in its path', 403, () => ({ ...good(), referer: `http://evil.example/${host}` })],
    [
      'a Referer with our host as its user',
      403,
      () => ({ ...good(), referer: `http://${host.split(':')[0]}@evil.example/` }),
    ],
    ['a malformed Referer', 403, () => ({ ...good(), referer: 'x' })],
    ['neither over HTTPS', 403, () => ({ ...good(), ...https })],
    ['our own Referer over HTTPS', 201, () => ({ ...good(), ...https, referer: `${origin('https')}/` })],
    ['a plain HTTP Referer over HTTPS', 403, () => ({ ...good(), ...https, referer: `${origin('http')}/` })],
    ['a plain HTTP Origin over HTTPS', 403, () => ({ ...good(), ...https, origin: origin('http') })],
    ['a trusted origin', 201, () => ({ ...good(), ...https, origin: 'https://ui.example' })],
    ['a trusted origin by plain HTTP', 403, () => ({ ...good(), origin: 'http://ui.example' })],
    ['a host below a trusted domain', 201, () => ({ ...good(), origin: 'https://a.b.apps.example:8443' })],
    ['the trusted domain itself, which was not named', 403, () => ({ ...good(), origin: 'https://apps.example:8443' })],
    ['a host below a trusted domain at another port', 403, () => ({ ...good(), origin: 'https://a.apps.example' })],
    ['a session together with Basic', 403, () => ({ authorization: basic })],
    ['a session together with Basic and the token', 201, () => ({ ...good(), authorization: basic })],
    ['a Bearer token, which comes first', 201, () => ({ authorization: `Bearer ${token}` })],
    [
      'a dead session together with Basic',
      201,
      () => ({ cookie: `tapline_sessionid=${'A'.repeat(43)}`, authorization: basic }),
    ],
  ];
  for (const [what, status, headers] of cases) {
    it(`answers ${status} to a change with ${what}`, async () => {
      const page = await change(headers());
      expect(page.status).to.equal(status);
      if (status === 403) expect(page.body.detail).to.match(/^CSRF Failed: /);
    });
  }

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    it(`holds for ${method}`, async () => {
      const path = method === 'POST' ? '/api/v2/organizations/' : '/api/v2/organizations/1/';
      expect((await browser.send(method, path, { json: {} })).body?.detail).to.match(/^CSRF Failed: /);
    });
  }

  it('asks for nothing on GET, HEAD and OPTIONS, wherever they come from', async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect(
        (await browser.send(method, '/api/v2/me/', { headers: { origin: 'http://evil.example' } })).status,
      ).to.equal(200);
    }
  });

  it('comes before 404 and 405, and after 401', async () => {
    expect((await browser.send('DELETE', '/api/v2/organizations/999999/')).status).to.equal(403);
    expect((await browser.send('DELETE', '/api/v2/me/')).status).to.equal(403);
    expect((await new Browser(service.url).send('POST', '/api/v2/organizations/', { json: {} })).status).to.equal(401);
  });

  it('gives the token of a living session again when its cookie was lost', async () => {
    const { csrf } = browser;
    browser.cookies.delete('csrftoken');
    await browser.get('/api/');
    expect(browser.csrf).to.equal(csrf);
    expect((await change(good())).status).to.equal(201);
  });

  describe('of the login', () => {
    const form = { username: 'admin', password: adminPassword };
    const log = (sent: object, headers: Record<string, string>) =>
      new Browser(service.url).send('POST', '/api/login/', { ...sent, headers });
    const pair = { cookie: `csrftoken=${'B'.repeat(43)}`, 'x-csrftoken': 'B'.repeat(43) };
    const logins: [what: string, status: number, sent: object, headers: () => Record<string, string>][] = [
      ['a form with the token in the header', 302, { form }, () => pair],
      [
        'a form with the token in the field',
        302,
        { form: { ...form, csrfmiddlewaretoken: 'B'.repeat(43) } },
        () => ({ cookie: pair.cookie }),
      ],
      ['a form without a token', 403, { form }, () => ({ cookie: pair.cookie })],
      ['a form without a cookie', 403, { form: { ...form, csrfmiddlewaretoken: 'B'.repeat(43) } }, () => ({})],
      ['a form with another token', 403, { form }, () => ({ ...pair, 'x-csrftoken': 'C'.repeat(43) })],
      ['a form of a foreign page', 403, { form }, () => ({ ...pair, origin: 'http://evil.example' })],
      ['JSON without anything', 302, { json: form }, () => ({})],
      [
        'JSON of our own page',
        302,
        { json: form },
        () => ({ origin: origin('http'), 'sec-fetch-site': 'same-origin' }),
      ],
      ['JSON of a foreign page', 403, { json: form }, () => ({ origin: 'http://evil.example' })],
      ['JSON of a foreign page by Referer', 403, { json: form }, () => ({ referer: 'http://evil.example/' })],
      ['JSON of a page without an origin', 403, { json: form }, () => ({ origin: 'null' })],
      ['JSON that the browser says is cross-site', 403, { json: form }, () => ({ 'sec-fetch-site': 'cross-site' })],
      ['JSON with a wrong token', 403, { json: form }, () => ({ ...pair, 'x-csrftoken': 'C'.repeat(43) })],
    ];
    for (const [what, status, sent, headers] of logins) {
      it(`answers ${status} to ${what}`, async () => {
        const page = await log(sent, headers());
        expect(page.status).to.equal(status);
        expect('tapline_sessionid' in page.setCookies).to.equal(status === 302);
      });
    }
  });

  it('marks the cookies Secure on HTTPS', async () => {
    const secure = new Browser(service.url);
    const entry = await secure.get('/api/', https);
    expect(entry.setCookies.csrftoken).to.match(/; Secure$/);
    const page = await secure.send('POST', '/api/login/', {
      form: { username: 'admin', password: adminPassword },
      headers: { ...https, 'x-csrftoken': secure.csrf, referer: `${origin('https')}/` },
    });
    expect(page.status).to.equal(302);
    for (const text of Object.values(page.setCookies)) expect(text).to.match(/; Secure$/);
  });
});
