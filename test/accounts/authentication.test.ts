import { expect } from 'chai';
import { hashPassword, verifyPassword } from '../../core/accounts/password.ts';
import { type Api, adminPassword, basic, startApi } from '../support/api.ts';

describe('passwords', () => {
  it('are hashed with argon2id in the PHC form and verified', async () => {
    const hash = await hashPassword('ümläut');
    expect(hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verifyPassword(hash, 'ümläut')).to.equal(true);
    expect(await verifyPassword(hash, 'ümlaut')).to.equal(false);
  });

  it('never fit an account without a usable hash', async () => {
    for (const stored of ['', null, undefined, 'plain', '$argon2id$v=19$m=1,t=1,p=1$x$y'])
      expect(await verifyPassword(stored, 'plain')).to.equal(false);
  });
});

describe('authentication', () => {
  let api: Api;
  before(async () => void (api = await startApi({ LOGIN_ATTEMPTS_PER_MINUTE: '5' })));
  after(() => api?.stop());
  const me = (authorization?: string) => api.as(authorization)('GET', '/api/v2/me/');
  const count = async () => (await api.db('login_attempts').sum('points as sum').first())!.sum as number | null;

  it('asks for credentials with a Bearer challenge, never with Basic', async () => {
    const { status, body, headers } = await me();
    expect(status).to.equal(401);
    expect(body).to.deep.equal({ detail: 'Authentication credentials were not provided.' });
    expect(headers.get('www-authenticate')).to.equal('Bearer realm="api"');
  });

  it('knows the caller by Basic, with every character a password may hold', async () => {
    const { status, body } = await me(basic('admin', adminPassword));
    expect(status).to.equal(200);
    expect(body).to.include({ count: 1 });
    expect(body.results[0]).to.include({ username: 'admin', password: '$encrypted$', type: 'user' });
  });

  it('answers a wrong password like missing credentials', async () => {
    const { status, body } = await me(basic('admin', 'wrong'));
    expect(status).to.equal(401);
    expect(body).to.deep.equal({ detail: 'Authentication credentials were not provided.' });
  });

  for (const value of [
    'Basic',
    'Basic ',
    'Basic !!!',
    'Basic YWRtaW4',
    'Basic Og==',
    `Basic ${Buffer.from('a\0b:c').toString('base64')}`,
    'Bearer',
    'Bearer x',
    'Bearer svc_',
    `Bearer ${'a'.repeat(8000)}`,
    'Digest a="b"',
    ',',
    'Basic a b',
    "Bearer ' or 1=1 --",
    `Basic ${Buffer.from([0xff, 0xfe, 58, 0xff]).toString('base64')}`,
  ]) {
    it(`answers 401 to the header ${JSON.stringify(value.slice(0, 30))}`, async () => {
      expect((await me(value)).status).to.equal(401);
    });
  }

  it('asks for the hash once for many requests, and counts no success', async () => {
    await api.db('login_attempts').delete();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => api.as(basic('admin', adminPassword))('GET', '/api/v2/me/')),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(30).fill(200));
    expect(Number((await count()) ?? 0)).to.equal(0);
  });

  it('refuses further failures from one address with 429, also sent at once, and no other user', async () => {
    await api.db('users').insert({ username: 'other', password: await hashPassword('other') });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => me(basic('other', `wrong ${index}`))));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).to.deep.equal([...Array(5).fill(401), ...Array(7).fill(429)]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(refused.headers.get('ratelimit-policy')).to.equal('"login";q=5;w=60');
    expect((await me(basic('other', 'other'))).status, 'the right password has to wait as well').to.equal(429);
    expect((await me(basic('admin', adminPassword))).status).to.equal(200);
  });

  it('throttles an unknown user in the same way', async () => {
    const statuses = [];
    for (let index = 0; index < 7; index++) statuses.push((await me(basic('nobody', 'x'))).status);
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429]);
  });

  it('forgets a remembered pair when the password changes, the user is switched off, or renamed', async () => {
    const [{ id }] = await api
      .db('users')
      .insert({ username: 'brief', password: await hashPassword('one') })
      .returning('id');
    const login = async (name: string, password: string) => (await me(basic(name, password))).status;
    expect(await login('brief', 'one')).to.equal(200);
    expect((await api.admin('PATCH', `/api/v2/users/${id}/`, { password: 'two' })).status).to.equal(200);
    expect(await login('brief', 'one')).to.equal(401);
    expect(await login('brief', 'two')).to.equal(200);
    await api.db('users').where({ id }).update({ is_active: false });
    expect(await login('brief', 'two')).to.equal(401);
    await api.db('users').where({ id }).update({ is_active: true, username: 'renamed' });
    expect(await login('brief', 'two')).to.equal(401);
    expect(await login('renamed', 'two')).to.equal(200);
  });

  it('notes the last login, at most once a minute', async () => {
    const read = async () => (await api.db('users').where({ username: 'admin' }).first()).last_login;
    const noted = await read();
    expect(noted).to.be.a('string');
    await me(basic('admin', adminPassword));
    expect(await read()).to.equal(noted);
  });

  it('lets Basic be switched off', async () => {
    const off = await startApi({ AUTH_BASIC_ENABLED: 'false' });
    try {
      expect((await off.admin('GET', '/api/v2/me/')).status).to.equal(401);
    } finally {
      await off.stop();
    }
  });
});
