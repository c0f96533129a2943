import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';

const asterisks = '************';

describe('applications and their tokens', () => {
  let service: TestService;
  let bob: number;
  let names = 0;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web' });
    bob = (await service.post('users/', { username: 'bob', password: 'bobs-password' })).body.id;
  });
  after(() => service?.stop());

  const asBob = { auth: 'bob:bobs-password' };
  const make = (more: object = {}) =>
    service.post('applications/', {
      name: `app ${names++}`,
      organization: 1,
      client_type: 'confidential',
      authorization_grant_type: 'password',
      ...more,
    });

  describe('an application', () => {
    it('is created with an id and a secret of its own, the secret shown once', async () => {
      const { status, body, headers } = await make({
        description: 'd',
        redirect_uris: ' https://a.example/x   http://127.0.0.1:1/ ',
      });
      expect([status, headers.get('location')]).to.deep.equal([201, body.url]);
      expect(body).to.include({
        type: 'o_auth2_application',
        description: 'd',
        skip_authorization: false,
        organization: 1,
        redirect_uris: 'https://a.example/x http://127.0.0.1:1/',
      });
      expect(body.client_id).to.match(/^[\w-]{40}$/);
      expect(body.client_secret).to.match(/^[\w-]{128}$/);
      expect(body.summary_fields.tokens).to.deep.equal({ count: 0, results: [] });
      expect(body.related).to.include({ tokens: `${body.url}tokens/`, organization: '/api/v2/organizations/1/' });
      expect((await service.get(body.url)).body.client_secret).to.equal(asterisks);
      const stored = await service.services.db('applications').where({ id: body.id }).first();
      expect(JSON.stringify(stored)).to.not.include(body.client_secret);
      expect((await service.request('PATCH', body.url, { body: { name: 'renamed' } })).body.client_secret).to.equal(
        asterisks,
      );
    });

    it('has no secret when it is public, and gets one when it becomes confidential', async () => {
      const { body } = await make({ client_type: 'public' });
      expect(body).to.not.have.property('client_secret');
      const changed = await service.request('PATCH', body.url, { body: { client_type: 'confidential' } });
      expect(changed.body.client_secret).to.match(/^[\w-]{128}$/);
      expect((await service.request('PATCH', body.url, { body: { client_type: 'public' } })).body).to.not.have.property(
        'client_secret',
      );
    });

    for (const [what, body, key] of [
      ['no name', { name: undefined }, 'name'],
      ['no organization', { organization: undefined }, 'organization'],
      ['an unknown organization', { organization: 99_999 }, 'organization'],
      ['an unknown client type', { client_type: 'secret' }, 'client_type'],
      ['an unknown grant', { authorization_grant_type: 'implicit' }, 'authorization_grant_type'],
      ['a code grant without address', { authorization_grant_type: 'authorization-code' }, 'redirect_uris'],
      ['a script for an address', { redirect_uris: 'javascript:alert(1)' }, 'redirect_uris'],
      ['data for an address', { redirect_uris: 'data:text/html,x' }, 'redirect_uris'],
      ['a relative address', { redirect_uris: '/callback' }, 'redirect_uris'],
      ['an address with a fragment', { redirect_uris: 'https://a.example/#x' }, 'redirect_uris'],
      ['an address with a user', { redirect_uris: 'https://a@b.example/' }, 'redirect_uris'],
      ['a scheme that is no domain', { redirect_uris: 'myapp:/x' }, 'redirect_uris'],
    ] as const) {
      it(`is refused with ${what}`, async () => {
        const { status, body: errors } = await make(body);
        expect([status, Object.keys(errors)]).to.deep.equal([400, [key]]);
      });
    }

    it('has a name of its own in its organization', async () => {
      await make({ name: 'twice' });
      const { status, body } = await make({ name: 'twice' });
      expect(status).to.equal(400);
      expect(body.__all__[0]).to.include('already exists');
      expect((await service.get('applications/twice++Default/')).body.name).to.equal('twice');
    });

    it('keeps its id, secret and grant whatever a client sends', async () => {
      const { body } = await make();
      const sent = {
        client_id: 'x',
        client_secret: 'x',
        authorization_grant_type: 'authorization-code',
        name: body.name,
      };
      const after = (await service.request('PATCH', body.url, { body: sent })).body;
      expect(after).to.include({
        client_id: body.client_id,
        client_secret: asterisks,
        authorization_grant_type: 'password',
      });
    });

    it('cannot be searched by its secret', async () => {
      for (const query of ['client_secret=x', 'client_secret__startswith=a', 'order_by=client_secret']) {
        expect((await service.get(`applications/?${query}`)).status, query).to.equal(403);
      }
    });

    it('is for superusers so far', async () => {
      const { body } = await make();
      expect((await service.get('applications/', asBob)).body.count).to.equal(0);
      expect((await service.get(body.url, asBob)).status).to.equal(404);
      expect((await service.post('applications/', { name: 'x', organization: 1 }, asBob)).status).to.be.oneOf([
        400, 403,
      ]);
    });

    it('takes its tokens along when it is deleted', async () => {
      const { body } = await make();
      const token = (await service.post('tokens/', { application: body.id })).body;
      expect((await service.get('me/', { auth: token.token })).status).to.equal(200);
      expect((await service.request('DELETE', body.url)).status).to.equal(204);
      expect((await service.get('me/', { auth: token.token })).status).to.equal(401);
      expect((await service.get(token.url)).status).to.equal(404);
    });
  });

  describe('a token of an application', () => {
    it('comes with a refresh token, both shown once', async () => {
      const app = (await make()).body;
      const { status, body } = await service.post('tokens/', {
        application: app.id,
        scope: 'read',
        description: 'for app',
      });
      expect(status).to.equal(201);
      expect(body).to.include({ application: app.id, scope: 'read', user: 1 });
      for (const key of ['token', 'refresh_token']) expect(body[key]).to.match(/^svc_[\w-]{43}$/);
      const shown = (await service.get(body.url)).body;
      expect([shown.token, shown.refresh_token]).to.deep.equal([asterisks, asterisks]);
      expect(shown.summary_fields.application).to.deep.equal({ id: app.id, name: app.name, description: '' });
      expect(shown.related.application).to.equal(app.url);
      const { tokens } = (await service.get(app.url)).body.summary_fields;
      expect(tokens).to.deep.equal({ count: 1, results: [{ id: body.id, token: asterisks, scope: 'read' }] });
    });

    it('is made and listed below its application and its user', async () => {
      const app = (await make()).body;
      const below = await service.post(`applications/${app.id}/tokens/`, { scope: 'read' });
      expect(below.body).to.include({ application: app.id, user: 1 });
      const authorized = await service.post('users/admin/authorized_tokens/', { application: app.id });
      expect(authorized.status).to.equal(201);
      expect(authorized.body.refresh_token).to.match(/^svc_/);
      const personal = await service.post('users/1/personal_tokens/', { application: app.id });
      expect(personal.body).to.include({ application: null, refresh_token: null });
      const ids = async (path: string) =>
        (await service.get(`${path}?page_size=200`)).body.results.map(({ id }: { id: number }) => id);
      expect(await ids(`applications/${app.id}/tokens/`)).to.have.members([below.body.id, authorized.body.id]);
      expect(await ids('users/1/authorized_tokens/'))
        .to.include.members([below.body.id, authorized.body.id])
        .and.not.include(personal.body.id);
      expect(await ids('users/1/personal_tokens/'))
        .to.include(personal.body.id)
        .and.not.include.members([below.body.id]);
      expect(await ids('users/1/tokens/')).to.include.members([below.body.id, authorized.body.id, personal.body.id]);
      expect(await ids('tokens/')).to.include.members([below.body.id, personal.body.id]);
    });

    for (const body of [{}, { application: null }, { application: '' }]) {
      it(`needs its application below authorized_tokens: ${JSON.stringify(body)}`, async () => {
        const { status, body: errors } = await service.post('users/1/authorized_tokens/', body);
        expect([status, Object.keys(errors)]).to.deep.equal([400, ['application']]);
      });
    }

    it('stays with its application', async () => {
      const [one, two] = [(await make()).body, (await make()).body];
      const { body } = await service.post('tokens/', { application: one.id });
      const after = await service.request('PATCH', body.url, { body: { application: two.id, description: 'new' } });
      expect(after.body).to.include({ application: one.id, description: 'new' });
      expect((await service.request('PUT', body.url, { body: {} })).body.application).to.equal(one.id);
    });

    it('is not to be had for an application that the caller does not see', async () => {
      const app = (await make()).body;
      const { status, body } = await service.post('tokens/', { application: app.id }, asBob);
      expect([status, Object.keys(body)]).to.deep.equal([400, ['application']]);
      expect((await service.post(`applications/${app.id}/tokens/`, {}, asBob)).status).to.equal(404);
      expect((await service.get(`users/${bob}/authorized_tokens/`, asBob)).body.count).to.equal(0);
    });
  });
});
