import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authenticated, columnIs, field, format, parameter, superuser, type Plugin } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { checkPlugins } from '../../core/app/doctor/plugins.ts';
import { loadConfig } from '../../core/config/config.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const access = { see: authenticated, create: authenticated, change: authenticated, delete: authenticated };

const owner = (register?: Plugin['register']): Plugin =>
  testPlugin(
    'garage',
    (api) => {
      api.resource({
        type: 'car',
        path: 'cars',
        table: 'cars',
        label: 'Car',
        fields: {
          name: field.string({ required: true }),
          old: field.boolean({ mode: 'ro', sql: '({alias}.id > 0)' }),
        },
        access,
        orderBy: ['name'],
        actions: {
          honk: { access: { POST: authenticated }, handler: async () => ({ status: 204 }) },
          // in SQL it speaks of what only reads have
          scrap: { access: { POST: columnIs('old', true) }, handler: async () => ({ status: 204 }) },
        },
      });
      register?.(api);
    },
    {
      migrations: migrationFolder({
        '0001_cars.ts': `await knex.schema.createTable('cars', (t) => { t.bigIncrements('id'); t.text('name').notNullable(); });`,
      }),
    },
  );

const tables = `await knex.schema.createTable('car_taxes', (t) => {
    t.bigInteger('car_id').primary();
    t.integer('tax_due').notNullable();
    t.text('tax_secret').notNullable();
  });
  await knex.schema.createTable('fines', (t) => {
    t.bigIncrements('id');
    t.text('name').notNullable();
    t.bigInteger('car_id');
  });`;

const taxes = (register?: Plugin['register'], id = 'taxes'): Plugin =>
  testPlugin(
    id,
    (api) => {
      api.resource({
        type: 'fine',
        path: 'fines',
        table: 'fines',
        label: 'Fine',
        fields: { name: field.string(), car: field.ref('car') },
        access,
        orderBy: ['id'],
      });
      api.extend('car', {
        table: 'car_taxes',
        fields: { tax_due: field.integer({ write: superuser }), tax_secret: field.string({ secret: true }) },
        sublists: { fines: { resource: 'fine', column: 'car_id', create: true, write: authenticated } },
        actions: {
          tax: {
            access: { POST: authenticated },
            fields: { due: field.integer({ required: true }) },
            handler: async ({ body }, row) => ({
              status: 200,
              body: { car: row.name, was: row.tax_due, due: body.due },
            }),
          },
        },
        parameters: {
          taxed: {
            type: 'integer',
            help: 'Those that owe so much.',
            narrow: (conditions, due, { sql }) => void conditions.whereRaw(`${sql('tax_due')} >= ?`, [due]),
          },
        },
        formats: { csv: format.csv({ columns: { Car: 'name', Due: 'tax_due' } }) },
        related: ({ id: car }) => ({ tax_form: `/forms/${car}/`, honk: '/nowhere/' }),
      });
      register?.(api);
    },
    { migrations: migrationFolder({ '0001_taxes.ts': tables }) },
  );

const env = { TAPLINE_ROLES: 'web' };

describe('what a plugin adds to the resource of another', function () {
  after(removeMigrationFolders);

  for (const [what, plugins] of [
    ['after it', () => [owner(), taxes()]],
    ['before it', () => [taxes(), owner()]],
  ] as const)
    describe(`registered ${what}`, () => {
      let service: TestService;
      let car: any;
      before(async () => {
        service = await bootWith({ plugins: plugins(), env });
        car = (await service.post('cars/', { name: 'red', tax_due: 7, tax_secret: 's' })).body;
      });
      after(() => service.stop());

      it('is shown, filtered, ordered and written as a field of its own', async () => {
        expect(car).to.include({ name: 'red', tax_due: 7, tax_secret: '$encrypted$' });
        await service.post('cars/', { name: 'blue' });
        const names = async (query: string) =>
          (await service.get(`cars/?${query}`)).body.results.map(({ name }: any) => name);
        expect(await names('tax_due=7')).to.deep.equal(['red']);
        expect(await names('order_by=tax_due')).to.deep.equal(['blue', 'red']);
        expect(await names('taxed=5')).to.deep.equal(['red']);
        expect((await service.get('fines/?car__tax_due=7')).status).to.equal(200);
        expect((await service.request('PATCH', car.url, { body: { tax_due: 8 } })).body.tax_due).to.equal(8);
        const { actions } = (await service.request('OPTIONS', 'cars/')).body;
        expect(actions.POST).to.include.keys('tax_due', 'name');
      });

      it('has lists, links, actions and formats', async () => {
        const fine = await service.post(`cars/${car.id}/fines/`, { name: 'speeding' });
        expect([fine.status, fine.body.car]).to.deep.equal([201, car.id]);
        expect((await service.get('cars/?fines__name=speeding')).body.count).to.equal(1);
        expect(car.related).to.include({
          tax_form: `/forms/${car.id}/`,
          honk: `${car.url}honk/`,
          tax: `${car.url}tax/`,
        });
        expect(car.summary_fields.user_capabilities).to.include({ edit: true, honk: true, tax: true });
        expect((await service.post(`${car.url}tax/`, { due: 9 })).body).to.include({ car: 'red', due: 9 });
        expect((await service.get('cars/?format=csv&name=blue')).body).to.equal('Car,Due\r\nblue,0\r\n');
      });

      it('tells of rights to actions as far as they can be told, and the page comes', async () => {
        await service.post('users/', { username: 'driver', password: 'a long password' });
        const driver = { auth: 'driver:a long password' };
        await service.post('cars/', { name: 'green' });
        const { status, body } = await service.get('cars/', driver);
        expect(status).to.equal(200);
        expect(body.results[0].summary_fields.user_capabilities).to.deep.equal({ tax: true, edit: true, delete: true });
        expect((await service.post(`${car.url}scrap/`, {}, driver)).status).to.equal(204);
      });

      it('goes with its rows', async () => {
        const { body } = await service.post('cars/', { name: 'gone', tax_due: 1 });
        const kept = () => service.database.db('plugin_taxes.car_taxes').where({ car_id: body.id });
        expect(await kept()).to.have.length(1);
        expect((await service.request('DELETE', body.url)).status).to.equal(204);
        expect(await kept()).to.have.length(0);
      });
    });

  describe('whose plugin goes and comes', () => {
    let database: TestDatabase;
    before(async () => (database = await createTestDatabase()));
    after(() => database.drop());
    const on = async (plugins: Plugin[], work: (service: TestService) => Promise<void>) => {
      const service = await bootWith({ plugins, database, env });
      try {
        await work(service);
      } finally {
        await service.stop();
      }
    };

    it('waits while that is off, and is there when it comes', async () => {
      await on([taxes()], async (service) => {
        expect((await service.get('fines/')).status).to.equal(200);
        expect((await service.get('cars/')).status).to.equal(404);
      });
      await on([taxes(), owner()], async (service) => {
        expect((await service.post('cars/', { name: 'red', tax_due: 7 })).body.tax_due).to.equal(7);
      });
      await on([owner()], async (service) => {
        expect((await service.get('cars/')).body.results[0]).to.not.have.property('tax_due');
      });
      await on([owner(), taxes()], async (service) => {
        expect((await service.get('cars/')).body.results[0]).to.include({ name: 'red', tax_due: 7 });
      });
    });

    it('keeps nothing of a former one, whose data was dropped', async () => {
      await database.db.raw('drop schema plugin_garage cascade');
      await on([taxes()], async () => undefined);
      await on([owner(), taxes()], async (service) => {
        expect((await service.post('cars/', { name: 'another' })).body).to.include({ id: 1, tax_due: 0 });
        await service.request('DELETE', 'cars/1/');
      });
      const { rows } = await database.db.raw('select count(*)::int as count from plugin_taxes.car_taxes');
      expect(rows[0].count).to.equal(0);
    });
  });

  it('is told by doctor while it waits', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-idle-'));
    const write = (id: string, body: string) =>
      writeFileSync(
        join(folder, `${id}.mjs`),
        `import { authenticated, definePlugin, field } from '@tapline/plugin-sdk';
         export default definePlugin({ id: '${id}', title: '${id}', version: '1.0.0', sdk: '^1.0.0', register(api) { ${body} } });`,
      );
    write('adds', `api.extend('car', { related: () => ({}) }); api.extend('host', { related: () => ({}) });`);
    write(
      'has',
      `api.resource({ type: 'car', path: 'cars', table: 'cars', label: 'Car', orderBy: ['id'], fields: { name: field.text() }, access: { see: authenticated } });`,
    );
    const told = async (...ids: string[]) => {
      const TAPLINE_PLUGINS = ids.map((id) => join(folder, `${id}.mjs`)).join(',');
      const config = loadConfig({ TAPLINE_DATA: folder, TAPLINE_PLUGINS, LOG_LEVEL: 'silent' });
      return (await checkPlugins(config)).filter(({ what }) => what.includes('waits'));
    };
    expect(await told('adds', 'has')).to.deep.equal([]);
    const [finding, ...others] = await told('adds');
    expect(others).to.deep.equal([]);
    expect(finding).to.include({ level: 'warn', what: 'what adds adds to car waits: nobody declares that type' });
    expect(readdirSync(folder)).to.deep.equal(['adds.mjs', 'has.mjs']);
    removeFolder(folder);
  });

  describe('that cannot be', () => {
    const refusal = (...plugins: Plugin[]) =>
      bootWith({ plugins, env }).then(
        async (service) => service.stop().then(() => 'it booted'),
        (error: Error) => error.message,
      );
    const adding = (extension: any, sql = 'select 1') =>
      testPlugin('wrong', (api) => api.extend('car', extension), {
        migrations: migrationFolder({ '0001_a.ts': `await knex.raw(${JSON.stringify(sql)});` }),
      });
    const note = { table: 'a', fields: { note: field.string() } };
    const cases: [string, () => Plugin[], RegExp][] = [
      [
        'a field that it has',
        () => [owner(), adding({ fields: { name: field.computed() } })],
        /wrong: api\.extend\("car"\) adds the field name, but car has a field of that name in plugin garage/,
      ],
      [
        'an action that it has',
        () => [
          owner(),
          adding({ actions: { honk: { access: { POST: authenticated }, handler: async () => ({ status: 204 }) } } }),
        ],
        /adds the action honk, but car has an action of that name in plugin garage/,
      ],
      [
        'its own',
        () => [owner((api) => api.extend('car', { parameters: { since: parameter.since('name') } }))],
        /garage: api\.extend\("car"\) extends a resource of its own/,
      ],
      [
        'in a table without its key',
        () => [owner(), adding(note, 'create table a (car_id bigint, note text)')],
        /wrong: .*needs plugin_wrong\.a\.car_id to be its primary key: in the migration: t\.bigInteger\('car_id'\)\.primary\(\)/,
      ],
      [
        'in a table whose key is none of its rows',
        () => [owner(), adding(note, 'create table a (car_id text primary key, note text)')],
        /plugin wrong: tying plugin_wrong\.a to plugin_garage\.cars failed/,
      ],
    ];
    for (const [what, plugins, message] of cases)
      it(`names the plugin and what is wrong: ${what}`, async () => {
        expect(await refusal(...plugins())).to.match(message);
      });
  });
});
