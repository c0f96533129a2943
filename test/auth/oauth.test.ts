import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { Browser, formFields, type Page } from './browser.ts';

const uri = 'https://app.example/callback?keep=1';

describe('OAuth2', () => {
  let service: TestService;
  let browser: Browser;
  let code: Application;
  let trusted: Application;
  let spa: Application;
  let password: Application;
  let names = 0;

  interface Application {
    id: number;
    client_id: string;
    client_secret: string;
  }

  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web', TAPLINE_LOGIN_ATTEMPTS_PER_MINUTE: '30' });
    browser = new Browser(service.url);
    await browser.login('admin', adminPassword);
    await service.post('users/', { username: 'bob', password: 'bobs-password' });
    code = await register({ redirect_uris: `${uri} http://127.0.0.1:9/` });
    trusted = await register({ redirect_uris: uri, skip_authorization: true });
    spa = await register({ client_type: 'public', redirect_uris: 'org.example.app:/back', skip_authorization: true });
    password = await register({ authorization_grant_type: 'password', redirect_uris: '' });
  });
  after(() => service?.stop());

  async function register(more: object): Promise<Application> {
    const base = {
      name: `app ${names++}`,
      organization: 1,
      client_type: 'confidential',
      authorization_grant_type: 'authorization-code',
    };
    const { status, body } = await service.post('applications/', { ...base, ...more });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  }

  const authorizePath = (query: Record<string, string>) => `/api/o/authorize/?${new URLSearchParams(query)}`;
  const token = (
    form: Record<string, string> | string,
    client?: Application,
    headers: Record<string, string> = {},
  ): Promise<Page> =>
    new Browser(service.url).send('POST', '/api/o/token/', {
      form,
      headers: {
        ...(client
          ? { authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}` }
          : {}),
        ...headers,
      },
    });
  const me = async (access: string) => service.get('me/', { auth: access });

  /** A code by the trusted application, which asks nobody. */
  async function newCode(client = trusted, more: Record<string, string> = {}): Promise<string> {
    const page = await browser.get(authorizePath({ client_id: client.client_id, response_type: 'code', ...more }));
    expect(page.status, page.text).to.equal(302);
    return new URL(page.location!).searchParams.get('code')!;
  }

  it('names its endpoints at /api/o/', async () => {
    const { status, body } = await new Browser(service.url).get('/api/o/');
    expect([status, body]).to.deep.equal([
      200,
      { authorize: '/api/o/authorize/', token: '/api/o/token/', revoke_token: '/api/o/revoke_token/' },
    ]);
  });

  describe('/api/o/authorize/', () => {
    it('sends who is not logged in to the login, and back', async () => {
      const visitor = new Browser(service.url);
      const path = authorizePath({
        client_id: code.client_id,
        response_type: 'code',
        redirect_uri: uri,
        state: 'a b&c',
      });
      const page = await visitor.get(path);
      expect(page.status).to.equal(302);
      const login = await visitor.get(page.location!);
      const back = await visitor.send('POST', '/api/login/', {
        form: { ...formFields(login.text), username: 'bob', password: 'bobs-password' },
      });
      expect(back.location).to.equal(path);
      expect((await visitor.get(path)).text).to.include('<strong>bob</strong>');
    });

    it('asks the user, and hands the application a code', async () => {
      const page = await browser.get(
        authorizePath({
          client_id: code.client_id,
          response_type: 'code',
          redirect_uri: uri,
          state: 'x"y',
          scope: 'read',
        }),
      );
      expect(page.status).to.equal(200);
      expect(page.text).to.include('see everything that you may see').and.not.include('<script');
      expect(page.headers['content-security-policy'])
        .to.include("form-action 'self' https://app.example;")
        .and.include("frame-ancestors 'none'");
      const answer = await browser.send('POST', '/api/o/authorize/', {
        form: { ...formFields(page.text), decision: 'allow' },
      });
      expect(answer.status).to.equal(302);
      const target = new URL(answer.location!);
      expect(`${target.origin}${target.pathname}`).to.equal('https://app.example/callback');
      expect(Object.fromEntries(target.searchParams))
        .to.include({ keep: '1', state: 'x"y' })
        .and.have.all.keys('keep', 'state', 'code');
      const got = await token(
        { grant_type: 'authorization_code', code: target.searchParams.get('code')!, redirect_uri: uri },
        code,
      );
      expect(got.status).to.equal(200);
      expect(got.body)
        .to.include({ token_type: 'Bearer', scope: 'read' })
        .and.have.all.keys('access_token', 'token_type', 'expires_in', 'refresh_token', 'scope');
      expect(got.headers['cache-control']).to.equal('no-store');
      expect((await me(got.body.access_token)).body.results[0].username).to.equal('admin');
      expect((await service.post('organizations/', { name: 'no' }, { auth: got.body.access_token })).status).to.equal(
        403,
      );
    });

    it('tells the application when the user does not agree', async () => {
      const page = await browser.get(
        authorizePath({ client_id: code.client_id, response_type: 'code', redirect_uri: uri, state: 's' }),
      );
      for (const decision of ['deny', '', 'ALLOW']) {
        const answer = await browser.send('POST', '/api/o/authorize/', {
          form: { ...formFields(page.text), decision },
        });
        expect(Object.fromEntries(new URL(answer.location!).searchParams)).to.deep.equal({
          keep: '1',
          error: 'access_denied',
          state: 's',
        });
      }
    });

    it('believes no consent without the CSRF token', async () => {
      const fields = { client_id: code.client_id, response_type: 'code', redirect_uri: uri, decision: 'allow' };
      for (const csrfmiddlewaretoken of ['', 'A'.repeat(43)]) {
        expect(
          (await browser.send('POST', '/api/o/authorize/', { form: { ...fields, csrfmiddlewaretoken } })).status,
        ).to.equal(403);
      }
    });

    it('never sends anybody to an address that was not registered', async () => {
      const bad = [
        `${uri}#x`,
        `${uri}/more`,
        'https://app.example/',
        'https://evil.example/',
        'javascript:alert(1)',
        `${uri} https://evil.example/`,
        '//evil.example',
      ];
      for (const redirect_uri of bad) {
        const query = { client_id: code.client_id, response_type: 'code', redirect_uri };
        const pages = [
          await browser.get(authorizePath(query)),
          await browser.send('POST', '/api/o/authorize/', {
            form: { ...query, decision: 'allow', csrfmiddlewaretoken: browser.csrf },
          }),
        ];
        for (const page of pages) expect([page.status, page.location], redirect_uri).to.deep.equal([400, undefined]);
      }
      // with two addresses one must be named
      expect((await browser.get(authorizePath({ client_id: code.client_id, response_type: 'code' }))).status).to.equal(
        400,
      );
      for (const client_id of ['', 'unknown', "'", '\0', 'x'.repeat(500)])
        expect((await browser.get(authorizePath({ client_id, response_type: 'code' }))).status).to.equal(400);
    });

    for (const [what, client, query, error] of [
      ['another response type', () => code, { response_type: 'token' }, 'unsupported_response_type'],
      ['an unknown scope', () => code, { response_type: 'code', scope: 'admin' }, 'invalid_scope'],
      [
        'a plain challenge',
        () => code,
        { response_type: 'code', code_challenge: 'A'.repeat(43), code_challenge_method: 'plain' },
        'invalid_request',
      ],
      [
        'a malformed challenge',
        () => code,
        { response_type: 'code', code_challenge: 'x', code_challenge_method: 'S256' },
        'invalid_request',
      ],
      [
        'no challenge of a public client',
        () => spa,
        { response_type: 'code', redirect_uri: 'org.example.app:/back' },
        'invalid_request',
      ],
    ] as const) {
      it(`tells the application of ${what}`, async () => {
        const page = await browser.get(
          authorizePath({ client_id: client().client_id, redirect_uri: uri, state: 's', ...query }),
        );
        expect(page.status).to.equal(302);
        const target = new URL(page.location!);
        expect([target.searchParams.get('error'), target.searchParams.get('state')]).to.deep.equal([error, 's']);
      });
    }

    it('puts nothing of the state into a header of its own', async () => {
      const page = await browser.get(
        authorizePath({ client_id: trusted.client_id, response_type: 'code', state: 'x\r\nX-Injected: 1' }),
      );
      expect([page.status, page.headers['x-injected']]).to.deep.equal([302, undefined]);
    });

    it('shows no markup of an application', async () => {
      const hostile = await register({ name: '<img src=x onerror=alert(1)>', redirect_uris: uri });
      const page = await browser.get(
        authorizePath({ client_id: hostile.client_id, response_type: 'code', state: '"><script>' }),
      );
      expect(page.text).to.include('&lt;img').and.not.include('<img').and.not.include('<script');
    });
  });

  describe('an authorization code', () => {
    it('is good once; a second time it ends the token it gave', async () => {
      const form = { grant_type: 'authorization_code', code: await newCode() };
      const first = await token(form, trusted);
      expect((await me(first.body.access_token)).status).to.equal(200);
      const second = await token(form, trusted);
      expect([second.status, second.body.error]).to.deep.equal([400, 'invalid_grant']);
      expect((await me(first.body.access_token)).status).to.equal(401);
    });

    it('gives at most one token to several requests at once, none of which survives', async () => {
      const form = { grant_type: 'authorization_code', code: await newCode() };
      const pages = await Promise.all([1, 2, 3].map(() => token(form, trusted)));
      expect(pages.filter((page) => page.status === 200).length).to.equal(1);
      expect((await me(pages.find((page) => page.status === 200)!.body.access_token)).status).to.equal(401);
    });

    it('belongs to its application, its address and its time', async () => {
      const grant = { grant_type: 'authorization_code' };
      expect((await token({ ...grant, code: await newCode() }, code)).body.error, 'another application').to.equal(
        'invalid_grant',
      );
      expect(
        (await token({ ...grant, code: await newCode(trusted, { redirect_uri: uri }) }, trusted)).body.error,
        'address not repeated',
      ).to.equal('invalid_grant');
      expect(
        (await token({ ...grant, code: await newCode(), redirect_uri: uri }, trusted)).body.error,
        'address never named',
      ).to.equal('invalid_grant');
      const late = await newCode();
      await service.services.db('oauth_codes').update({ expires: service.services.db.raw(`now() - interval '1 s'`) });
      expect((await token({ ...grant, code: late }, trusted)).body.error, 'too late').to.equal('invalid_grant');
      for (const wrong of ['', 'x', '\0'])
        expect((await token({ ...grant, code: wrong }, trusted)).body.error).to.equal('invalid_grant');
    });

    it('of a public client needs the verifier of its challenge (PKCE)', async () => {
      const verifier = randomBytes(32).toString('base64url');
      const challenge = {
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      };
      const form = async (more: object) => ({
        grant_type: 'authorization_code',
        client_id: spa.client_id,
        code: await newCode(spa, challenge),
        ...more,
      });
      for (const more of [
        {},
        { code_verifier: 'x' },
        { code_verifier: 'A'.repeat(43) },
        { code_verifier: challenge.code_challenge },
      ]) {
        expect((await token(await form(more))).body.error).to.equal('invalid_grant');
      }
      const got = await token(await form({ code_verifier: verifier }));
      expect([got.status, got.body.scope]).to.deep.equal([200, 'write']);
      expect(spa).to.not.have.property('client_secret');
    });

    it('without a challenge takes no verifier', async () => {
      const got = await token(
        { grant_type: 'authorization_code', code: await newCode(), code_verifier: 'A'.repeat(43) },
        trusted,
      );
      expect(got.body.error).to.equal('invalid_grant');
    });
  });

  describe('the password grant', () => {
    const form = { grant_type: 'password', username: 'bob', password: 'bobs-password' };

    it('gives a token, the client known by Basic or in the body', async () => {
      const byBasic = await token({ ...form, scope: 'read' }, password);
      expect([byBasic.status, byBasic.body.scope]).to.deep.equal([200, 'read']);
      const inBody = await token({ ...form, client_id: password.client_id, client_secret: password.client_secret });
      expect(inBody.status).to.equal(200);
      expect(inBody.body.expires_in).to.be.greaterThan(31_536_000);
      expect((await me(inBody.body.access_token)).body.results[0].username).to.equal('bob');
    });

    for (const [what, status, error, more, client] of [
      ['a wrong password', 400, 'invalid_grant', { password: 'wrong' }, () => password],
      ['an unknown user', 400, 'invalid_grant', { username: 'nobody' }, () => password],
      ['no password', 400, 'invalid_request', { password: '' }, () => password],
      ['an unknown scope', 400, 'invalid_scope', { scope: 'admin' }, () => password],
      ['a wrong secret', 401, 'invalid_client', {}, () => ({ ...password, client_secret: 'x' })],
      ['an unknown client', 401, 'invalid_client', {}, () => ({ ...password, client_id: 'x' })],
      ['no client', 401, 'invalid_client', {}, () => undefined],
      ['an application of another grant', 400, 'unauthorized_client', {}, () => code],
      ['another grant type', 400, 'unsupported_grant_type', { grant_type: 'client_credentials' }, () => password],
      [
        'a property of objects as grant type',
        400,
        'unsupported_grant_type',
        { grant_type: 'constructor' },
        () => password,
      ],
    ] as const) {
      it(`answers ${status} ${error} to ${what}`, async () => {
        const page = await token({ ...form, ...more }, client());
        expect([page.status, page.body.error]).to.deep.equal([status, error]);
        if (status === 401) expect(page.headers['www-authenticate']).to.match(/^Bearer /);
      });
    }

    it('refuses a parameter given twice', async () => {
      const twice = `${new URLSearchParams(form)}&username=admin`;
      expect((await token(twice, password)).body.error).to.equal('invalid_request');
    });

    it('counts failures with those of the login form', async () => {
      const username = 'throttled';
      const wrong = () => token({ ...form, username, password: 'x' }, password);
      const statuses = (await Promise.all(Array.from({ length: 31 }, wrong))).map((page) => page.status);
      expect(statuses.filter((status) => status === 429)).to.have.length(1);
      expect((await new Browser(service.url).login(username, 'x')).status).to.equal(429);
    });
  });

  describe('a refresh token', () => {
    const start = async (scope = 'write') =>
      (await token({ grant_type: 'password', username: 'bob', password: 'bobs-password', scope }, password)).body;
    const refresh = (refresh_token: string, more: object = {}, client = password) =>
      token({ grant_type: 'refresh_token', refresh_token, ...more }, client);

    it('gives new ones of both kinds; the old access token ends', async () => {
      const first = await start();
      const second = await refresh(first.refresh_token);
      expect(second.status).to.equal(200);
      expect(second.body.refresh_token).to.not.equal(first.refresh_token);
      expect((await me(first.access_token)).status).to.equal(401);
      expect((await me(second.body.access_token)).status).to.equal(200);
      expect((await refresh(second.body.refresh_token)).status).to.equal(200);
    });

    it('that comes twice ends all that came of it', async () => {
      const first = await start();
      const second = await refresh(first.refresh_token);
      expect((await refresh(first.refresh_token)).body.error).to.equal('invalid_grant');
      expect((await me(second.body.access_token)).status).to.equal(401);
      expect((await refresh(second.body.refresh_token)).body.error).to.equal('invalid_grant');
    });

    it('may narrow its scope, never widen it', async () => {
      const first = await start('read');
      expect((await refresh(first.refresh_token, { scope: 'write' })).body.error).to.equal('invalid_scope');
      expect((await refresh(first.refresh_token)).body.scope).to.equal('read');
      const writer = await start('write');
      expect((await refresh(writer.refresh_token, { scope: 'read' })).body.scope).to.equal('read');
    });

    it('belongs to its application and its user', async () => {
      const first = await start();
      expect((await refresh(first.refresh_token, {}, code)).body.error).to.equal('invalid_grant');
      expect((await refresh(first.access_token)).body.error).to.equal('invalid_grant');
      const db = service.services.db('users').where({ username: 'bob' });
      await db.clone().update({ is_active: false });
      expect((await refresh(first.refresh_token)).body.error).to.equal('invalid_grant');
      await db.clone().update({ is_active: true });
    });

    it('is refused with 403 once it has expired', async () => {
      const first = await start();
      const { db } = service.services;
      await db('oauth_refresh_tokens')
        .whereNull('used')
        .update({ expires: db.raw(`now() - interval '1 s'`) });
      const page = await refresh(first.refresh_token);
      expect([page.status, page.body.detail]).to.deep.equal([403, 'The refresh token has expired.']);
    });

    it('dies with its access token, revoked over the API', async () => {
      const first = await start();
      const { body } = await service.get('tokens/?order_by=-id&page_size=1');
      expect((await service.request('DELETE', `tokens/${body.results[0].id}/`)).status).to.equal(204);
      expect((await refresh(first.refresh_token)).body.error).to.equal('invalid_grant');
    });
  });

  describe('/api/o/revoke_token/', () => {
    const revoke = (form: Record<string, string>, { client_id, client_secret }: Application = password) =>
      new Browser(service.url).send('POST', '/api/o/revoke_token/', { form: { client_id, client_secret, ...form } });
    const start = async () =>
      (await token({ grant_type: 'password', username: 'bob', password: 'bobs-password' }, password)).body;

    it('ends a token named by itself or by its refresh token', async () => {
      for (const which of ['access_token', 'refresh_token']) {
        const tokens = await start();
        const page = await revoke({ token: tokens[which] });
        expect([page.status, page.text]).to.deep.equal([200, '']);
        expect((await me(tokens.access_token)).status).to.equal(401);
        expect(
          (await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, password)).status,
        ).to.equal(400);
      }
    });

    it('leaves what belongs to nobody, to another application or to a person', async () => {
      const tokens = await start();
      const personal = (await service.post('tokens/', {})).body.token;
      expect((await revoke({ token: tokens.access_token }, code)).status).to.equal(200);
      for (const one of ['', 'x', personal]) expect((await revoke({ token: one })).status).to.equal(200);
      expect((await me(tokens.access_token)).status).to.equal(200);
      expect((await me(personal)).status).to.equal(200);
    });

    it('wants to know who asks', async () => {
      expect((await revoke({ token: 'x', client_secret: 'wrong' })).body.error).to.equal('invalid_client');
    });
  });

  it('lets a session change nothing at the token endpoint, nor a token at the consent page', async () => {
    expect((await browser.send('POST', '/api/o/token/', { form: { grant_type: 'password' } })).body.error).to.equal(
      'invalid_client',
    );
    const { body } = await service.post('tokens/', {});
    const page = await new Browser(service.url).get(
      authorizePath({ client_id: trusted.client_id, response_type: 'code' }),
      { authorization: `Bearer ${body.token}` },
    );
    expect(page.location).to.match(/^\/api\/login\//);
  });
});
