import { expect } from 'chai';
import type { AuditEntry } from '../../core/accounts/audit.ts';
import { createFailureGate } from '../../core/accounts/audit-stream.ts';
import { createAudit } from '../../core/accounts/audit.ts';
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

  const stream = async (query: string, auth?: string) =>
    (await service.get(`activity_stream/?order_by=-id&${query}`, auth ? { auth } : {})).body.results;

  it('stands in the activity stream: logins, logouts and failed ones', async () => {
    const browser = new Browser(service.url);
    await browser.login('admin', adminPassword);
    await browser.change('POST', '/api/logout/');
    await new Browser(service.url).login('nobody there', 'guess-4');
    const entries = await stream('page_size=4');
    const [failed, logout, login] = ['login_failed', 'logout', 'login'].map((action) =>
      entries.find(({ changes }: any) => changes.action === action),
    );
    expect(failed).to.deep.include({ operation: 'create', object1: 'login_failure' });
    expect(failed.changes).to.include({ action: 'login_failed', username: 'nobody there', ip: '127.0.0.1' });
    expect(failed.summary_fields).to.not.have.property('actor');
    expect(login).to.deep.include({ operation: 'create', object1: 'session' });
    expect(logout).to.deep.include({ operation: 'delete', object1: 'session' });
    expect(login.changes).to.include({ action: 'login', via: 'session', id: logout.changes.id });
    expect(login.summary_fields.actor.username).to.equal('admin');
    expect(login.summary_fields.session).to.deep.equal([{ id: login.changes.id, name: 'admin' }]);
  });

  it('stands in the activity stream: tokens of applications, and changed passwords', async () => {
    const [revoked, issued] = await stream('object1=o_auth2_access_token');
    expect([issued.operation, revoked.operation]).to.deep.equal(['create', 'delete']);
    expect(issued.changes.id).to.equal(revoked.changes.id);
    const user = (await service.post('users/', { username: 'changing', password: 'first one' })).body;
    const auth = 'changing:first one';
    await service.request('PATCH', `users/${user.id}/`, { auth, body: { password: 'second one' } });
    const [changed] = await stream('object1=user');
    expect(changed).to.deep.include({ operation: 'update', changes: { password: ['hidden', 'hidden'] } });
    expect(changed.summary_fields.actor.username).to.equal('changing');
  });

  it('writes one failure of an address and name a minute into the stream, and survives any name', async () => {
    const name = 'odd\0\ud800';
    for (const _ of [1, 2, 3]) await new Browser(service.url).login(name, 'guess-5');
    const found = await stream('object1=login_failure');
    expect(found.filter(({ changes }: any) => changes.username.startsWith('odd'))).to.have.lengthOf(1);
    expect(found[0].changes.action).to.equal('login_failed');
    await new Browser(service.url).login('next', 'guess-6');
    const [next] = await stream('object1=login_failure');
    expect(next.changes).to.include({ username: 'next', left_out: 2 });
  });

  it('shows logins to the user, to who administers or audits an organization of the user, and to no one else', async () => {
    const make = async (username: string) =>
      (await service.post('users/', { username, password: `pass of ${username}` })).body.id;
    const organization = (await service.post('organizations/', { name: 'watched' })).body;
    const roles = organization.summary_fields.object_roles;
    const give = (role: string, id: number) => service.post(`roles/${roles[role].id}/users/`, { id });
    await give('member_role', await make('member'));
    await give('admin_role', await make('keeper'));
    await give('auditor_role', await make('reader'));
    await make('stranger');
    await give('member_role', await make('colleague'));
    await new Browser(service.url).login('member', 'pass of member');
    await new Browser(service.url).login('member', 'wrong');
    for (const [name, sees] of [
      ['member', true],
      ['keeper', true],
      ['reader', true],
      ['colleague', false],
      ['stranger', false],
    ] as const) {
      const seen = await stream('object1__in=session,login_failure', `${name}:pass of ${name}`);
      const about = seen.map(({ object1 }: any) => object1);
      expect(about, name).to.deep.equal(sees ? ['login_failure', 'session'] : []);
    }
  });

  it('lets no flood of failures into the stream', () => {
    let now = 0;
    const admit = createFailureGate(() => now);
    const admitted = Array.from({ length: 500 }, (_, index) => admit(`address ${index}`)).filter(
      (told) => told !== null,
    );
    expect(admitted).to.have.lengthOf(60);
    now += 60_000;
    expect(admit('address 0')).to.equal(440);
    expect(admit('address 1')).to.equal(0);
  });

  it('is a line of the log', () => {
    const lines: unknown[][] = [];
    void createAudit({ log: { info: (...line: unknown[]) => void lines.push(line) } as any })({
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
