import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { Browser } from './browser.ts';

describe('clients at their start', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web' });
  });
  after(() => service?.stop());

  it('the command line client logs in by session and works', async () => {
    const cli = new Browser(service.url);
    expect((await cli.get('/api/')).body.available_versions).to.deep.equal({ v2: '/api/v2/' });
    expect((await cli.get('/api/v2/')).body).to.include({
      applications: '/api/v2/applications/',
      tokens: '/api/v2/tokens/',
    });
    await cli.get('/api/');
    const headers = { 'x-csrftoken': cli.csrf, referer: `${service.url}/api/login/` };
    const login = await cli.send('POST', '/api/login/', {
      form: { username: 'admin', password: adminPassword, next: '/api/' },
      headers,
    });
    expect([login.status, login.location, login.headers['x-api-session-cookie-name']]).to.deep.equal([
      302,
      '/api/',
      'tapline_sessionid',
    ]);
    expect((await cli.get('/api/')).status).to.equal(200);
    expect((await cli.send('OPTIONS', '/api/v2/organizations/')).headers.allow).to.equal('GET, POST, HEAD, OPTIONS');
    expect((await cli.send('OPTIONS', '/api/v2/organizations/1/')).status).to.equal(200);
    const referer = { referer: `${service.url}/api/v2/organizations/` };
    const made = await cli.change('POST', '/api/v2/organizations/', { name: 'by session' }, referer);
    expect(made.status).to.equal(201);
    expect((await cli.change('PATCH', made.body.url, { description: 'd' }, referer)).status).to.equal(200);
    expect((await cli.change('DELETE', made.body.url, undefined, referer)).status).to.equal(204);
  });

  it('the command line client logs in for a token', async () => {
    const cli = new Browser(service.url);
    const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
    for (const path of ['/api/gateway/v1/tokens/', '/o/token/']) {
      expect((await cli.send('POST', path, { json: {}, headers: { authorization } })).status, path).to.equal(404);
    }
    const { status, body } = await cli.send('POST', '/api/v2/users/admin/personal_tokens/', {
      json: { scope: 'write' },
      headers: { authorization },
    });
    expect(status).to.equal(201);
    expect((await cli.get('/api/v2/me/', { authorization: `Bearer ${body.token}` })).status).to.equal(200);
  });

  it('the collection fetches a token, uses and returns it', async () => {
    const { status, body } = await service.post('tokens/', {
      description: 'module',
      application: null,
      scope: 'write',
    });
    expect(status).to.equal(201);
    expect((await service.post('organizations/', { name: 'by token' }, { auth: body.token })).status).to.equal(201);
    expect((await service.request('DELETE', `tokens/${body.id}/`)).status).to.equal(204);
    expect((await service.get('me/', { auth: body.token })).status).to.equal(401);
  });

  it('the web client logs in with the form and lands on the page it named', async () => {
    const web = new Browser(service.url);
    expect((await web.get('/api/login/', { accept: 'text/html,*/*' })).status).to.equal(200);
    const page = await web.login('admin', adminPassword, '/api/v2/config/');
    expect(page.location).to.equal('/api/v2/config/');
    const config = await web.get('/api/v2/config/');
    expect([config.status, config.headers['session-timeout']]).to.deep.equal([200, '1800']);
    expect(web.cookies.get('userLoggedIn')).to.equal('true');
    await web.change('POST', '/api/logout/');
    expect(web.cookies.get('userLoggedIn')).to.equal('false');
  });

  describe('a WebSocket in a session', () => {
    const messages = new WeakMap<WebSocket, any[]>();
    async function open(browser: Browser, headers: Record<string, string> = {}): Promise<WebSocket> {
      const cookie = `tapline_sessionid="${browser.sessionId}"; csrftoken=${browser.csrf}`;
      const socket = new WebSocket(`${service.url.replace('http', 'ws')}/websocket/`, {
        headers: { cookie, ...headers },
      });
      const seen: any[] = [];
      messages.set(socket, seen);
      socket.on('message', (data) => seen.push(JSON.parse(String(data))));
      await once(socket, 'open');
      return socket;
    }
    const next = (socket: WebSocket, key: string) =>
      until(() => messages.get(socket)!.find((message) => key in message));

    it('opens, and listens to who repeats the CSRF token', async () => {
      const browser = new Browser(service.url);
      await browser.login('admin', adminPassword);
      const socket = await open(browser, { origin: service.url });
      expect(await next(socket, 'accept')).to.deep.equal({ accept: true, user: 1 });
      socket.send(JSON.stringify({ xrftoken: 'A'.repeat(43), groups: { jobs: ['status_changed'] } }));
      expect((await next(socket, 'error')).error).to.include('access denied');
      socket.send(JSON.stringify({ xrftoken: browser.csrf, groups: { jobs: ['status_changed'] } }));
      expect((await next(socket, 'groups_current')).groups_current).to.deep.equal(['jobs-status_changed']);
      socket.close();
    });

    it('opens for pages of the origins that are trusted', async () => {
      const browser = new Browser(service.url);
      await browser.login('admin', adminPassword);
      await service.request('PATCH', 'settings/system/', { body: { CSRF_TRUSTED_ORIGINS: ['https://*.example.org'] } });
      const socket = await open(browser, { origin: 'https://portal.example.org' });
      expect(await next(socket, 'accept')).to.deep.equal({ accept: true, user: 1 });
      socket.close();
      await service.request('DELETE', 'settings/system/');
    });

    it('tells the page of a session that gave way to a newer one, and no other', async () => {
      const limit = (body: object) => service.request('PATCH', 'settings/authentication/', { body });
      const [older, newer] = [new Browser(service.url), new Browser(service.url)];
      await older.login('admin', adminPassword);
      const socket = await open(older);
      await next(socket, 'accept');
      // as web clients ask, whoever they are
      socket.send(JSON.stringify({ xrftoken: older.csrf, groups: { control: ['limit_reached_1'] } }));
      await next(socket, 'groups_current');
      await limit({ SESSIONS_PER_USER: 1 });
      await newer.login('admin', adminPassword);
      expect(await next(socket, 'reason')).to.deep.equal({ group_name: 'control', reason: 'limit_reached' });
      const present = await open(newer);
      present.send(JSON.stringify({ xrftoken: newer.csrf, groups: { control: ['limit_reached_1'] } }));
      await next(present, 'groups_current');
      await limit({ SESSIONS_PER_USER: 2 });
      await new Browser(service.url).login('admin', adminPassword);
      present.send(JSON.stringify({ xrftoken: newer.csrf, groups: {} }));
      await until(() => messages.get(present)!.find((message) => message.groups_left?.length));
      expect(messages.get(present)!.filter((message) => 'reason' in message)).to.deep.equal([]);
      await limit({ SESSIONS_PER_USER: -1 });
      for (const one of [socket, present]) one.close();
    });

    it('does not put off the end of the session', async () => {
      const browser = new Browser(service.url);
      await browser.login('admin', adminPassword);
      const sessions = () => service.services.db('sessions').orderBy('id', 'desc').first();
      const { id } = await sessions();
      await service.services
        .db('sessions')
        .where({ id })
        .update({ last_seen: service.services.db.raw(`now() - interval '10 min'`) });
      const before = await sessions();
      (await open(browser)).close();
      expect(await sessions()).to.deep.equal(before);
    });

    it('is refused to foreign pages and dead sessions', async () => {
      const browser = new Browser(service.url);
      await browser.login('admin', adminPassword);
      const refusal = (headers: Record<string, string>) =>
        open(browser, headers).then(
          () => 'opened',
          (error: Error) => error.message,
        );
      expect(await refusal({ origin: 'http://evil.example' })).to.include('403');
      const { sessionId } = browser;
      await browser.change('POST', '/api/logout/');
      browser.cookies.set('tapline_sessionid', sessionId);
      expect(await refusal({})).to.include('403');
    });
  });
});
