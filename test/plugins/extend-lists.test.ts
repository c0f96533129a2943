import { field, format, parameter, type Plugin } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

const table = `await knex.schema.createTable('host_checks', (t) => {
  t.bigInteger('host_id').primary().references('hosts.id').onDelete('cascade');
  t.timestamp('check_at');
  t.jsonb('check_kinds').notNullable();
});`;

const check = (): Plugin =>
  testPlugin(
    'check',
    (api) =>
      api.extend('host', {
        formats: {
          checks: format.csv({ columns: { Host: 'name', Kinds: (row) => (row['check_kinds'] as string[]).join(' ') } }),
          broken: format.jsonLines({
            columns: {
              Name: (row) => {
                if (row.name === 'never') throw new TypeError('no name');
                return row.name;
              },
            },
          }),
          wrong: { media: 'text/plain', extension: 'txt', row: async () => 'late' },
        } as any,
        table: 'host_checks',
        fields: {
          check_at: field.datetime({ nullable: true }),
          check_kinds: field.list({ filterable: false }),
        },
        parameters: {
          checked_since: parameter.since('check_at'),
          check_kinds: parameter.memberOf('check_kinds', ['disk', 'net']),
          check_broken: {
            type: 'string',
            help: 'Those that break.',
            narrow: (conditions, how) => {
              if (how === 'throws') throw new TypeError('no');
              return (async () => conditions)() as never;
            },
          },
        },
      }),
    { migrations: migrationFolder({ '0001_checks.ts': table }) },
  );

describe('what a plugin adds to the lists of core', function () {
  let service: TestService;
  const errors: any[] = [];

  before(async () => {
    service = await bootWith({ plugins: [check()], env: { TAPLINE_ROLES: 'web' } });
    service.services.log.error = ((...told: unknown[]) => void errors.push(told)) as never;
    const { body } = await service.post('inventories/', { name: 'all', organization: 1 });
    const host = (name: string, more = {}) => service.post('hosts/', { name, inventory: body.id, ...more });
    await host('old', { check_at: '2026-01-01T00:00:00Z', check_kinds: ['disk'] });
    await host('new', { check_at: '2026-02-01T00:00:00Z', check_kinds: ['disk', 'net'] });
    await host('never');
  });
  after(async () => {
    await service.stop();
    removeMigrationFolders();
  });

  const names = async (path: string) => (await service.get(path)).body.results.map(({ name }: any) => name);

  describe('a parameter', () => {
    it('narrows them by fields that are kept beside the rows', async () => {
      expect(await names('hosts/?checked_since=2026-01-15')).to.deep.equal(['new']);
      expect(await names('hosts/?check_kinds=disk&order_by=-name')).to.deep.equal(['old', 'new']);
      expect(await names('inventories/2/hosts/?check_kinds=net')).to.deep.equal(['new']);
    });

    it('stands in OPTIONS and the description of the API', async () => {
      const { parameters } = (await service.request('OPTIONS', 'hosts/')).body;
      expect(parameters).to.have.all.keys('checked_since', 'check_kinds', 'check_broken', 'format', 'host_filter');
      const { paths } = (await service.get('openapi.json')).body;
      const named = paths['/api/v2/hosts/'].get.parameters.map(({ name }: any) => name);
      expect(named).to.include.members(['page', 'checked_since']);
    });

    it('is blamed for what it throws, and for a promise, which would narrow nothing', async () => {
      for (const how of ['throws', 'promises']) {
        errors.length = 0;
        expect((await service.get(`hosts/?check_broken=${how}`)).status).to.equal(500);
        expect(errors[0][0]).to.include({ plugin: 'check', what: 'extension of host parameter check_broken narrow' });
      }
    });
  });

  describe('a format', () => {
    const text = async (path: string, auth?: string) =>
      (await service.get(path, auth === undefined ? {} : { auth })).body;

    it('is written for who sees the rows, with what plugins keep beside them', async () => {
      expect(await text('hosts/?format=checks&check_kinds=disk')).to.equal(
        'Host,Kinds\r\nnew,disk net\r\nold,disk\r\n',
      );
      await service.post('users/', { username: 'stranger', password: 'a long password' });
      expect(await text('hosts/?format=checks', 'stranger:a long password')).to.equal('Host,Kinds\r\n');
      expect(await text('inventories/2/hosts/?format=checks&name=old')).to.equal('Host,Kinds\r\nold,disk\r\n');
    });

    it('is blamed for what it throws, and for what is no text', async () => {
      for (const [how, what] of [
        ['broken', 'extension of host format broken Name'],
        ['wrong', 'extension of host format wrong row'],
      ]) {
        errors.length = 0;
        expect((await service.get(`hosts/?format=${how}`)).status).to.equal(500);
        expect(errors[0][0]).to.include({ plugin: 'check', what });
      }
    });
  });
});

describe('what a plugin cannot add to the lists of core', function () {
  const since = parameter.since('created');
  const refusal = (...extensions: any[]) =>
    bootWith({
      plugins: extensions.map((extension, index) =>
        testPlugin(['first', 'second'][index]!, (api) => api.extend('host', extension)),
      ),
      env: { TAPLINE_ROLES: 'web' },
    }).then(
      async (service) => service.stop().then(() => 'it booted'),
      (error: Error) => error.message,
    );
  const cases: [string, any[], RegExp][] = [
    [
      'a parameter like a field',
      [{ parameters: { enabled: since } }],
      /first: api\.extend\("host"\) adds the parameter enabled, but host has a field of that name/,
    ],
    ['a parameter of every list', [{ parameters: { search: since } }], /host has a parameter of that name/],
    ['one of another plugin', [{ parameters: { x: since } }, { parameters: { x: since } }], /second: .*first/],
    [
      'one by what is not there',
      [{ parameters: { x: parameter.since('nowhen') } }],
      /first: api\.extend\("host"\) adds the parameter x: host has no field or column nowhen/,
    ],
    [
      'one of no type',
      [{ parameters: { x: { ...since, type: 'time' } } }],
      /api\.extend\("host"\) has a wrong argument: parameters\.x\.type/,
    ],
    ['one of two words', [{ parameters: { check__x: since } }], /parameters\.check__x must have a name in snake_case/],
    ['a choice without choices', [{ parameters: { x: { ...since, type: 'choice' } } }], /x must have choices/],
    [
      'a format that is there',
      [{ formats: { json: format.csv() } }],
      /formats\.json must have a name .*none that every list serves/,
    ],
    ['one of another plugin', [{ formats: { x: format.csv() } }, { formats: { x: format.csv() } }], /second: .*first/],
    ['a format without rows', [{ formats: { x: { media: 'a/b', extension: 'x' } } }], /x must have either `row` or/],
    ['a format of no media type', [{ formats: { x: { ...format.csv(), media: 'csv' } } }], /x\.media must be a media/],
    ['one without help', [{ parameters: { x: { ...since, help: '' } } }], /x\.help must not be empty/],
  ];
  for (const [what, extensions, message] of cases)
    it(`name the plugin and what is wrong: ${what}`, async () => {
      expect(await refusal(...extensions)).to.match(message);
    });
});
