import { expect } from 'chai';
import { authPaths } from '../../core/http/auth/auth-routes.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { Browser, type Sent } from './browser.ts';

const values = [
  '',
  '\0',
  '\ud800',
  '%',
  '%zz',
  "'",
  '"><x>',
  'a b',
  '[]',
  '-1',
  '9'.repeat(400),
  'x'.repeat(5000),
  '../..',
  '__proto__',
  'ü€😀',
  '\u2028',
];
const names = [
  'username',
  'password',
  'next',
  'csrfmiddlewaretoken',
  'client_id',
  'client_secret',
  'grant_type',
  'code',
  'code_verifier',
  'redirect_uri',
  'scope',
  'state',
  'refresh_token',
  'token',
  'response_type',
  'code_challenge',
  'decision',
];
const json = [
  'null',
  '[]',
  '5',
  '"x"',
  '{',
  '{"username":null}',
  '{"username":{"a":[]}}',
  '{"__proto__":{"x":1}}',
  `${'['.repeat(500)}${']'.repeat(500)}`,
  '{"username":"\\u0000","password":"\\ud800"}',
  'true',
];

describe('bad input at the routes of logins and OAuth', () => {
  let service: TestService;
  let application: { client_id: string; client_secret: string };
  let browser: Browser;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web', TAPLINE_LOGIN_ATTEMPTS_PER_MINUTE: '0' });
    const body = {
      name: 'app',
      organization: 1,
      client_type: 'confidential',
      authorization_grant_type: 'authorization-code',
      redirect_uris: 'https://a.example/',
    };
    application = (await service.post('applications/', body)).body;
    browser = new Browser(service.url);
    await browser.login('admin', adminPassword);
  });
  after(() => service?.stop());

  const routes = Object.entries(authPaths).flatMap(([path, handlers]) =>
    Object.keys(handlers).map((method) => [method, path] as const),
  );
  /** In a session with its token, so that what is behind the first checks is reached; logout would end it. */
  async function send(method: string, path: string, sent: Sent): Promise<void> {
    const sender = path.startsWith('/api/logout/') ? new Browser(service.url) : browser;
    const { status, text } = await sender.send(method, path, {
      ...sent,
      headers: { 'x-csrftoken': sender.csrf, ...sent.headers },
    });
    expect(status, `${method} ${path} ${JSON.stringify(sent).slice(0, 300)}: ${text.slice(0, 200)}`).to.be.within(
      200,
      499,
    );
  }
  const client = () => ({ client_id: application.client_id, client_secret: application.client_secret });

  for (const [method, path] of routes) {
    it(`is never answered with 5xx by ${method} ${path}`, async () => {
      for (const value of values) {
        const form = Object.fromEntries(names.map((name) => [name, value.toWellFormed()]));
        await send(method, `${path}?${new URLSearchParams(form)}`, {});
        if (method === 'GET') continue;
        await send(method, path, { form });
        await send(method, path, { form: { ...form, ...client(), response_type: 'code', username: 'admin' } });
        for (const grant_type of ['password', 'authorization_code', 'refresh_token'])
          await send(method, path, { form: { ...form, ...client(), grant_type } });
        await send(method, path, { json: form });
      }
      if (method === 'GET') return;
      for (const text of json)
        await send(method, path, { form: text, headers: { 'content-type': 'application/json' } });
      for (const text of ['%', '%ff=%fe', 'a[b][c]=1&a[]=2', '&'.repeat(3000), 'username[]=x', '='])
        await send(method, path, { form: text });
      for (const authorization of [
        'Basic',
        'Basic !',
        'Basic Og==',
        `Basic ${Buffer.from('\0:\0').toString('base64')}`,
        'Bearer',
        'Bearer x',
        'x',
        'Digest x=1',
      ]) {
        await send(method, path, { form: {}, headers: { authorization } });
      }
      for (const header of ['origin', 'referer', 'x-forwarded-proto', 'host', 'accept', 'user-agent']) {
        for (const value of ['', 'x', 'null', 'http://', 'http://[', '*', 'https,http'])
          await send(method, path, { form: {}, headers: { [header]: value } });
      }
    });
  }

  it('leaves the routes able to answer what is right', async () => {
    expect((await browser.get('/api/v2/me/')).status).to.equal(200);
    expect((await new Browser(service.url).login('admin', adminPassword)).status).to.equal(302);
  });
});
