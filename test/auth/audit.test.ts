import { expect } from 'chai';
import type { AuditEntry } from '../../core/http/auth/audit.ts';
import { createAudit } from '../../core/http/auth/audit.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { Browser } from './browser.ts';

describe('the audit of logins and tokens', () => {
  let service: TestService;
  const entries: AuditEntry[] = [];
  before(async () => {
    service = await startService({
      TAPLINE_ROLES: 'web',
      TAPLINE_LOGIN_ATTEMPTS_PER_MINUTE: '2',
      TAPLINE_SESSIONS_PER_USER: '1',
    });
    // the service's own sink writes to the log, which is silent here
    const { log } = service.services;
    log.level = 'info';
    Object.assign(log, { info: (entry: any) => void (entry?.audit && entries.push(entry)) });
  });
  after(() => service?.stop());
  beforeEach(() => void (entries.length = 0));

  it('names who logged in and out, from where and in which session', async () => {
    const browser = new Browser(service.url);
    await browser.login('admin', adminPassword);
    await browser.change('POST', '/api/logout/');
    expect(entries.map(({ action }) => action)).to.deep.equal(['login', 'logout']);
    expect(entries[0]).to.include({ audit: true, user_id: 1, username: 'admin', ip: '127.0.0.1', via: 'session' });
    expect(entries[0]!.session_id).to.be.a('number').and.equal(entries[1]!.session_id);
  });

  it('names failed attempts by any way, and those that came too often, without a password', async () => {
    await new Browser(service.url).login('mallory', 'guess-1');
    await service.get('me/', { auth: 'mallory:guess-2' });
    await new Browser(service.url).login('mallory', 'guess-3');
    expect(entries.map(({ action, via }) => `${action} ${via}`)).to.deep.equal([
      'login_failed session',
      'login_failed basic',
      'login_throttled session',
    ]);
    expect(entries.every(({ user_id, username }) => user_id === null && username === 'mallory')).to.equal(true);
    expect(JSON.stringify(entries)).to.not.include('guess');
  });

  it('names sessions that gave way to a newer one', async () => {
    for (const _ of [1, 2]) await new Browser(service.url).login('admin', adminPassword);
    expect(entries.map(({ action }) => action)).to.deep.equal(['login', 'login', 'sessions_dropped']);
  });

  it('names tokens of applications, given, renewed, used twice and revoked, none of them itself', async () => {
    const base = { name: 'app', organization: 1, client_type: 'confidential', authorization_grant_type: 'password' };
    const { client_id, client_secret, id } = (await service.post('applications/', base)).body;
    const send = (path: string, form: object) =>
      new Browser(service.url).send('POST', path, { form: { client_id, client_secret, ...form } });
    const first = (await send('/api/o/token/', { grant_type: 'password', username: 'admin', password: adminPassword }))
      .body;
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    const second = (await send('/api/o/token/', refresh)).body;
    await send('/api/o/token/', refresh);
    const third = (await send('/api/o/token/', { grant_type: 'password', username: 'admin', password: adminPassword }))
      .body;
    await send('/api/o/revoke_token/', { token: third.access_token });
    expect(entries.map(({ action }) => action)).to.deep.equal([
      'token_issued',
      'token_refreshed',
      'token_reused',
      'token_issued',
      'token_revoked',
    ]);
    expect(entries.every((entry) => entry.application_id === id && entry.user_id === 1)).to.equal(true);
    for (const secret of [first.access_token, second.refresh_token, client_secret])
      expect(JSON.stringify(entries)).to.not.include(secret);
  });

  it('is a line of the log', () => {
    const lines: unknown[][] = [];
    createAudit({ log: { info: (...line: unknown[]) => void lines.push(line) } as any })({
      action: 'login_failed',
      user_id: null,
      username: 'x',
      ip: '::1',
    });
    expect(lines).to.deep.equal([
      [{ audit: true, action: 'login_failed', user_id: null, username: 'x', ip: '::1' }, 'login failed'],
    ]);
  });
});
