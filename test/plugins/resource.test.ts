import { authenticated, field, type Plugin, superuser } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { createTestDatabase } from '../support/database.ts';
import { migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

const tables = `await knex.schema.createTable('makers', (t) => {
    t.bigIncrements('id');
    t.text('name').notNullable().unique();
    t.bigInteger('organization_id').references('organizations.id').onDelete('cascade');
  });
  await knex.schema.createTable('gadgets', (t) => {
    t.bigIncrements('id');
    t.text('name').notNullable();
    t.text('description').notNullable().defaultTo('');
    t.bigInteger('host_id').notNullable().references('hosts.id').onDelete('cascade');
    t.bigInteger('maker_id').references('makers.id');
    t.integer('size').notNullable().defaultTo(0).checkPositive();
    t.jsonb('options').notNullable().defaultTo('{}');
    t.decimal('price', 8, 2).notNullable().defaultTo(0);
    t.timestamp('created').notNullable().defaultTo(knex.fn.now());
    t.timestamp('modified').notNullable().defaultTo(knex.fn.now());
    t.bigInteger('created_by_id').references('users.id').onDelete('set null');
    t.unique(['name', 'host_id']);
  });
  await knex.schema.createTable('tags', (t) => { t.bigIncrements('id'); t.text('name').notNullable(); });
  await knex.schema.createTable('gadget_tags', (t) => {
    t.bigInteger('gadget_id').references('gadgets.id').onDelete('cascade');
    t.bigInteger('tag_id').references('tags.id').onDelete('cascade');
    t.primary(['gadget_id', 'tag_id']);
  });`;

const workshop = (): Plugin =>
  testPlugin(
    'work-shop',
    (api) => {
      const access = { see: authenticated, create: authenticated, change: authenticated, delete: superuser };
      const inventory = api.rules.parent('inventory_id', 'inventory', 'read_role');
      const ofHost = {
        name: 'read by host',
        row: async (actor: any, { host_id: id }: any, db: any) =>
          inventory.row(actor, await db('hosts').where({ id }).first(), db),
        query: (actor: any, builder: any, alias: string) =>
          builder.whereIn(`${alias}.host_id`, (inner: any) => {
            inner.select(`${alias}_h.id`).from(`hosts as ${alias}_h`);
            inventory.query(actor, inner, `${alias}_h`);
          }),
      };
      api.resource({
        type: 'maker',
        path: 'makers',
        table: 'makers',
        label: 'Maker',
        fields: { name: field.string({ required: true }), organization: field.ref('organization') },
        access: { ...access, delete: authenticated },
        orderBy: ['name'],
        naming: ['name'],
        sublists: { gadgets: { resource: 'gadget', column: 'maker_id', create: true } },
      });
      api.resource({
        type: 'gadget',
        path: 'gadgets',
        table: 'gadgets',
        label: 'Gadget',
        fields: {
          name: field.string({ required: true, max: 30 }),
          description: field.text(),
          host: field.ref('host', { required: true, nullable: false }),
          maker: field.ref('maker'),
          size: field.integer({ default: 1 }),
          options: field.json(),
          price: field.decimal(),
        },
        access: { ...access, see: ofHost },
        orderBy: ['name'],
        unique: { gadgets_name_host_id_unique: { field: 'name', message: 'The host has a gadget of this name.' } },
        sublists: {
          tags: {
            resource: 'tag',
            through: { table: api.table('gadget_tags'), parent: 'gadget_id', child: 'tag_id' },
            attach: true,
            create: true,
          },
        },
        actions: {
          grow: {
            access: { POST: authenticated },
            handler: async (call, row) => {
              await api.db(api.table('gadgets')).where({ id: row.id }).increment('size', 1);
              return { status: 200, body: (await call.represent('gadget', [row.id]))[0] };
            },
          },
        },
      });
      api.resource({
        type: 'tag',
        path: 'tags',
        table: 'tags',
        label: 'Tag',
        fields: { name: field.string({ required: true }) },
        access,
        orderBy: ['id'],
      });
      api.extend('host', {
        sublists: { gadgets: { resource: 'gadget', column: 'host_id', create: true, write: authenticated } },
      });
    },
    { migrations: migrationFolder({ '0001_tables.ts': tables }) },
  );

describe('resources of plugins', function () {
  let service: TestService;
  let host: any;
  let maker: any;
  let gadget: any;

  before(async () => {
    service = await bootWith({ plugins: [workshop()] });
    const inventory = (await service.post('inventories/', { name: 'i', organization: 1 })).body;
    host = (await service.post('hosts/', { name: 'h', inventory: inventory.id })).body;
  });
  after(async () => {
    await service.stop();
    removeMigrationFolders();
  });

  const names = async (path: string) => (await service.get(path)).body.results.map(({ name }: any) => name);

  it('are created, read, changed and deleted in the schema of the plugin', async () => {
    maker = (await service.post('makers/', { name: 'acme', organization: 1 })).body;
    const made = await service.post('gadgets/', {
      name: 'g',
      host: host.id,
      maker: maker.id,
      options: { a: 1 },
      price: '1.50',
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    gadget = made.body;
    expect(gadget).to.include({
      type: 'gadget',
      url: `/api/v2/gadgets/${gadget.id}/`,
      name: 'g',
      host: host.id,
      size: 1,
      price: '1.50',
    });
    expect(gadget.options).to.deep.equal({ a: 1 });
    expect(gadget.related).to.include({
      host: `/api/v2/hosts/${host.id}/`,
      maker: `/api/v2/makers/${maker.id}/`,
      tags: `${gadget.url}tags/`,
    });
    expect(gadget.summary_fields).to.deep.include({
      host: { id: host.id, name: 'h', description: '' },
      maker: { id: maker.id, name: 'acme' },
    });
    expect((await service.request('PATCH', gadget.url, { body: { size: 4 } })).body.size).to.equal(4);
    expect((await service.post(`${gadget.url}grow/`)).body.size).to.equal(5);
    expect(await service.database.db('plugin_work_shop.gadgets').pluck('name')).to.deep.equal(['g']);
    const second = (await service.post('gadgets/', { name: 'gone', host: host.id })).body;
    expect((await service.request('DELETE', second.url)).status).to.equal(204);
  });

  it('are found by name, listed in the root, and linked from core', async () => {
    expect((await service.get('makers/acme/')).body.id).to.equal(maker.id);
    expect((await service.get('')).body).to.include({ gadgets: '/api/v2/gadgets/', makers: '/api/v2/makers/' });
    expect((await service.get(`hosts/${host.id}/`)).body.related.gadgets).to.equal(`/api/v2/hosts/${host.id}/gadgets/`);
  });

  it('are filtered, ordered and searched, also over links to core and from core', async () => {
    await service.post('gadgets/', { name: 'a', host: host.id });
    expect(await names('gadgets/')).to.deep.equal(['a', 'g']);
    expect(await names('gadgets/?order_by=-size,name')).to.deep.equal(['g', 'a']);
    expect(await names('gadgets/?host__name=h&maker__name__startswith=ac')).to.deep.equal(['g']);
    expect(await names('gadgets/?host__inventory__organization__name=Default&size__gte=5')).to.deep.equal(['g']);
    expect(await names('gadgets/?maker__isnull=true')).to.deep.equal(['a']);
    expect(await names('gadgets/?search=g')).to.deep.equal(['g']);
    expect(await names('hosts/?gadgets__name=g')).to.deep.equal(['h']);
    expect(await names('hosts/?gadgets__maker__name=other')).to.deep.equal([]);
    expect(await names('hosts/?gadgets__search=g')).to.deep.equal(['h']);
    expect(await names('makers/?gadgets__host__name=h')).to.deep.equal(['acme']);
    expect(await names('gadgets/?order_by=-maker__name,name')).to.deep.equal(['a', 'g']);
  });

  it('have lists below resources of core and of their own, through tables of the plugin', async () => {
    expect(await names(`hosts/${host.id}/gadgets/`)).to.deep.equal(['a', 'g']);
    const below = await service.post(`hosts/${host.id}/gadgets/`, { name: 'below' });
    expect(below.body).to.include({ name: 'below', host: host.id });
    await service.request('DELETE', below.body.url);
    const tag = (await service.post(`${gadget.url}tags/`, { name: 'red' })).body;
    expect(await names(`${gadget.url}tags/`)).to.deep.equal(['red']);
    expect(await names('gadgets/?tags__name=red')).to.deep.equal(['g']);
    expect((await service.post(`${gadget.url}tags/`, { id: tag.id, disassociate: true })).status).to.equal(204);
    expect(await names(`${gadget.url}tags/`)).to.deep.equal([]);
  });

  it('answer what a client got wrong with the field and the reason', async () => {
    const refused = async (body: unknown) => {
      const { status, body: answer } = await service.post('gadgets/', body);
      return [status, answer];
    };
    expect(await refused({ host: host.id })).to.deep.equal([400, { name: ['This field is required.'] }]);
    expect(await refused({ name: 'g', host: host.id })).to.deep.equal([
      400,
      { name: ['The host has a gadget of this name.'] },
    ]);
    expect(await refused({ name: 'x', host: 4711 })).to.deep.equal([
      400,
      { host: ['Invalid pk "4711" - object does not exist.'] },
    ]);
    expect(await refused({ name: 'x', host: host.id, size: -1 })).to.deep.equal([
      400,
      { detail: 'A value is not allowed here.' },
    ]);
    const twice = await service.post('makers/', { name: 'acme' });
    expect(twice.body).to.deep.equal({ name: ['Maker with this Name already exists.'] });
    const used = await service.request('DELETE', maker.url);
    expect(used.status).to.equal(409);
    expect(used.body.detail).to.match(/^This object is still used by gadgets/);
  });

  it('are shown to whom their rules allow, in lists, details, counts and over links', async () => {
    await service.post('users/', { username: 'stranger', password: 'a-long-passw0rd' });
    const auth = 'stranger:a-long-passw0rd';
    expect((await service.get('gadgets/', { auth })).body.count).to.equal(0);
    expect((await service.get(gadget.url, { auth })).status).to.equal(404);
    expect((await service.get('makers/?gadgets__name=g', { auth })).body.count).to.equal(0);
    expect((await service.request('PATCH', gadget.url, { body: { size: 1 }, auth })).status).to.equal(404);
  });

  it('are described by OPTIONS and the API description', async () => {
    const { actions } = (await service.request('OPTIONS', 'gadgets/')).body;
    expect(actions.POST.host).to.include({ type: 'id', required: true });
    expect(actions.GET.price).to.include({ type: 'decimal', filterable: true });
    const { paths, components } = (await service.get('openapi.json')).body;
    expect(paths).to.include.keys('/api/v2/gadgets/', '/api/v2/gadgets/{id}/grow/', '/api/v2/hosts/{id}/gadgets/');
    expect(components.schemas.gadget.properties.size).to.include({ type: 'integer' });
  });

  it('write the activity stream', async () => {
    await service.request('PATCH', gadget.url, { body: { description: 'told', maker: null } });
    const [entry] = (await service.get('activity_stream/?object1=gadget&order_by=-id&page_size=1')).body.results;
    expect(entry).to.include({ operation: 'update', object1: 'gadget' });
    expect(entry.changes).to.deep.equal({ description: ['', 'told'], maker: [`acme-${maker.id}`, null] });
  });

  it('go with the row of core that they belong to', async () => {
    await service.request('DELETE', host.url);
    expect((await service.get('gadgets/')).body.count).to.equal(0);
  });
});

describe('two nodes with the data of a plugin', function () {
  after(removeMigrationFolders);

  it('start at the same time on one database, and serve the same rows', async () => {
    const plugin = workshop();
    const database = await createTestDatabase();
    const shared = { TAPLINE_SECRET_KEY: 'one and the same secret on every node' };
    const start = (name: string) =>
      bootWith({ plugins: [plugin], database, env: { TAPLINE_NODE_NAME: name, ...shared } });
    const [first, second] = await Promise.all([start('one'), start('two')]);
    try {
      const { body } = await first.post('makers/', { name: 'shared' });
      expect((await second.get(body.url)).body.name).to.equal('shared');
      await second.request('PATCH', body.url, { body: { name: 'renamed' } });
      expect((await first.get('makers/?name=renamed')).body.count).to.equal(1);
      expect(await database.db('plugin_work_shop.migrations_applied').pluck('name')).to.deep.equal(['0001_tables']);
    } finally {
      await Promise.all([first.stop(), second.stop()]);
      await database.drop();
    }
  });
});
