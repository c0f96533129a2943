import { expect } from 'chai';
import { type Api, basic, startApi } from '../support/api.ts';
import { hashPassword } from '../../core/accounts/password.ts';

const path = '/api/v2/settings/';

describe('the settings over the API', () => {
  let api: Api;
  before(async () => {
    api = await startApi({ MAX_FORKS: '7', OAUTH2_CODE_EXPIRE_SECONDS: '60', LOG_AGGREGATOR_PASSWORD: 'from outside' });
    const password = await hashPassword('pass');
    await api.db('users').insert([
      { username: 'auditor', password, is_superuser: false, is_system_auditor: true },
      { username: 'ordinary', password, is_superuser: false },
    ]);
  });
  after(() => api?.stop());
  afterEach(async () => void (await api.admin('DELETE', `${path}all/`)));

  it('lists its categories, to ordinary users none', async () => {
    const { body } = await api.admin('GET', path);
    expect(body).to.include({ next: null, previous: null });
    expect(body.results.map(({ slug }: any) => slug)).to.deep.equal(
      'all authentication bulk changed debug jobs logging named-url oidc system ui'.split(' '),
    );
    expect(body.count).to.equal(body.results.length);
    expect(body.results[0]).to.deep.equal({ url: '/api/v2/settings/all/', slug: 'all', name: 'All' });
    const other = await api.as(basic('ordinary', 'pass'))('GET', path);
    expect(other.body).to.deep.equal({ count: 0, next: null, previous: null, results: [] });
    expect((await api.admin('GET', '/api/v2/')).body.settings).to.equal(path);
  });

  it('shows a category as a flat object', async () => {
    const { status, body } = await api.admin('GET', `${path}jobs/`);
    expect(status).to.equal(200);
    expect(body).to.include({ SCHEDULE_MAX_JOBS: 10, ALLOW_JINJA_IN_EXTRA_VARS: 'template', MAX_FORKS: 7 });
    expect(body.AD_HOC_COMMANDS).to.include('win_ping').and.have.length(19);
    expect(body).not.to.have.property('SESSION_COOKIE_AGE');
    const system = (await api.admin('GET', `${path}system/`)).body;
    expect(system).to.include({ IS_K8S: false, DEFAULT_EXECUTION_QUEUE_NAME: 'default' });
    const names = (await api.admin('GET', `${path}named-url/`)).body.NAMED_URL_FORMATS;
    expect(names).to.include({
      organizations: '<name>',
      credential_types: '<name>+<kind>',
      hosts: '<name>++<inventory.name>++<organization.name>',
    });
    const all = (await api.admin('GET', `${path}all/`)).body;
    expect(all).to.include.keys('MAX_FORKS', 'SESSION_COOKIE_AGE', 'NAMED_URL_FORMATS', 'CUSTOM_LOGO');
  });

  it('knows the categories of other ways to log in, and no others', async () => {
    expect((await api.admin('GET', `${path}ldap/`)).body).to.deep.equal({});
    for (const slug of ['nothing', 'constructor', '__proto__']) {
      for (const method of ['GET', 'PATCH', 'DELETE', 'OPTIONS'])
        expect((await api.admin(method, `${path}${slug}/`)).status, `${method} ${slug}`).to.equal(404);
    }
  });

  it('lets auditors read, superusers write and others do neither', async () => {
    const auditor = api.as(basic('auditor', 'pass'));
    const ordinary = api.as(basic('ordinary', 'pass'));
    expect((await auditor('GET', `${path}jobs/`)).status).to.equal(200);
    expect((await ordinary('GET', `${path}jobs/`)).status).to.equal(403);
    expect((await ordinary('OPTIONS', `${path}jobs/`)).status).to.equal(403);
    expect((await api.as()('GET', `${path}jobs/`)).status).to.equal(401);
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      for (const client of [auditor, ordinary])
        expect((await client(method, `${path}jobs/`, { SCHEDULE_MAX_JOBS: 3 })).status, method).to.equal(403);
    }
    const options = (await auditor('OPTIONS', `${path}jobs/`)).body;
    expect(Object.keys(options.actions)).to.deep.equal(['GET']);
    expect(await api.db('settings')).to.deep.equal([]);
  });

  it('stores what PATCH and PUT say, shows it at once and answers with the whole category', async () => {
    const paths = ['/etc/pki', '/srv/out:/out:rw', '/srv/in:ro'];
    const patched = await api.admin('PATCH', `${path}jobs/`, { AWX_ISOLATION_SHOW_PATHS: paths });
    expect(patched.status).to.equal(200);
    expect(patched.body.AWX_ISOLATION_SHOW_PATHS).to.deep.equal(paths);
    expect(patched.body).to.include({ SCHEDULE_MAX_JOBS: 10 });
    await api.admin('PUT', `${path}all/`, { SCHEDULE_MAX_JOBS: 4, SESSION_COOKIE_AGE: 900 });
    const changed = (await api.admin('GET', `${path}changed/`)).body;
    expect(changed).to.deep.equal({
      AWX_ISOLATION_SHOW_PATHS: paths,
      SCHEDULE_MAX_JOBS: 4,
      SESSION_COOKIE_AGE: 900,
    });
  });

  it('goes back to defaults by DELETE, in that category only', async () => {
    await api.admin('PATCH', `${path}all/`, { SCHEDULE_MAX_JOBS: 4, CUSTOM_TITLE: 'Ours' });
    expect((await api.admin('DELETE', `${path}jobs/`)).status).to.equal(204);
    expect((await api.admin('GET', `${path}changed/`)).body).to.deep.equal({ CUSTOM_TITLE: 'Ours' });
  });

  it('puts one setting back to its default, and leaves the others', async () => {
    await api.admin('PATCH', `${path}jobs/`, { SCHEDULE_MAX_JOBS: 4, DEFAULT_JOB_TIMEOUT: 60 });
    const origin = async (key: string) => (await api.admin('OPTIONS', `${path}jobs/`)).body.actions.GET[key].origin;
    expect((await api.as(basic('auditor', 'pass'))('DELETE', `${path}jobs/SCHEDULE_MAX_JOBS/`)).status).to.equal(403);
    expect((await api.admin('DELETE', `${path}jobs/SCHEDULE_MAX_JOBS/`)).status).to.equal(204);
    expect(await origin('SCHEDULE_MAX_JOBS')).to.equal('default');
    expect((await api.admin('GET', `${path}changed/`)).body).to.deep.equal({ DEFAULT_JOB_TIMEOUT: 60 });
    expect((await api.admin('DELETE', `${path}jobs/SCHEDULE_MAX_JOBS/`)).status).to.equal(204);
    // another name of the same
    await api.admin('PATCH', `${path}jobs/`, { ENGINE_FACT_CACHE_TIMEOUT: 60 });
    await api.admin('DELETE', `${path}jobs/ANSIBLE_FACT_CACHE_TIMEOUT/`);
    expect(await origin('ENGINE_FACT_CACHE_TIMEOUT')).to.equal('default');
    for (const other of ['jobs/CUSTOM_LOGO', 'ui/SCHEDULE_MAX_JOBS', 'nothing/SCHEDULE_MAX_JOBS', 'jobs/constructor'])
      expect((await api.admin('DELETE', `${path}${other}/`)).status, other).to.equal(404);
    const fixed = await api.admin('DELETE', `${path}jobs/MAX_FORKS/`);
    expect(fixed.status).to.equal(400);
    expect(fixed.body.MAX_FORKS[0]).to.contain('TAPLINE_MAX_FORKS');
  });

  it('passes over unknown keys, read-only ones and those of other categories', async () => {
    const body = { NOTHING: 1, IS_K8S: true, INSTALL_UUID: 'x', SESSION_COOKIE_AGE: 900, __proto__: { a: 1 } };
    expect((await api.admin('PATCH', `${path}jobs/`, body)).status).to.equal(200);
    expect((await api.admin('GET', `${path}changed/`)).body).to.deep.equal({});
  });

  it('stores nothing when a whole category is sent back as it is', async () => {
    const { body } = await api.admin('GET', `${path}all/`);
    const answer = await api.admin('PUT', `${path}all/`, body);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal(body);
    expect((await api.admin('GET', `${path}changed/`)).body).to.deep.equal({});
  });

  it('refuses wrong values by key, and then stores nothing', async () => {
    const wrong: [string, unknown][] = [
      ['SCHEDULE_MAX_JOBS', 'many'],
      ['SCHEDULE_MAX_JOBS', 0],
      ['SCHEDULE_MAX_JOBS', 1.5],
      ['SCHEDULE_MAX_JOBS', null],
      ['SCHEDULE_MAX_JOBS', 1e300],
      ['SESSION_COOKIE_AGE', 59],
      ['SESSION_COOKIE_AGE', 30_000_000_001],
      ['ALLOW_JINJA_IN_EXTRA_VARS', 'sometimes'],
      ['PROJECT_UPDATE_VVV', 'perhaps'],
      ['AWX_ISOLATION_BASE_PATH', null],
      ['AWX_ISOLATION_BASE_PATH', 'a\0b'],
      ['AWX_ISOLATION_BASE_PATH', 'a\ud800'],
      ['AWX_ISOLATION_SHOW_PATHS', { '/a': '/b' }],
      ['AWX_ISOLATION_SHOW_PATHS', ['relative']],
      ['AWX_ISOLATION_SHOW_PATHS', [1]],
      ['AWX_TASK_ENV', { A: { B: 'c' } }],
      ['AWX_TASK_ENV', ['A']],
      ['TOWER_URL_BASE', 'javascript:alert(1)'],
      ['CUSTOM_LOGO', 'data:text/html;base64,AAAA'],
      ['DISABLE_LOCAL_AUTH', true],
      ['SOCIAL_AUTH_TEAM_MAP', { a: '\0' }],
      ['OAUTH2_PROVIDER', { ACCESS_TOKEN_EXPIRE_SECONDS: 0 }],
      ['OAUTH2_PROVIDER', { SOMETHING: 1 }],
      ['OAUTH2_PROVIDER', 5],
    ];
    for (const [key, value] of wrong) {
      const { status, body } = await api.admin('PATCH', `${path}all/`, { UI_NEXT: true, [key]: value });
      expect(status, `${key} ${JSON.stringify(value)}`).to.equal(400);
      expect(body).to.have.all.keys(key);
      expect(body[key][0]).to.be.a('string');
    }
    expect((await api.admin('GET', `${path}changed/`)).body).to.deep.equal({});
  });

  it('answers every kind of value for every key with 200 or 400', async () => {
    const values = [
      null,
      true,
      -1,
      1.5,
      1e308,
      2 ** 53,
      '',
      '\0',
      'a\ud800',
      '[',
      '{"a":{}}',
      [],
      [null],
      [['a']],
      {},
      { a: null },
    ];
    const keys = Object.keys((await api.admin('GET', `${path}all/`)).body).filter(
      (key) => key !== 'AUTH_BASIC_ENABLED',
    );
    for (const value of [
      ...values,
      'x'.repeat(100_000),
      { '\0': 'a' },
      { a: '\ud800' },
      ['\0'],
      { __proto__: null, b: [{}] },
    ]) {
      const body = Object.fromEntries(keys.map((key) => [key, value]));
      const all = await api.admin('PATCH', `${path}all/`, body);
      expect(all.status, JSON.stringify(value).slice(0, 50)).to.equal(400);
      const legal = Object.fromEntries(keys.filter((key) => !(key in all.body)).map((key) => [key, value]));
      expect((await api.admin('PATCH', `${path}all/`, legal)).status).to.equal(200);
      await api.admin('DELETE', `${path}all/`);
    }
    expect((await api.admin('PATCH', `${path}all/`, [])).status).to.equal(400);
    expect((await api.admin('PATCH', `${path}all/`, 'text')).status).to.equal(400);
  });

  it('takes numbers, truth values and lists as command lines send them', async () => {
    const sent = {
      SCHEDULE_MAX_JOBS: '4',
      UI_NEXT: 'True',
      AD_HOC_COMMANDS: '["ping"]',
      AWX_TASK_ENV: { A: 1, B: true },
    };
    const { body } = await api.admin('PATCH', `${path}all/`, sent);
    expect(body).to.deep.include({
      SCHEDULE_MAX_JOBS: 4,
      UI_NEXT: true,
      AD_HOC_COMMANDS: ['ping'],
      AWX_TASK_ENV: { A: '1', B: 'true' },
    });
  });

  it('leaves to the environment what it says', async () => {
    const refused = await api.admin('PATCH', `${path}jobs/`, { MAX_FORKS: 50, SCHEDULE_MAX_JOBS: 4 });
    expect(refused.status).to.equal(400);
    expect(refused.body).to.have.all.keys('MAX_FORKS');
    expect(refused.body.MAX_FORKS[0]).to.contain('TAPLINE_MAX_FORKS');
    const secret = await api.admin('PATCH', `${path}all/`, { LOG_AGGREGATOR_PASSWORD: 'another' });
    expect(secret.status).to.equal(400);
    expect(secret.text).to.contain('TAPLINE_LOG_AGGREGATOR_PASSWORD').and.not.contain('another');
    // whole categories come back as they were read
    const read = (await api.admin('GET', `${path}jobs/`)).body;
    const { status, body } = await api.admin('PUT', `${path}jobs/`, { ...read, SCHEDULE_MAX_JOBS: 4 });
    expect(status).to.equal(200);
    expect(body).to.include({ MAX_FORKS: 7, SCHEDULE_MAX_JOBS: 4 });
    const { actions } = (await api.admin('OPTIONS', `${path}jobs/`)).body;
    expect(actions.GET.MAX_FORKS).to.include({ origin: 'environment', defined_in_file: true });
    expect(actions.GET.SCHEDULE_MAX_JOBS).to.include({ origin: 'database', defined_in_file: false });
    expect(actions.GET.STDOUT_MAX_BYTES_DISPLAY).to.include({ origin: 'default', defined_in_file: false });
  });

  it('never shows a secret, and keeps it encrypted', async () => {
    const secret = 'canary-in-a-setting';
    const first = await api.admin('PATCH', `${path}oidc/`, { SOCIAL_AUTH_OIDC_SECRET: secret });
    expect(first.body.SOCIAL_AUTH_OIDC_SECRET).to.equal('$encrypted$');
    const again = await api.admin('PATCH', `${path}all/`, { SOCIAL_AUTH_OIDC_SECRET: '$encrypted$', UI_NEXT: true });
    expect(again.body).to.include({ SOCIAL_AUTH_OIDC_SECRET: '$encrypted$', LOG_AGGREGATOR_PASSWORD: '$encrypted$' });
    const [row] = await api.db('settings').where('key', 'SOCIAL_AUTH_OIDC_SECRET');
    const cell = { table: 'settings', column: 'value', id: 'SOCIAL_AUTH_OIDC_SECRET' };
    expect(api.keyRing.decrypt(row.value, cell)).to.equal(secret);
    const options = await api.admin('OPTIONS', `${path}all/`);
    for (const action of ['GET', 'PUT']) {
      const said = options.body.actions[action];
      expect(said.SOCIAL_AUTH_OIDC_SECRET, action).to.include({ secret: true });
      expect(said.UI_NEXT, action).not.to.have.property('secret');
    }
    expect(again.text + options.text + api.logged()).not.to.match(/canary-in-a-setting|from outside/);
    const cleared = await api.admin('PATCH', `${path}oidc/`, { SOCIAL_AUTH_OIDC_SECRET: '' });
    expect(cleared.body.SOCIAL_AUTH_OIDC_SECRET).to.equal('');
  });

  it('tells forms what every setting is', async () => {
    const { actions } = (await api.admin('OPTIONS', `${path}all/`)).body;
    const all = Object.keys((await api.admin('GET', `${path}all/`)).body);
    expect(Object.keys(actions.GET).toSorted()).to.deep.equal(all.toSorted());
    for (const [key, entry] of Object.entries<any>(actions.PUT)) {
      expect(entry, key).to.include.keys(
        'type',
        'label',
        'help_text',
        'category',
        'category_slug',
        'default',
        'required',
      );
      expect(entry.help_text, key).to.match(/\w.*\.$/s);
    }
    expect(actions.PUT).not.to.have.any.keys('IS_K8S', 'INSTALL_UUID', 'LICENSE', 'NAMED_URL_FORMATS');
    expect(actions.GET.IS_K8S).to.include({ type: 'boolean', category_slug: 'system' });
    expect(actions.PUT.AD_HOC_COMMANDS).to.deep.include({ type: 'list', child: { type: 'string' } });
    expect(actions.PUT.AD_HOC_COMMANDS.choices[0]).to.deep.equal(['command', 'command']);
    expect(actions.PUT.SESSION_COOKIE_AGE).to.include({ min_value: 60, max_value: 30_000_000_000, unit: 'seconds' });
    expect(actions.PUT.OAUTH2_PROVIDER).to.deep.include({ type: 'nested object', child: { type: 'integer' } });
  });

  it('knows settings by the names of clients, too', async () => {
    const one = await api.admin('PATCH', `${path}jobs/`, { ANSIBLE_FACT_CACHE_TIMEOUT: 60 });
    expect(one.body).to.include({ ANSIBLE_FACT_CACHE_TIMEOUT: 60, ENGINE_FACT_CACHE_TIMEOUT: 60 });
    const two = await api.admin('PUT', `${path}jobs/`, { ...one.body, ENGINE_FACT_CACHE_TIMEOUT: 70 });
    expect(two.body).to.include({ ANSIBLE_FACT_CACHE_TIMEOUT: 70, ENGINE_FACT_CACHE_TIMEOUT: 70 });
    const three = await api.admin('PUT', `${path}jobs/`, { ...two.body, ANSIBLE_FACT_CACHE_TIMEOUT: 0 });
    expect(three.body).to.include({ ANSIBLE_FACT_CACHE_TIMEOUT: 0, ENGINE_FACT_CACHE_TIMEOUT: 0 });
    const put = (code: number) => {
      const lifetimes = { ACCESS_TOKEN_EXPIRE_SECONDS: 3600, AUTHORIZATION_CODE_EXPIRE_SECONDS: code };
      return api.admin('PATCH', `${path}authentication/`, { OAUTH2_PROVIDER: lifetimes });
    };
    // the environment says how long a code lives
    const refused = await put(9);
    expect(refused.status).to.equal(400);
    expect(refused.body.OAUTH2_PROVIDER[0]).to.contain('TAPLINE_OAUTH2_CODE_EXPIRE_SECONDS');
    const { body } = await put(60);
    expect(body.TOKEN_EXPIRE_SECONDS).to.equal(3600);
    expect(body.OAUTH2_PROVIDER).to.deep.equal({
      ACCESS_TOKEN_EXPIRE_SECONDS: 3600,
      AUTHORIZATION_CODE_EXPIRE_SECONDS: 60,
      REFRESH_TOKEN_EXPIRE_SECONDS: 2_628_000,
    });
  });

  it('keeps changes of different keys that are made at once', async () => {
    const bodies = [
      ...[1, 2, 3].map((n) => ({ SCHEDULE_MAX_JOBS: n, UI_NEXT: true })),
      { CUSTOM_TITLE: 'Ours', SCHEDULE_MAX_JOBS: 3 },
      { SESSION_COOKIE_AGE: 900 },
      { AWX_TASK_ENV: { A: 'b' } },
    ];
    const answers = await Promise.all(bodies.map((body) => api.admin('PATCH', `${path}all/`, body)));
    expect(answers.map(({ status }) => status)).to.deep.equal(bodies.map(() => 200));
    const { body } = await api.admin('GET', `${path}changed/`);
    expect(body).to.deep.include({
      UI_NEXT: true,
      CUSTOM_TITLE: 'Ours',
      SESSION_COOKIE_AGE: 900,
      AWX_TASK_ENV: { A: 'b' },
    });
    expect(body.SCHEDULE_MAX_JOBS).to.be.within(1, 3);
  });

  it('writes down who changed what, once, and no secret', async () => {
    await api.db('activity_stream').delete();
    const body = { SCHEDULE_MAX_JOBS: 4, SOCIAL_AUTH_OIDC_SECRET: 'canary', UI_NEXT: false };
    await api.admin('PATCH', `${path}all/`, body);
    await api.admin('PATCH', `${path}all/`, { SCHEDULE_MAX_JOBS: 4 });
    await api.admin('DELETE', `${path}jobs/`);
    const entries = await api.db('activity_stream').orderBy('id');
    expect(entries.map(({ object1, changes }) => [object1, changes.key, changes.value])).to.have.deep.members([
      ['setting', 'SCHEDULE_MAX_JOBS', [10, 4]],
      ['setting', 'SOCIAL_AUTH_OIDC_SECRET', ['hidden', 'hidden']],
      ['setting', 'SCHEDULE_MAX_JOBS', [4, 10]],
    ]);
    const stream = await api.admin('GET', '/api/v2/activity_stream/?object1=setting&order_by=-id');
    expect(stream.body.results[0].summary_fields).to.deep.include({
      setting: [{ category: 'jobs', name: 'SCHEDULE_MAX_JOBS' }],
    });
    expect(stream.body.results[0].summary_fields.actor.username).to.equal('admin');
  });

  it('follows a change of the limit of logins at once', async () => {
    await api.admin('PATCH', `${path}authentication/`, { LOGIN_ATTEMPTS_PER_MINUTE: 1 });
    const wrong = api.as(basic('nobody', 'wrong'));
    expect((await wrong('GET', '/api/v2/me/')).status).to.equal(401);
    expect((await wrong('GET', '/api/v2/me/')).status).to.equal(429);
    await api.admin('PATCH', `${path}authentication/`, { LOGIN_ATTEMPTS_PER_MINUTE: 0 });
    expect((await wrong('GET', '/api/v2/me/')).status).to.equal(401);
  });
});
