import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkPlugins } from '../../core/app/doctor/plugins.ts';
import { loadConfig } from '../../core/config/config.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { bootWith } from '../support/plugins.ts';

const migrations = new URL('../fixtures/plugins/sample/migrations/', import.meta.url).href;

/** A module of a plugin that is in order but for this. */
const moduleOf = (register: string, id = 'sample') => `
import { anyOf, authenticated, columnIs, definePlugin, field, superuser } from '@tapline/plugin-sdk';
const handler = async () => ({ status: 200, body: {} });
const note = (api, more = {}) => api.resource({
  type: 'sample_note', path: 'sample_notes', table: 'notes', label: 'Note', orderBy: ['name'],
  ...more,
  access: { see: authenticated, ...more.access },
  fields: { name: field.string({ required: true }), text: field.text(), organization: field.ref('organization'), ...more.fields },
});
const kind = (api, more = {}, resource = {}) => api.runKind({
  kind: 'sample_run', template: null, needs: 'task', noted: true, work: async () => {}, plan: async () => ({ columns: {} }),
  access: { see: authenticated, cancel: superuser, delete: superuser }, ...more,
  resource: { path: 'sample_runs', label: 'Sample run', description: 'Made up.', fields: {}, ...resource },
});
export default definePlugin({
  id: '${id}', title: 'Sample', version: '1.0.0', sdk: '^1.0.0', migrations: new URL('${migrations}'),
  register(api) { ${register} },
});`;

type Fault = [what: string, register: string, said: string | RegExp];

/** What can be known without a database. */
const withCore: Fault[] = [
  ['a type of core', `note(api, { type: 'host' })`, 'api.resource("host") clashes: core has the type host'],
  ['a path of core', `note(api, { path: 'hosts' })`, 'clashes: core has the path hosts'],
  [
    'a route of core',
    `api.route({ path: '/api/v2/ping/', access: { GET: authenticated }, handler })`,
    'api.route("/api/v2/ping/") clashes: there is a route of this path, /api/v2/ping/',
  ],
  [
    "a route at the path of core's list below a record",
    `api.route({ path: '/api/v2/inventories/:inventory/hosts/', access: { GET: authenticated }, handler })`,
    'api.route("/api/v2/inventories/:inventory/hosts/") clashes: there is a route of this path',
  ],
  [
    'a route where its own resource has an action',
    `note(api, { actions: { pin: { access: { POST: authenticated }, handler } } });
     api.route({ path: '/api/v2/sample_notes/:note/pin/', access: { POST: authenticated }, handler })`,
    'api.route("/api/v2/sample_notes/:note/pin/") clashes: there is a route of this path',
  ],
  [
    'an action where its own route is',
    `api.route({ path: '/api/v2/hosts/:id/notes/', access: { POST: authenticated }, handler });
     note(api);
     api.extend('host', { sublists: { notes: { resource: 'sample_note', column: 'organization_id' } } })`,
    'api.route("/api/v2/hosts/:id/notes/") clashes: there is a route of this path',
  ],
  [
    'a field of core',
    `api.extend('inventory', { table: 'x', fields: { variables: field.text() } })`,
    'api.extend("inventory") adds the field variables, but inventory has a field of that name in core',
  ],
  [
    'an extension of nothing',
    `api.extend('inventories', { related: () => ({}) })`,
    'api.extend("inventories") names a type that nobody declares',
  ],
  [
    'a required field in an extension',
    `api.extend('host', { table: 'x', fields: { rack: field.text({ required: true }) } })`,
    'api.extend("host") makes its field rack required',
  ],
  [
    'a setting of core',
    `api.settings.define({ key: 'MAX_FORKS', category: 'sample', type: 'integer', default: 1, help: 'Mine.' })`,
    'api.settings.define("MAX_FORKS") clashes: core has a setting MAX_FORKS',
  ],
  ['a guard of nothing', `api.guard('hosts', 'create', () => {})`, 'api.guard("hosts", "create") names a type that'],
  [
    'an answer of no type',
    `api.route({ path: '/api/v2/x/', access: { GET: authenticated }, handler, answers: { GET: { type: 'nosuch' } } })`,
    'api.route("/api/v2/x/") answers with nosuch, a type that nobody declares',
  ],
  [
    'an action that answers with no type',
    `note(api, { listActions: { x: { access: { GET: authenticated }, handler, answers: { GET: { type: 'nosuch', page: true } } } } })`,
    'api.resource("sample_note") answers with nosuch, a type that nobody declares',
  ],
  [
    'a kind of runs that core has',
    `kind(api, { kind: 'job' })`,
    'api.runKind("job") clashes: core has the run kind job',
  ],
  [
    "a kind of runs at core's path",
    `kind(api, {}, { path: 'jobs' })`,
    'api.runKind("sample_run") clashes: core has the path jobs',
  ],
  [
    'a kind of runs of which a default is of another type',
    `kind(api, {}, { fields: { ready: field.boolean({ default: 'perhaps', column: 'x' }) } })`,
    'api.runKind("sample_run") has a wrong argument: fields.ready: default "perhaps" must be true or false',
  ],
  [
    'pages that are not there',
    `api.pages({ path: '/sample/', folder: new URL('./nosuch/', import.meta.url) })`,
    /api\.pages\("\/sample\/"\) has nothing to serve: .*nosuch\/index\.html is missing/,
  ],
  [
    'pages at the path of a route',
    `api.route({ path: '/sample/', access: { GET: authenticated }, handler });
     api.pages({ path: '/sample/', folder: new URL('./nosuch/', import.meta.url) })`,
    'api.pages("/sample/") clashes: the path /sample/ is its own already',
  ],
  [
    'a rule over a row on a route',
    `api.route({ path: '/api/v2/x/', access: { GET: api.rules.role('inventory', 'read_role') }, handler })`,
    'api.route("/api/v2/x/") guards GET by "read_role on the inventory", a rule over a row',
  ],
];

/** What only the tables tell. */
const withTables: Fault[] = [
  ['a table that no migration made', `note(api, { table: 'nothing' })`, 'there is no table plugin_sample.nothing'],
  ['a field without column', `note(api, { fields: { nope: field.text() } })`, 'field nope has no column nope'],
  [
    'an order over a link by nothing',
    `note(api, { orderBy: ['organization__nope'] })`,
    `api.resource("sample_note") does not fit: orderBy: Organization has no field named 'nope'`,
  ],
  [
    'an order by a time that the table does not have',
    `note(api, { orderBy: ['-finished'], fields: { finished: field.datetime({ column: 'nope' }) } })`,
    'field finished has no column nope',
  ],
  [
    'a search in what has no value in SQL',
    `note(api, { search: ['size'], fields: { size: field.computed({ compute: () => 1 }) } })`,
    'search names size, which has no value in SQL',
  ],
  ['a summary of nothing', `note(api, { summary: ['id', 'nope'] })`, 'summary names nope'],
  [
    'a list by a column that is not there',
    `note(api, { sublists: { hosts: { resource: 'host', column: 'note_id' } } })`,
    'hosts needs the column note_id in hosts, which is not there',
  ],
  [
    'a list through a table that is not there',
    `note(api); api.extend('host', { sublists: { notes: { resource: 'sample_note', through: { table: api.table('links'), parent: 'host_id', child: 'note_id' } } } })`,
    'api.extend("host") does not fit: notes needs the column host_id in plugin_sample.links',
  ],
  [
    'a rule over a column that is not there',
    `note(api, { access: { see: api.rules.parent('organisation_id', 'organization', 'read_role') } })`,
    /api\.resource\("sample_note"\) does not fit the database \(access\.see\): column own\.organisation_id does not exist\. Perhaps you meant/,
  ],
  [
    'a rule for superusers too',
    `note(api, { access: { delete: anyOf(superuser, columnIs('nope', 1)) } })`,
    /\(access\.delete\): column own\.nope does not exist/,
  ],
  [
    'a rule on what is created',
    `note(api, { access: { create: api.rules.parent('organisation_id', 'organization', 'admin_role') } })`,
    /\(access\.create\): column own\.organisation_id does not exist/,
  ],
  [
    'a rule of an action',
    `note(api, { actions: { pin: { access: { POST: columnIs('nope', 1) }, handler } } })`,
    /\(POST of the action pin\): column own\.nope does not exist/,
  ],
  [
    'a rule that does not go by its alias',
    `note(api, { access: { see: { name: 'x', row: () => true, query: (_actor, builder) => void builder.where('t.name', 'x') } } })`,
    /\(access\.see\): .*missing FROM-clause entry for table "t"/,
  ],
  [
    'a rule that throws',
    `note(api, { access: { change: { name: 'x', row: () => true, query: () => { throw new Error('oops'); } } } })`,
    'fails where its SQL is written (access.change): oops',
  ],
  [
    'a computed field with a wrong column',
    `note(api, { fields: { size: field.computed({ sql: 'length({alias}.nope)' }) } })`,
    /\(the SQL of field size\): column own\.nope does not exist/,
  ],
  [
    'a computed field that is no SQL, with a semicolon',
    `note(api, { fields: { size: field.computed({ sql: 'length({alias}.name); drop table hosts' }) } })`,
    /\(the SQL of field size\): syntax error/,
  ],
  [
    'further SQL with a wrong column',
    `note(api, { extraSql: { size: 'length({alias}.nope)' } })`,
    /\(extraSql\.size\): column own\.nope does not exist/,
  ],
  [
    'an order by something else with a wrong column',
    `note(api, { fields: { text: field.text({ orderSql: 'lower({alias}.nope)' }) } })`,
    /\(orderSql of field text\): column own\.nope does not exist/,
  ],
  [
    'rows that the list leaves out by a wrong column',
    `note(api, { listed: (builder, alias) => void builder.whereNull(alias + '.nope') })`,
    /\(its list\): column own\.nope does not exist/,
  ],
  [
    'a kind of runs with a wrong column',
    `kind(api, {}, { fields: { size: field.computed({ sql: 'length({alias}.nope)' }) } })`,
    /api\.runKind\("sample_run"\) does not fit the database \(the SQL of field size\): column own\.nope/,
  ],
  [
    'a kind of runs that is seen by a wrong column',
    `kind(api, { access: { see: columnIs('nope', 1), cancel: superuser, delete: superuser } })`,
    /api\.runKind\("sample_run"\) does not fit the database \(access\.see\): column own\.nope/,
  ],
  [
    'a kind of runs without its column',
    `kind(api, {}, { fields: { nope: field.text() } })`,
    'has no column nope in runs',
  ],
  [
    'a field of core with a wrong column',
    `api.extend('host', { fields: { sample_size: field.computed({ sql: 'length({alias}.nope)' }) } })`,
    /api\.extend\("host"\) does not fit the database \(the SQL of field sample_size\): column own\.nope/,
  ],
  [
    'a restriction over a wrong column',
    `api.restrict('host', { row: () => true, query: (_actor, builder, alias) => void builder.where(alias + '.nope', 1) })`,
    /api\.restrict\("host"\) does not fit the database \(its query form\): column own\.nope does not exist/,
  ],
];

describe('what a start and `plugins doctor` say of a plugin that cannot be served', function () {
  let database: TestDatabase;
  let dataDir: string;
  let written = 0;
  before(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-fit-'));
  });
  after(async () => {
    await database.drop();
    removeFolder(dataDir);
  });

  const write = (source: string) => {
    const path = join(dataDir, `plugin-${(written += 1)}.mjs`);
    writeFileSync(path, source);
    return path;
  };
  const env = (plugins: string) => ({
    TAPLINE_PLUGINS: plugins,
    TAPLINE_ROLES: 'web',
    TAPLINE_SECRET_KEY: 'a secret key of more than thirty-two characters',
  });
  const start = (plugins: string) =>
    bootWith({ database, dataDir, env: env(plugins) }).then(
      async (service) => {
        const { body } = await service.get('plugins/');
        await service.stop();
        return body.results as { id: string; state: string; reason: string }[];
      },
      (error: Error) => error.message,
    );
  const doctor = async (plugins: string, url = database.url) =>
    checkPlugins(loadConfig({ DATABASE_URL: url, TAPLINE_DATA: dataDir, LOG_LEVEL: 'silent', ...env(plugins) }));
  const failures = async (plugins: string, url?: string) =>
    (await doctor(plugins, url)).filter(({ level }) => level === 'fail').map(({ what }) => what);

  for (const [what, register, said] of withCore)
    it(`is told of ${what}, by the doctor without a database too`, async () => {
      const path = write(moduleOf(register));
      const text = await start(path);
      if (typeof said === 'string') expect(text).to.contain(said);
      else expect(text).to.match(said);
      expect(text).to.match(/^Tapline could not start: phase "(plugins|declarations)": plugin sample: /);
      const reason = (text as string).replace(/^.*?": (?=plugin)/, '');
      expect(await failures(path, '')).to.deep.equal([reason]);
    });

  for (const [what, register, said] of withTables)
    it(`is told of ${what}`, async () => {
      const path = write(moduleOf(register));
      const text = await start(path);
      if (typeof said === 'string') expect(text).to.contain(said);
      else expect(text).to.match(said);
      expect(text).to.match(/^Tapline could not start: phase "compile": plugin sample: /);
      const reason = (text as string).replace(/^.*?": (?=plugin)/, '');
      expect(await failures(path)).to.deep.equal([reason]);
    });

  it('is left out where it is optional, whatever is wrong with it', async () => {
    const faults = [...withCore, ...withTables].filter((_, index) => index % 4 === 0);
    for (const [what, register] of faults) {
      const results = await start(`${write(moduleOf(register))}?`);
      expect(results, what)
        .to.be.an('array')
        .and.satisfy(([one]: any) => one.state === 'left out');
    }
  });

  it('is told by the doctor with everything that is wrong with the others', async () => {
    const paths = [
      write(moduleOf(`note(api, { path: 'hosts' })`, 'first')),
      write(moduleOf(`api.pages({ path: '/second/', folder: new URL('./nosuch/', import.meta.url) })`, 'second')),
      `${write(moduleOf(`api.extend('hosts', {})`, 'third'))}?`,
      write(moduleOf(`note(api, { summary: ['nope'] })`)),
    ];
    const found = await doctor(paths.join());
    const of = (level: string) => found.filter((one) => one.level === level).map(({ what }) => what);
    expect(of('fail').map((what) => what.split(':', 1)[0])).to.have.members([
      'plugin first',
      'plugin second',
      'plugin sample',
    ]);
    expect(of('warn').filter((what) => what.startsWith('plugin third'))).to.have.length(1);
    expect(of('ok').filter((what) => what.includes('nothing clashes'))).to.deep.equal([]);
  });

  it('is told by the doctor of a contribution in onStart, which it does not run', async () => {
    const path = write(moduleOf(`api.onStart(() => { api.nav({ path: '/late', label: 'Late' }); })`));
    expect(await start(path)).to.match(/phase "start of plugins": plugin sample: .*api\.nav\("\/late"\) came too late/);
    expect(await failures(path)).to.deep.equal([
      'plugin sample: its onStart calls api.nav, which comes too late: contributions are made inside register',
    ]);
  });

  it('does not try what a plugin says of tables that its migrations have yet to make', async () => {
    const path = write(moduleOf(`note(api)`, 'unmade'));
    const found = await doctor(path);
    expect(found.filter(({ level }) => level === 'fail')).to.deep.equal([]);
    expect(found.map(({ what }) => what)).to.include('unmade: its data lacks migrations: 0001_notes');
  });

  it('says that all of it fits where it does', async () => {
    const path = write(moduleOf(`note(api, { fields: { size: field.computed({ sql: 'length({alias}.name)' }) } })`));
    const found = (await doctor(path)).map(({ what }) => what);
    expect(found).to.include('1 plugin registers, nothing clashes');
    expect(found).to.include('what plugins say of tables, columns and SQL fits the database');
    expect(await start(path)).to.be.an('array');
  });
});
