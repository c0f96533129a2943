import { expect } from 'chai';
import { hashPassword } from '../../core/accounts/password.ts';
import { type Api, type Client, basic, startApi } from '../support/api.ts';

describe('tokens', () => {
  let api: Api;
  let user: Client;
  let userId: number;
  before(async () => {
    api = await startApi();
    [{ id: userId }] = await api
      .db('users')
      .insert({ username: 'ann', password: await hashPassword('ann') })
      .returning('id');
    user = api.as(basic('ann', 'ann'));
  });
  after(() => api?.stop());
  const bearer = (token: string) => api.as(`Bearer ${token}`);

  it('are shown once, and asterisks afterwards', async () => {
    const { status, body, headers } = await user('POST', '/api/v2/tokens/', {
      description: 'ci',
      application: null,
      scope: 'write',
    });
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(`/api/v2/tokens/${body.id}/`);
    expect(body).to.include({
      type: 'o_auth2_access_token',
      scope: 'write',
      user: userId,
      application: null,
      refresh_token: null,
      description: 'ci',
    });
    expect(body.token).to.match(/^svc_[\w-]{43}$/);
    expect(body.summary_fields.user).to.deep.equal({ id: userId, username: 'ann', first_name: '', last_name: '' });
    expect((await user('GET', body.url)).body.token).to.equal('************');
    expect((await user('GET', '/api/v2/tokens/')).text).not.to.include(body.token);
    expect((await user('PATCH', body.url, { description: 'x' })).body.token).to.equal('************');
    expect(JSON.stringify(await api.db('tokens'))).not.to.include(body.token);
  });

  it('log in, and note their use', async () => {
    const { body } = await user('POST', '/api/v2/tokens/', {});
    expect((await bearer(body.token)('GET', '/api/v2/me/')).body.results[0].username).to.equal('ann');
    expect((await api.db('tokens').where({ id: body.id }).first()).last_used).to.be.a('string');
  });

  it('are the own ones of whoever asks, below any user that is seen; for others only superusers make them', async () => {
    const admin = await api.db('users').where({ username: 'admin' }).first();
    const mine = await user('POST', `/api/v2/users/${admin.id}/personal_tokens/`, {});
    expect([mine.status, mine.body.user]).to.deep.equal([201, userId]);
    expect((await user('POST', `/api/v2/users/${admin.id}/tokens/`, {})).status).to.equal(403);
    const given = await api.admin('POST', `/api/v2/users/${userId}/tokens/`, {});
    expect([given.status, given.body.user]).to.deep.equal([201, userId]);
  });

  it('of scope read may only read', async () => {
    const { body } = await user('POST', '/api/v2/tokens/', { scope: 'read' });
    expect((await bearer(body.token)('GET', '/api/v2/tokens/')).status).to.equal(200);
    expect((await bearer(body.token)('POST', '/api/v2/tokens/', {})).status).to.equal(403);
  });

  for (const scope of ['', 'admin', 'read read', 'read,write', 'write admin', 5, null]) {
    it(`refuses the scope ${JSON.stringify(scope)}`, async () => {
      const { status, body } = await user('POST', '/api/v2/tokens/', { scope });
      expect(status).to.equal(400);
      expect(body).to.have.property('scope');
    });
  }

  it('accepts read and write together', async () => {
    expect((await user('POST', '/api/v2/tokens/', { scope: 'read write' })).body.scope).to.equal('read write');
  });

  it('end with their time, their user, or by deletion', async () => {
    const { body } = await user('POST', '/api/v2/tokens/', {});
    await api.db('tokens').where({ id: body.id }).update({ expires: '2001-01-01' });
    expect((await bearer(body.token)('GET', '/api/v2/me/')).status).to.equal(401);
    await api.db('tokens').where({ id: body.id }).update({ expires: '2999-01-01' });
    await api.db('users').where({ id: userId }).update({ is_active: false });
    expect((await bearer(body.token)('GET', '/api/v2/me/')).status).to.equal(401);
    await api.db('users').where({ id: userId }).update({ is_active: true });
    expect((await bearer(body.token)('GET', '/api/v2/me/')).status).to.equal(200);
    expect((await user('DELETE', body.url)).status).to.equal(204);
    expect((await bearer(body.token)('GET', '/api/v2/me/')).status).to.equal(401);
  });

  it('are made below the user too, by name, as the command line client does', async () => {
    const { status, body } = await user('POST', '/api/v2/users/ann/personal_tokens/', {
      description: 'cli',
      application: null,
      scope: 'write',
    });
    expect(status).to.equal(201);
    expect((await bearer(body.token)('GET', '/api/v2/me/')).body.results[0].id).to.equal(userId);
    expect((await user('GET', `/api/v2/users/${userId}/personal_tokens/`)).body.count).to.be.greaterThan(0);
  });

  it('for another user are for superusers only', async () => {
    const [{ id: other }] = await api
      .db('users')
      .insert({ username: 'bob', password: await hashPassword('bob') })
      .returning('id');
    expect((await user('POST', `/api/v2/users/${other}/tokens/`, {})).status).to.equal(404);
    const { status, body } = await api.admin('POST', `/api/v2/users/${other}/tokens/`, {});
    expect(status).to.equal(201);
    expect(body.user).to.equal(other);
    expect((await bearer(body.token)('GET', '/api/v2/me/')).body.results[0].username).to.equal('bob');
    expect((await user('GET', body.url)).status, 'a token of somebody else').to.equal(404);
    expect(
      (await user('POST', '/api/v2/tokens/', { user: other })).body.user,
      'the body does not name the owner',
    ).to.equal(userId);
  });

  it('cannot be searched for', async () => {
    for (const query of ['token=x', 'token__startswith=a', 'order_by=token'])
      expect((await user('GET', `/api/v2/tokens/?${query}`)).status, query).to.equal(403);
  });

  it('do not appear in the log', async () => {
    const { body } = await user('POST', '/api/v2/tokens/', {});
    await bearer(body.token)('GET', '/api/v2/me/');
    expect(api.logged()).not.to.include(body.token);
  });
});
