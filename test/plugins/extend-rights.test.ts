import { field, owner, superuser, type Plugin, type Rule } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

const table = `await knex.schema.createTable('inventory_costs', (t) => {
  t.bigInteger('inventory_id').primary().references('inventories.id').onDelete('cascade');
  t.integer('cost_limit').notNullable();
  t.text('cost_secret').notNullable();
  t.bigInteger('cost_payer_id').references('users.id').onDelete('set null');
  t.text('cost_note').notNullable();
  t.text('cost_private').notNullable();
});`;

/** Passes what is tried at the start, and breaks for whoever comes. */
const broken: Rule = {
  name: 'broken',
  row: () => (null as any).x,
  query: (actor) => (actor?.username ? (null as any).x : undefined),
};

const costs = (): Plugin =>
  testPlugin(
    'costs',
    (api) => {
      const admin = api.rules.role('inventory', 'admin_role');
      api.extend('inventory', {
        table: 'inventory_costs',
        fields: {
          cost_limit: field.integer({ default: 10, read: admin, write: superuser }),
          cost_secret: field.string({ secret: true, write: superuser }),
          cost_payer: field.ref('user', { read: admin }),
          cost_note: field.text({ write: admin }),
          cost_private: field.text({ read: owner('created_by_id') }),
          cost_sum: field.computed({ read: admin, sql: '{alias}.id * 1000', filterable: true }),
        },
      });
      api.extend('label', { fields: { cost_broken: field.computed({ read: broken, compute: () => 1 }) } });
    },
    { migrations: migrationFolder({ '0001_costs.ts': table }) },
  );

describe('rights on single fields that a plugin adds', function () {
  let service: TestService;
  let inventory: any;
  const errors: any[] = [];

  before(async () => {
    service = await bootWith({ plugins: [costs()], env: { TAPLINE_ROLES: 'web' } });
    service.services.log.error = ((...told: unknown[]) => void errors.push(told)) as never;
    const body = {
      name: 'dear',
      organization: 1,
      cost_limit: 99,
      cost_secret: 'deep',
      cost_payer: 1,
      cost_note: 'n',
      cost_private: 'p',
    };
    inventory = (await service.post('inventories/', body)).body;
    for (const username of ['owner', 'reader', 'maker'])
      await service.post('users/', { username, password: 'a long password' });
    const roles = inventory.summary_fields.object_roles;
    await give('owner', roles.admin_role.id);
    await give('reader', roles.read_role.id);
    const { body: organization } = await service.get('organizations/1/');
    await give('maker', organization.summary_fields.object_roles.inventory_admin_role.id);
  });
  after(async () => {
    await service.stop();
    removeMigrationFolders();
  });

  async function give(username: string, role: number) {
    const { body } = await service.get(`users/?username=${username}`);
    await service.post(`users/${body.results[0].id}/roles/`, { id: role });
  }
  const as = (name: string) => ({ auth: `${name}:a long password` });
  const shown = async (who: string) => (await service.get(`inventories/${inventory.id}/`, as(who))).body;
  const patch = (body: unknown, who: string) =>
    service.request('PATCH', `inventories/${inventory.id}/`, { body, ...as(who) });

  it('show them to who may read them', async () => {
    expect(await shown('owner')).to.include({ cost_limit: 99, cost_payer: 1, cost_sum: inventory.id * 1000 });
    const reader = await shown('reader');
    expect(reader).to.not.have.any.keys('cost_limit', 'cost_payer', 'cost_sum');
    expect(reader.summary_fields).to.not.have.property('cost_payer');
    expect(reader).to.include({ cost_note: 'n', cost_secret: '$encrypted$' });
    const { results } = (await service.get('inventories/', as('reader'))).body;
    expect(results[0]).to.not.have.any.keys('cost_limit', 'cost_payer', 'cost_sum');
  });

  it('let nobody else ask for them, also by way of other types', async () => {
    for (const path of [
      'inventories/?cost_limit=99',
      'inventories/?order_by=cost_sum',
      'hosts/?inventory__cost_limit=1',
    ]) {
      expect((await service.get(path, as('reader'))).status, path).to.equal(403);
      expect((await service.get(path)).status, path).to.equal(200);
    }
  });

  it('let who may write them write them', async () => {
    expect((await patch({ cost_note: 'new' }, 'owner')).body.cost_note).to.equal('new');
    expect((await patch({ cost_limit: 98 }, 'owner')).body).to.deep.equal({ detail: 'You may not change cost_limit.' });
    expect((await patch({ cost_secret: 'x' }, 'owner')).body).to.deep.equal({
      detail: 'You may not change cost_secret.',
    });
    expect((await patch({ ...(await shown('owner')), description: 'd' }, 'owner')).status).to.equal(200);
    const made = await service.post('inventories/', { name: 'mine', organization: 1, cost_note: 'x' }, as('maker'));
    expect(made.body).to.deep.equal({ detail: 'You may not set cost_note.' });
    expect((await service.post('inventories/', { name: 'mine', organization: 1 }, as('maker'))).status).to.equal(201);
  });

  it('go along with a copy, but for what only the copy would tell', async () => {
    const copy = (await service.post(`inventories/${inventory.id}/copy/`, { name: 'copy' }, as('maker'))).body;
    expect(copy).to.include({ cost_limit: 99, cost_payer: 1, cost_private: '' });
    const own = (await service.post(`inventories/${inventory.id}/copy/`, { name: 'own copy' })).body;
    expect(own.cost_private).to.equal('p');
  });

  it('keep their values out of the activity stream', async () => {
    await service.request('PATCH', `inventories/${inventory.id}/`, { body: { cost_limit: 100, cost_note: 'y' } });
    const { body } = await service.get(`inventories/${inventory.id}/activity_stream/?order_by=-id&page_size=1`);
    expect(body.results[0].changes).to.deep.equal({ cost_limit: ['hidden', 'hidden'], cost_note: ['new', 'y'] });
  });

  it('whose rule breaks are shown to nobody, and the plugin is named', async () => {
    await service.post('labels/', { name: 'one', organization: 1 });
    errors.length = 0;
    const { body } = await service.get('labels/');
    expect(body.results[0]).to.include({ name: 'one' }).and.not.have.property('cost_broken');
    expect(errors[0][0]).to.include({ plugin: 'costs', what: 'extension of label field cost_broken read row' });
  });

  it('are checked when the plugin registers', async () => {
    const wrong = testPlugin('wrong', (api) =>
      api.extend('label', { fields: { x: field.computed({ read: {} as any }) } }),
    );
    const message = await bootWith({ plugins: [wrong] }).then(String, (error: Error) => error.message);
    expect(message).to.match(/api\.extend\("label"\) has a wrong argument: fields\.x\.read must be a rule/);
  });
});
