import { ApiError, authenticated, columnIs, field, superuser, type Plugin, type Rule } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

const table = `await knex.schema.createTable('inventory_frosts', (t) => {
  t.bigInteger('inventory_id').primary().references('inventories.id').onDelete('cascade');
  t.text('frost_reason').notNullable();
});`;

/** Passes what is tried at the start, and breaks for whoever comes. */
const broken: Rule = {
  name: 'broken',
  row: () => (null as any).x,
  query: (actor) => (actor?.username ? (null as any).x : undefined),
};

const frost = (): Plugin =>
  testPlugin(
    'frost',
    (api) => {
      const admin = api.rules.role('inventory', 'admin_role');
      const read = api.rules.role('inventory', 'read_role');
      api.extend('inventory', {
        table: 'inventory_frosts',
        fields: { frost_reason: field.string() },
        actions: {
          freeze: {
            access: { GET: read, POST: admin },
            summary: 'Freeze it',
            fields: {
              reason: field.string({ required: true }),
              approver: field.ref('user'),
              days: field.integer({ min: 1 }),
            },
            answers: {
              GET: { fields: { frozen: field.boolean() } },
              POST: { fields: { name: field.string(), was: field.string(), body: field.json() } },
            },
            handler: async ({ method, body }, row) => ({
              status: 200,
              body:
                method === 'GET'
                  ? { frozen: row.frost_reason !== '' }
                  : { name: row.name, was: row.frost_reason, body },
            }),
          },
          melt: {
            access: { POST: superuser },
            related: false,
            handler: async (_call, row) => {
              if (row.name === 'cold') throw new ApiError(409, 'It is too cold.');
              throw new TypeError('the heater broke');
            },
          },
        },
        listActions: {
          frozen: {
            access: { GET: authenticated },
            handler: async (call) =>
              call.list('inventory', (builder, alias) => void builder.where(`${alias}.name`, 'cold')),
          },
        },
      });
      api.extend('organization', {
        actions: { shatter: { access: { POST: broken }, handler: async () => ({ status: 204 }) } },
      });
    },
    { migrations: migrationFolder({ '0001_frosts.ts': table }) },
  );

describe('actions that a plugin adds to a resource of core', function () {
  let service: TestService;
  let cold: any;
  const errors: any[] = [];

  before(async () => {
    service = await bootWith({ plugins: [frost()], env: { TAPLINE_ROLES: 'web' } });
    service.services.log.error = ((...told: unknown[]) => void errors.push(told)) as never;
    cold = (await service.post('inventories/', { name: 'cold', organization: 1, frost_reason: 'winter' })).body;
    for (const username of ['owner', 'reader', 'stranger'])
      await service.post('users/', { username, password: 'a long password' });
    await give('owner', 'admin_role');
    await give('reader', 'read_role');
  });
  after(async () => {
    await service.stop();
    removeMigrationFolders();
  });

  async function give(username: string, role: string) {
    const { id } = (await service.get(`users/?username=${username}`)).body.results[0];
    const { body } = await service.get(`inventories/${cold.id}/`);
    await service.post(`users/${id}/roles/`, { id: body.summary_fields.object_roles[role].id });
  }
  const as = (name: string) => ({ auth: `${name}:a long password` });
  const freeze = (who: string, body: unknown = { reason: 'cold' }) =>
    service.post(`inventories/${cold.id}/freeze/`, body, as(who));

  it('are called with the row as core reads it and the body as their fields say', async () => {
    const { status, body } = await freeze('owner', { reason: ' cold ', days: '3', more: 1 });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ name: 'cold', was: 'winter', body: { reason: 'cold', days: 3 } });
    expect((await service.get(`inventories/${cold.id}/freeze/`, as('reader'))).body).to.deep.equal({ frozen: true });
  });

  it('answer 401, 405, 404, 403 and 400 in the order of core', async () => {
    expect((await service.post(`inventories/${cold.id}/freeze/`, {}, { auth: null })).status).to.equal(401);
    expect((await service.request('DELETE', `inventories/${cold.id}/freeze/`)).status).to.equal(405);
    expect((await freeze('stranger', {})).status).to.equal(404);
    expect((await service.post('inventories/999/freeze/', {})).status).to.equal(404);
    expect((await freeze('reader', {})).status).to.equal(403);
    expect((await freeze('owner', { days: 0, approver: 999 })).body).to.have.all.keys('reason', 'days', 'approver');
  });

  it('are told by related, user_capabilities, OPTIONS and the API description', async () => {
    const shown = async (who: string) => (await service.get(`inventories/${cold.id}/`, as(who))).body;
    const owner = await shown('owner');
    expect(owner.related.freeze).to.equal(`/api/v2/inventories/${cold.id}/freeze/`);
    expect(owner.related).to.not.have.property('melt');
    expect(owner.summary_fields.user_capabilities).to.include({ edit: true, copy: false, freeze: true, melt: false });
    expect((await shown('reader')).summary_fields.user_capabilities).to.include({ edit: false, freeze: false });
    const list = (await service.get('inventories/', as('owner'))).body.results;
    expect(list[0].summary_fields.user_capabilities).to.include({ edit: true, freeze: true });

    const options = async (who: string) =>
      (await service.request('OPTIONS', `inventories/${cold.id}/freeze/`, as(who))).body.actions;
    expect((await options('owner')).POST.reason).to.include({ required: true, type: 'string' });
    expect(await options('reader')).to.have.all.keys('GET');
    const { paths } = (await service.get('openapi.json')).body;
    const { post } = paths['/api/v2/inventories/{id}/freeze/'];
    expect(post.summary).to.equal('Freeze it');
    expect(post.requestBody.content['application/json'].schema.required).to.deep.equal(['reason']);
    expect(paths['/api/v2/inventories/frozen/']).to.have.property('get');
  });

  it('cost a list one statement, however many rows it has', async () => {
    const counted = async () => {
      let statements = 0;
      const note = () => void (statements += 1);
      service.services.db.on('query', note);
      await service.get('inventories/', as('owner'));
      service.services.db.off('query', note);
      return statements;
    };
    // the least of several: what goes on in the background asks as well
    const count = async () => {
      const counts: number[] = [];
      // one after the other
      // oxlint-disable-next-line no-await-in-loop
      while (counts.length < 8) counts.push(await counted());
      return Math.min(...counts);
    };
    const one = await count();
    for (const name of ['one', 'two', 'three']) {
      const { body } = await service.post('inventories/', { name, organization: 1 });
      const { body: user } = await service.get('users/?username=owner');
      await service.post(`users/${user.results[0].id}/roles/`, { id: body.summary_fields.object_roles.admin_role.id });
    }
    expect(await count()).to.equal(one);
  });

  it('of the list are called without a row', async () => {
    const { body } = await service.get('inventories/frozen/', as('reader'));
    expect(body.results.map(({ name }: any) => name)).to.deep.equal(['cold']);
    expect((await service.get('inventories/frozen/', as('stranger'))).body.count).to.equal(0);
  });

  it('are blamed for what they throw, by the name of their plugin', async () => {
    expect((await service.post(`inventories/${cold.id}/melt/`)).body).to.deep.equal({ detail: 'It is too cold.' });
    const { body: one } = await service.get('inventories/?name=one');
    errors.length = 0;
    expect((await service.post(`inventories/${one.results[0].id}/melt/`)).status).to.equal(500);
    expect(errors[0][0]).to.include({ plugin: 'frost', what: 'extension of inventory action melt handler' });
  });

  it('whose rule breaks are offered to nobody, and core answers as ever', async () => {
    const { body } = await service.get('organizations/1/');
    expect(body.summary_fields.user_capabilities).to.deep.equal({ edit: true, delete: true });
    errors.length = 0;
    expect((await service.post('organizations/1/shatter/')).status).to.equal(500);
    expect(errors[0][0]).to.include({ plugin: 'frost', what: 'extension of organization action shatter access row' });
  });
});

describe('actions that a plugin cannot add', function () {
  const action = { access: { POST: superuser }, handler: async () => ({ status: 204 }) };
  const refusal = (...extensions: any[]) =>
    bootWith({
      plugins: extensions.map((extension, index) =>
        testPlugin(['first', 'second'][index]!, (api) => api.extend('inventory', extension)),
      ),
      env: { TAPLINE_ROLES: 'web' },
    }).then(
      async (service) => service.stop().then(() => 'it booted'),
      (error: Error) => error.message,
    );
  const cases: [string, any[], RegExp][] = [
    [
      'an action of core',
      [{ actions: { copy: action } }],
      /adds the action copy, but inventory has an action of that name/,
    ],
    [
      'a list of core',
      [{ actions: { hosts: action } }],
      /adds the action hosts, but inventory has a list of that name/,
    ],
    ['a field of core', [{ actions: { variables: action } }], /adds the action variables, but inventory has a field/],
    ['one of another plugin', [{ actions: { x: action } }, { actions: { x: action } }], /second: .*first/],
    [
      'one of the list of another plugin',
      [{ listActions: { x: action } }, { listActions: { x: action } }],
      /second: .*list action.*first/,
    ],
    [
      'one that lists a type that nobody declares',
      [{ listActions: { x: { ...action, lists: 'nothing' } } }],
      /first: api\.extend\("inventory"\) lists nothing, a type that nobody declares/,
    ],
    [
      'one of the list whose rule needs a row',
      [{ listActions: { x: { access: { GET: columnIs('name', 'x') }, handler: action.handler } } }],
      /first: api\.extend\("inventory"\) guards GET of the action x by "name is x", a rule over a row/,
    ],
    [
      'one whose rule names what is not there',
      [{ actions: { x: { access: { POST: columnIs('colour', 'x') }, handler: action.handler } } }],
      /first: api\.extend\("inventory"\) does not fit the database \(POST of the action x\)/,
    ],
    ['one without access', [{ actions: { x: { handler: action.handler } } }], /actions\.x\.access must state a rule/],
    ['one without handler', [{ actions: { x: { access: action.access } } }], /actions\.x\.handler must be a function/],
    [
      'one with a misspelt key',
      [{ listActions: { x: { ...action, field: {} } } }],
      /listActions\.x unrecognized key: "field"/,
    ],
  ];
  for (const [what, extensions, message] of cases)
    it(`name the plugin and what is wrong: ${what}`, async () => {
      expect(await refusal(...extensions)).to.match(message);
    });
});
