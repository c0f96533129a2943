import { expect } from 'chai';
import { hashPassword } from '../../core/accounts/password.ts';
import { type Api, type Client, adminPassword, basic, startApi } from '../support/api.ts';

describe('users', () => {
  let api: Api;
  before(async () => void (api = await startApi()));
  after(() => api?.stop());
  let serial = 0;
  const create = async (extra: object = {}) =>
    (await api.admin('POST', '/api/v2/users/', { username: `user${++serial}`, password: 'first pass', ...extra })).body;
  const clientOf = (user: { username: string }, password = 'first pass'): Client =>
    api.as(basic(user.username, password));

  it('are created by a superuser and shown with a masked password', async () => {
    const { status, body } = await api.admin('POST', '/api/v2/users/', {
      username: 'ünï.c@de+x-1_',
      password: 'canary-password',
      email: 'a@example.org',
      first_name: ' Ann ',
    });
    expect(status).to.equal(201);
    expect(body).to.include({
      type: 'user',
      username: 'ünï.c@de+x-1_',
      password: '$encrypted$',
      email: 'a@example.org',
      first_name: 'Ann',
      is_superuser: false,
      ldap_dn: '',
      external_account: null,
    });
    expect(body.auth).to.deep.equal([]);
    expect(body.related).to.include({ tokens: `${body.url}tokens/`, personal_tokens: `${body.url}personal_tokens/` });
    expect(api.logged()).not.to.include('canary-password');
    expect((await clientOf(body, 'canary-password')('GET', '/api/v2/me/')).status).to.equal(200);
  });

  it('keep a password exactly as it was sent', async () => {
    const user = await create({ password: '  blanks around  ' });
    expect((await clientOf(user, '  blanks around  ')('GET', '/api/v2/me/')).status).to.equal(200);
    expect((await clientOf(user, 'blanks around')('GET', '/api/v2/me/')).status).to.equal(401);
  });

  const refusals: [string, object, string][] = [
    ['no password', { username: 'x1' }, 'password'],
    ['a blank password', { username: 'x1', password: '' }, 'password'],
    ['the mask as password', { username: 'x1', password: '$encrypted$' }, 'password'],
    ['a password that is no text', { username: 'x1', password: { a: 1 } }, 'password'],
    ['a long password', { username: 'x1', password: 'x'.repeat(129) }, 'password'],
    ['NUL in a password', { username: 'x1', password: 'a\0b' }, 'password'],
    ['no name', { password: 'x' }, 'username'],
    ['a blank in the name', { username: 'a b', password: 'x' }, 'username'],
    ['a colon in the name', { username: 'a:b', password: 'x' }, 'username'],
    ['a long name', { username: 'x'.repeat(151), password: 'x' }, 'username'],
    ['a taken name', { username: 'admin', password: 'x' }, 'username'],
    ['a bad address', { username: 'x1', password: 'x', email: 'nobody' }, 'email'],
    ['an unknown language', { username: 'x1', password: 'x', preferred_language: 'xx' }, 'preferred_language'],
  ];
  for (const [what, body, key] of refusals) {
    it(`refuses ${what}`, async () => {
      const answer = await api.admin('POST', '/api/v2/users/', body);
      expect(answer.status).to.equal(400);
      expect(answer.body).to.have.all.keys(key);
    });
  }

  it('says "already exists" for a taken name', async () => {
    expect((await api.admin('POST', '/api/v2/users/', { username: 'admin', password: 'x' })).body.username[0]).to.match(
      /already exists/,
    );
  });

  it('follow the password rules of the settings', async () => {
    const strict = await startApi({
      LOCAL_PASSWORD_MIN_LENGTH: '8',
      LOCAL_PASSWORD_MIN_DIGITS: '2',
      LOCAL_PASSWORD_MIN_UPPER: '1',
      LOCAL_PASSWORD_MIN_SPECIAL: '1',
    });
    try {
      const { status, body } = await strict.admin('POST', '/api/v2/users/', { username: 'x', password: 'abc' });
      expect(status).to.equal(400);
      expect(body.password).to.have.length(4);
      expect((await strict.admin('POST', '/api/v2/users/', { username: 'x', password: 'Abcdef-12' })).status).to.equal(
        201,
      );
    } finally {
      await strict.stop();
    }
  });

  for (const method of ['PUT', 'PATCH']) {
    it(`keep the password on ${method} with "", the mask, or none`, async () => {
      const user = await create();
      for (const password of ['', '$encrypted$', undefined]) {
        const { status } = await api.admin(method, user.url, { username: user.username, password });
        expect(status).to.equal(200);
      }
      expect((await clientOf(user)('GET', '/api/v2/me/')).status).to.equal(200);
    });
  }

  it('cannot be filtered by password', async () => {
    const { status, body } = await api.admin('GET', '/api/v2/users/?password__startswith=$argon');
    expect(status).to.equal(403);
    expect(body.detail).to.equal('Filtering on password is not allowed.');
  });

  describe('an ordinary user', () => {
    it('sees itself and the superusers only', async () => {
      const other = await create();
      const user = await create();
      const client = clientOf(user);
      expect((await client('GET', '/api/v2/users/')).body.results.map(({ id }: any) => id)).to.deep.equal([1, user.id]);
      expect((await client('GET', '/api/v2/users/1/')).status).to.equal(200);
      expect((await client('GET', other.url)).status).to.equal(404);
    });

    it('changes its own name, address and password', async () => {
      const user = await create();
      const changed = await clientOf(user)('PATCH', user.url, {
        first_name: 'New',
        email: 'new@example.org',
        password: 'second',
      });
      expect(changed.status).to.equal(200);
      expect(changed.body).to.include({ first_name: 'New', email: 'new@example.org' });
      expect((await clientOf(user, 'second')('GET', '/api/v2/me/')).status).to.equal(200);
    });

    for (const change of [{ is_superuser: true }, { is_system_auditor: true }, { username: 'boss' }]) {
      const [key] = Object.keys(change);
      it(`may not change its ${key}`, async () => {
        const user = await create();
        const { status, body } = await clientOf(user)('PATCH', user.url, change);
        expect(status).to.equal(403);
        expect(body.detail).to.include(key);
      });
    }

    it('may send back what it read', async () => {
      const user = await create();
      const client = clientOf(user);
      expect((await client('PUT', user.url, (await client('GET', user.url)).body)).status).to.equal(200);
    });

    it('may neither create nor delete users', async () => {
      const user = await create();
      expect((await clientOf(user)('POST', '/api/v2/users/', { username: 'y', password: 'y' })).status).to.equal(403);
      expect((await clientOf(user)('DELETE', user.url)).status).to.equal(403);
    });
  });

  it('cannot delete themselves, nor may the last superuser cease to be one', async () => {
    const [me] = (await api.admin('GET', '/api/v2/me/')).body.results;
    expect((await api.admin('DELETE', me.url)).status).to.equal(403);
    expect((await api.admin('PATCH', me.url, { is_superuser: false })).status).to.equal(400);
    const second = await create({ is_superuser: true });
    expect((await clientOf(second)('PATCH', me.url, { is_superuser: false })).status).to.equal(200);
    expect((await clientOf(second)('PATCH', me.url, { is_superuser: true })).status).to.equal(200);
    expect((await api.admin('DELETE', second.url)).status).to.equal(204);
  });

  it('cannot all vanish when two superusers delete each other at once', async () => {
    const alone = await startApi();
    try {
      const [{ id }] = await alone
        .db('users')
        .insert({ username: 'second', password: await hashPassword('second'), is_superuser: true })
        .returning('id');
      const [first] = (await alone.admin('GET', '/api/v2/me/')).body.results;
      const second = alone.as(basic('second', 'second'));
      await second('GET', '/api/v2/me/');
      await Promise.all([alone.admin('DELETE', `/api/v2/users/${id}/`), second('DELETE', first.url)]);
      expect(await alone.db('users').where({ is_superuser: true })).to.have.length(1);
    } finally {
      await alone.stop();
    }
  });

  it('takes the initial password for changed once it was changed', async () => {
    await api.db('users').where({ username: 'admin' }).update({ initial_password: true });
    await api.admin('PATCH', '/api/v2/users/1/', { first_name: 'A' });
    expect((await api.db('users').where({ username: 'admin' }).first()).initial_password).to.equal(true);
    await api.admin('PATCH', '/api/v2/users/1/', { password: adminPassword });
    expect((await api.db('users').where({ username: 'admin' }).first()).initial_password).to.equal(false);
  });
});
