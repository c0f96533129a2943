import { expect } from 'chai';
import { Browser } from '../auth/browser.ts';
import { createRun } from '../events/spool.ts';
import type { Stage } from '../launch/fixture.ts';
import { adminPassword } from '../support/service.ts';
import { until } from '../support/until.ts';
import { connect, type TestNode } from '../websocket/stage.ts';

export interface EffectStage extends Stage {
  /** changes one setting over the API, with a token: Basic may be off */
  set(key: string, value: unknown): Promise<number>;
  token: string;
}

export type Effect = (stage: EffectStage) => Promise<void>;

let names = 0;

/** A new user's password is refused with the setting, and taken as soon as it keeps the rule. */
const passwordRule =
  (key: string, bad: string, good: string): Effect =>
  async ({ set, post }) => {
    await set(key, 2);
    const make = async (password: string) => (await post('users/', { username: `rule${names++}`, password })).status;
    expect([await make(bad), await make(good)]).to.deep.equal([400, 201]);
  };

/** What the root document tells the login page. */
const toldAtLogin =
  (key: string, name: string, value: string): Effect =>
  async ({ set, get }) => {
    await set(key, value);
    expect((await get('/api/', { auth: null })).body[name]).to.equal(value);
  };

const picture = 'data:image/png;base64,iVBORw0KGgo=';
const seconds = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000;

async function recordedRun({ services: { db } }: EffectStage, texts: string[], more: object = {}): Promise<number> {
  const run = await createRun(db, { status: 'successful', finished: db.fn.now(), ...more });
  await db.raw('select ensure_event_partition(?)', [run.id]);
  await db('run_events').insert(
    texts.map((stdout, index) => ({ run_id: run.id, counter: index + 1, event: 'runner_on_ok', stdout })),
  );
  return run.id;
}

async function oauthCode({ post, url }: EffectStage): Promise<Browser> {
  const redirect = 'https://app.example/back';
  const { body } = await post('applications/', {
    name: `effect ${names++}`,
    organization: 1,
    client_type: 'confidential',
    authorization_grant_type: 'authorization-code',
    redirect_uris: redirect,
    skip_authorization: true,
  });
  const browser = new Browser(url);
  await browser.login('admin', adminPassword);
  const page = await browser.get(`/api/o/authorize/?client_id=${body.client_id}&response_type=code`);
  expect(page.location).to.include('code=');
  return browser;
}

/** Settings whose effect shows in the answers of the API alone. */
export const apiEffects: Record<string, Effect> = {
  MAX_FORKS: async ({ set, post, inventory, project }) => {
    const template = { name: 'forks', inventory, project, playbook: 'quick.yml', forks: 6 };
    await set('MAX_FORKS', 5);
    expect((await post('job_templates/', template)).body).to.have.property('forks');
    await set('MAX_FORKS', 6);
    expect((await post('job_templates/', template)).status).to.equal(201);
  },
  MAX_VARIABLES_LENGTH: async ({ set, post, request, token, template, inventory }) => {
    const asking = await template({ ask_variables_on_launch: true });
    const send = async (length: number) => {
      const [text, mapping] = [`a: ${'x'.repeat(length - 3)}`, { a: 'x'.repeat(length - '{"a":""}'.length) }];
      const answers = [
        await post('hosts/', { name: `long ${names++}`, inventory, variables: text }),
        await request('PATCH', `job_templates/${asking}/`, { body: { extra_vars: text }, auth: token }),
        await request('PUT', `inventories/${inventory}/variable_data/`, { body: mapping, auth: token }),
        await post(`job_templates/${asking}/launch/`, { extra_vars: mapping }),
        await post(`job_templates/${asking}/launch/`, { extra_vars: JSON.stringify(mapping) }),
      ];
      return answers.map(({ status, body }) => (status < 300 ? 'taken' : Object.values(body).flat()[0]));
    };
    await set('MAX_VARIABLES_LENGTH', 2000);
    expect(await send(2000)).to.deep.equal(Array(5).fill('taken'));
    expect(await send(2001)).to.deep.equal(Array(5).fill('Must not be longer than 2000 characters.'));
    const injectors = { extra_vars: { a: 'x'.repeat(2000) } };
    const type = await post('credential_types/', { name: `long ${names++}`, kind: 'cloud', inputs: {}, injectors });
    expect(type.body).to.deep.equal({
      injectors: ['Must not be longer than 2000 characters (MAX_VARIABLES_LENGTH).'],
    });
  },
  MAX_TEXT_LENGTH: async ({ set, post, request, token, template, inventory }) => {
    const asking = await template({ ask_limit_on_launch: true, ask_tags_on_launch: true });
    const send = async (length: number) => {
      const text = 'x'.repeat(length);
      const answers = [
        await post('inventories/', { name: `text ${names++}`, organization: 1, description: text }),
        await request('PATCH', `inventories/${inventory}/`, { body: { description: text }, auth: token }),
        await request('PATCH', `job_templates/${asking}/`, { body: { job_tags: text }, auth: token }),
        await post(`job_templates/${asking}/launch/`, { limit: text }),
        await post(`job_templates/${asking}/launch/`, { job_tags: text }),
      ];
      return answers.map(({ status, body }) => (status < 300 ? 'taken' : Object.values(body).flat()[0]));
    };
    await set('MAX_TEXT_LENGTH', 2000);
    expect(await send(2000)).to.deep.equal(Array(5).fill('taken'));
    expect(await send(2001)).to.deep.equal(Array(5).fill('Must not be longer than 2000 characters (MAX_TEXT_LENGTH).'));
  },
  PROJECT_FILE_URLS: async ({ set, post, dataDir }) => {
    const project = { name: 'by file', organization: 1, scm_type: 'git', scm_url: `file://${dataDir}/repository` };
    expect((await post('projects/', project)).status).to.equal(400);
    await set('PROJECT_FILE_URLS', [dataDir]);
    expect((await post('projects/', project)).status).to.equal(201);
  },
  STDOUT_MAX_BYTES_DISPLAY: async (stage) => {
    const run = await recordedRun(stage, ['twelve bytes'], { stdout_offset: 12 });
    const text = async () => (await stage.get(`jobs/${run}/stdout/?format=txt`)).body;
    await stage.set('STDOUT_MAX_BYTES_DISPLAY', 12);
    expect(await text()).to.include('twelve bytes');
    await stage.set('STDOUT_MAX_BYTES_DISPLAY', 11);
    expect(await text()).to.include('more than the 11');
  },
  EVENT_STDOUT_MAX_BYTES_DISPLAY: async (stage) => {
    const run = await recordedRun(stage, ['x'.repeat(500)]);
    const length = async () => (await stage.get(`jobs/${run}/job_events/`)).body.results[0].stdout.length;
    expect(await length()).to.equal(500);
    await stage.set('EVENT_STDOUT_MAX_BYTES_DISPLAY', 100);
    expect(await length()).to.be.below(200);
  },
  MAX_UI_JOB_EVENTS: async (stage) => {
    const run = await recordedRun(stage, ['x']);
    await stage.set('MAX_UI_JOB_EVENTS', 123);
    expect((await stage.get(`jobs/${run}/job_events/`)).headers.get('x-ui-max-events')).to.equal('123');
  },
  MAX_WEBSOCKET_EVENT_RATE: async (stage) => {
    const { db, bus } = stage.services;
    const heard = async (rate: number) => {
      await stage.set('MAX_WEBSOCKET_EVENT_RATE', rate);
      const run = await recordedRun(
        stage,
        Array.from({ length: 9 }, () => 'x'),
      );
      const node = { port: Number(new URL(stage.url).port) } as TestNode;
      const client = await connect(node, { authorization: `Bearer ${stage.token}` });
      await client.subscribe({ job_events: [run], jobs: ['summary'] });
      await bus.notify(db, 'events', { run, kind: 'job', from: 1, to: 9 });
      await bus.notify(db, 'events', { run, kind: 'job', from: 10, to: 9, final: true });
      // of this run: another may be ending beside it
      await until(() =>
        client.messages.find(({ unified_job_id: id, final_counter: final }) => id === run && final !== undefined),
      );
      client.socket.close();
      return client.of('job_events').length;
    };
    expect([await heard(4), await heard(0)]).to.deep.equal([4, 9]);
  },
  AD_HOC_COMMANDS: async ({ set, post, inventory }) => {
    await set('AD_HOC_COMMANDS', ['ping']);
    const { status, body } = await post('ad_hoc_commands/', { inventory, module_name: 'shell', module_args: 'id' });
    expect([status, Object.keys(body)]).to.deep.equal([400, ['module_name']]);
  },
  BULK_HOST_MAX_CREATE: async ({ set, post, inventory }) => {
    await set('BULK_HOST_MAX_CREATE', 1);
    const make = (...hosts: string[]) =>
      post('bulk/host_create/', { inventory, hosts: hosts.map((name) => ({ name: `${name}${names++}` })) });
    expect([(await make('a')).status, (await make('b', 'c')).status]).to.deep.equal([201, 400]);
  },
  BULK_HOST_MAX_DELETE: async ({ set, post }) => {
    // one of its own: what other settings launched may still run on theirs
    const { body: own } = await post('inventories/', { name: `bulk${names++}`, organization: 1 });
    const inventory = own.id as number;
    const made = await Promise.all(
      [1, 2].map(() => post('hosts/', { inventory, name: `bulk${names++}` }).then(({ body }) => body.id as number)),
    );
    await set('BULK_HOST_MAX_DELETE', 1);
    expect((await post('bulk/host_delete/', { hosts: made })).status).to.equal(400);
    expect((await post('bulk/host_delete/', { hosts: made.slice(1) })).status).to.equal(201);
  },
  API_PRODUCT_NAME: async ({ set, get }) => {
    expect((await get('ping/')).headers.get('x-api-product-name')).to.equal('Tapline');
    expect(await set('API_PRODUCT_NAME', 'a\nb')).to.equal(400);
    await set('API_PRODUCT_NAME', 'AWX');
    expect((await get('ping/')).headers.get('x-api-product-name')).to.equal('AWX');
  },
  AUTH_BASIC_ENABLED: async ({ set, get }) => {
    await set('AUTH_BASIC_ENABLED', false);
    expect((await get('me/')).status).to.equal(401);
    await set('AUTH_BASIC_ENABLED', true);
    expect((await get('me/')).status).to.equal(200);
  },
  SESSION_COOKIE_AGE: async ({ set, url }) => {
    await set('SESSION_COOKIE_AGE', 321);
    const browser = new Browser(url);
    await browser.login('admin', adminPassword);
    expect((await browser.get('/api/v2/me/')).headers['session-timeout']).to.equal('321');
  },
  SESSION_ABSOLUTE_AGE: async ({ set, url }) => {
    const browser = new Browser(url);
    await browser.login('admin', adminPassword);
    const left = async () => Number((await browser.get('/api/v2/me/')).headers['session-timeout']);
    expect(await left()).to.be.above(1000);
    await set('SESSION_ABSOLUTE_AGE', 500);
    expect(await left()).to.be.within(1, 500);
  },
  TOKEN_EXPIRE_SECONDS: async ({ set, post }) => {
    await set('TOKEN_EXPIRE_SECONDS', 3600);
    const { created, expires } = (await post('tokens/', { scope: 'read' })).body;
    expect(seconds(created, expires)).to.be.within(3590, 3610);
  },
  OAUTH2_CODE_EXPIRE_SECONDS: async (stage) => {
    await stage.set('OAUTH2_CODE_EXPIRE_SECONDS', 77);
    await oauthCode(stage);
    const { rows } = await stage.services.db.raw(
      'select extract(epoch from expires - now()) as left from oauth_codes order by expires desc',
    );
    expect(rows.some((row: { left: string }) => Number(row.left) > 60 && Number(row.left) <= 77)).to.equal(true);
  },
  OAUTH2_REFRESH_EXPIRE_SECONDS: async ({ set, post, url, services }) => {
    const application = { organization: 1, client_type: 'public', authorization_grant_type: 'password' };
    const { body } = await post('applications/', { name: 'refresh', ...application });
    await set('OAUTH2_REFRESH_EXPIRE_SECONDS', 77);
    const form = { grant_type: 'password', client_id: body.client_id, username: 'admin', password: adminPassword };
    expect((await new Browser(url).send('POST', '/api/o/token/', { form })).status).to.equal(200);
    const { rows } = await services.db.raw(
      'select extract(epoch from expires - now()) as left from oauth_refresh_tokens',
    );
    expect(Number(rows[0].left)).to.be.within(60, 77);
  },
  LOCAL_PASSWORD_MIN_LENGTH: passwordRule('LOCAL_PASSWORD_MIN_LENGTH', 'a', 'ab'),
  LOCAL_PASSWORD_MIN_DIGITS: passwordRule('LOCAL_PASSWORD_MIN_DIGITS', 'word1', 'word12'),
  LOCAL_PASSWORD_MIN_UPPER: passwordRule('LOCAL_PASSWORD_MIN_UPPER', 'wordA', 'wordAB'),
  LOCAL_PASSWORD_MIN_SPECIAL: passwordRule('LOCAL_PASSWORD_MIN_SPECIAL', 'word!', 'word!?'),
  // there is no other way to log in yet
  DISABLE_LOCAL_AUTH: async ({ set }) => {
    expect(await set('DISABLE_LOCAL_AUTH', true)).to.equal(400);
  },
  ORG_ADMINS_CAN_SEE_ALL_USERS: async ({ set, get, post }) => {
    const password = 'long enough 1';
    const { body: user } = await post('users/', { username: 'keeper', password });
    await post('users/', { username: 'stranger', password });
    await post('organizations/1/admins/', { id: user.id });
    const sees = async () =>
      (await get('users/?username=stranger', { auth: `keeper:${password}` })).body.count as number;
    expect(await sees()).to.equal(1);
    await set('ORG_ADMINS_CAN_SEE_ALL_USERS', false);
    expect(await sees()).to.equal(0);
  },
  CUSTOM_TITLE: toldAtLogin('CUSTOM_TITLE', 'custom_title', 'Ours'),
  CUSTOM_LOGIN_INFO: toldAtLogin('CUSTOM_LOGIN_INFO', 'custom_login_info', 'Only for us.'),
  CUSTOM_LOGO: toldAtLogin('CUSTOM_LOGO', 'custom_logo', picture),
  CUSTOM_HEADER_LOGO: toldAtLogin('CUSTOM_HEADER_LOGO', 'custom_header_logo', picture),
  LOGIN_REDIRECT_OVERRIDE: toldAtLogin('LOGIN_REDIRECT_OVERRIDE', 'login_redirect_override', '/elsewhere/'),
};
