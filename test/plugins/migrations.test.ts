import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type MigratedPlugin, migratePlugins } from '../../core/plugins/data/migrate.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import { silentLog } from '../support/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addMigration, dropMigration, migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';

describe('migrations of plugins', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(async () => {
    await database.drop();
    removeMigrationFolders();
  });

  /** A plugin whose migrations are these function bodies, by file name. */
  const plugin = (id: string, files: Record<string, string>, more: Partial<MigratedPlugin> = {}) => ({
    id,
    version: '1.0.0',
    migrations: migrationFolder(files),
    ...more,
  });

  const run = (...plugins: MigratedPlugin[]) => migratePlugins({ databaseUrl: database.url, plugins, log: silentLog });

  const refusal = async (...plugins: MigratedPlugin[]): Promise<string> =>
    run(...plugins).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    );

  const exists = async (name: string) =>
    (await database.db.raw('select to_regclass(?) is not null as there', [name])).rows[0].there;

  const things = `await knex.schema.createTable('things', (t) => {
    t.bigIncrements('id');
    t.bigInteger('host_id').references('hosts.id').onDelete('cascade');
    t.text('name').unique();
  });`;

  it('make tables in a schema of the plugin, with foreign keys into core', async () => {
    const result = await run(plugin('deep-sea', { '0001_things.ts': things }));
    expect(result).to.deep.equal({ applied: { 'deep-sea': ['0001_things'] }, leftOut: [] });
    expect(await exists('plugin_deep_sea.things')).to.equal(true);
    expect(await exists('public.things')).to.equal(false);
    const { rows } = await database.db.raw(
      `select confrelid::regclass::text as target from pg_constraint where conrelid = 'plugin_deep_sea.things'::regclass and contype = 'f'`,
    );
    expect(rows).to.deep.equal([{ target: 'hosts' }]);
  });

  it('are remembered in that schema and run once, however many nodes start at the same time', async () => {
    const one = plugin('once', { '0001_a.ts': `await knex.schema.createTable('a', (t) => t.integer('x'));` });
    const results = await Promise.all([run(one), run(one), run(one)]);
    expect(results.flatMap(({ applied }) => applied.once ?? [])).to.deep.equal(['0001_a']);
    expect(await database.db('plugin_once.migrations_applied').pluck('name')).to.deep.equal(['0001_a']);
    expect(await exists('public.migrations_applied')).to.equal(false);
  });

  it('of two plugins may use the same names', async () => {
    await run(plugin('left', { '0001_things.ts': things }), plugin('right', { '0001_things.ts': things }));
    expect(await exists('plugin_left.things')).to.equal(true);
    expect(await exists('plugin_right.things')).to.equal(true);
  });

  it('may be JavaScript; where both are there, they are one', async () => {
    const built = plugin('built', {
      '0001_a.js': `await knex.schema.createTable('a', (t) => t.integer('from_js'));`,
      '0001_a.ts': `await knex.schema.createTable('a', (t) => t.integer('from_ts'));`,
    });
    expect((await run(built)).applied).to.deep.equal({ built: ['0001_a'] });
    expect(await database.db('a').withSchema('plugin_built').columnInfo()).to.have.keys('from_js');
  });

  it('cost nothing where there are none: no schema is made', async () => {
    await run({ id: 'empty', version: '1.0.0' });
    const { rows } = await database.db.raw(`select to_regnamespace('plugin_empty') as schema`);
    expect(rows).to.deep.equal([{ schema: null }]);
  });

  it('that fail name the plugin and the file, and leave nothing behind', async () => {
    const broken = plugin('broken', { '0001_fine.ts': things, '0002_bad.ts': `await knex.raw('select 1 / 0');` });
    expect(await refusal(broken)).to.equal(
      'plugin broken: its migration 0002_bad failed: select 1 / 0 - division by zero',
    );
    expect((await database.db.raw(`select to_regnamespace('plugin_broken') as schema`)).rows[0].schema).to.equal(null);
  });

  it('that fail later keep what earlier starts applied', async () => {
    const growing = plugin('growing', { '0001_things.ts': things });
    await run(growing);
    addMigration(growing.migrations, '0002_more.ts', `await knex.schema.createTable('more', (t) => t.integer('x'));`);
    addMigration(growing.migrations, '0003_bad.ts', `throw new Error('out of ideas');`);
    expect(await refusal(growing)).to.match(/0003_bad failed: out of ideas/);
    expect(await exists('plugin_growing.things')).to.equal(true);
    expect(await exists('plugin_growing.more')).to.equal(false);
    dropMigration(growing.migrations, '0003_bad.ts');
    expect((await run(growing)).applied).to.deep.equal({ growing: ['0002_more'] });
  });

  it('that fail leave an optional plugin out, and go on with the others', async () => {
    const result = await run(
      plugin('fragile', { '0001_bad.ts': `throw new Error('no');` }, { optional: true }),
      plugin('sturdy', { '0001_things.ts': things }),
    );
    expect(Object.keys(result.applied)).to.deep.equal(['sturdy']);
    expect(result.leftOut.map(({ id, error }) => [id, error.message])).to.deep.equal([
      ['fragile', 'plugin fragile: its migration 0001_bad failed: no'],
    ]);
  });

  it('refuse data that a newer version of the plugin changed', async () => {
    const plugged = plugin('versioned', { '0001_things.ts': things, '0002_more.ts': '' });
    await run(plugged);
    dropMigration(plugged.migrations, '0002_more.ts');
    expect(await refusal(plugged)).to.match(
      /^plugin versioned: its data was migrated by a newer version of it than 1\.0\.0 \(plugin_versioned has 0002_more\)/,
    );
  });

  const invasions: [string, string, RegExp][] = [
    ['a table', `await knex.raw('create table public.mine (x int)')`, /adds table public\.mine/],
    ['a column', `await knex.raw('alter table public.hosts add column mine int')`, /adds column public\.hosts\.mine/],
    [
      'a table of core',
      `await knex.schema.alterTable('hosts', (t) => t.setNullable('name'))`,
      /changes column public\.hosts\.name/,
    ],
    ['an index', `await knex.raw('create index mine on hosts (created)')`, /adds index public\.mine/],
    ['a drop', `await knex.raw('drop table public.login_attempts cascade')`, /drops table public\.login_attempts/],
    [
      'a function',
      `await knex.raw('create function public.mine() returns int language sql as $$select 1$$')`,
      /adds function public\.mine\(\)/,
    ],
    [
      'a trigger',
      `await knex.raw('create function mine() returns trigger language plpgsql as $$begin return new; end$$; create trigger mine before insert on hosts for each row execute function mine()')`,
      /adds trigger mine on public\.hosts/,
    ],
    ['a schema', `await knex.raw('create schema elsewhere')`, /adds schema elsewhere/],
    [
      'the schema of another plugin',
      `await knex.raw('drop table plugin_left.things')`,
      /drops table plugin_left\.things/,
    ],
  ];
  for (const [what, body, reason] of invasions)
    it(`that reach outside the plugin's schema are refused and taken back: ${what}`, async () => {
      const message = await refusal(plugin('invader', { '0001_grab.ts': body }));
      expect(message).to.match(
        /^plugin invader: its migration 0001_grab reaches outside the plugin's schema plugin_invader/,
      );
      expect(message).to.match(reason);
      expect(await exists('public.mine')).to.equal(false);
      expect(await exists('public.login_attempts')).to.equal(true);
      expect(await database.db('hosts').withSchema('public').columnInfo()).not.to.have.property('mine');
    });

  it('are refused by name where one would never run', async () => {
    for (const name of ['1_short.ts', '0002-dashes.ts', '0003_types.mts', '0004_plain.sql'])
      expect(await refusal(plugin('misnamed', { '0001_a.ts': '', [name]: '' }))).to.match(
        new RegExp(
          `^plugin misnamed: ${name.replace('.', '\\.')} in .* would never run: name migrations like 0001_words\\.ts`,
        ),
      );
    expect((await run(plugin('with-types', { '0001_a.ts': '', '0001_a.d.ts': '' }))).applied).to.have.key('with-types');
  });

  it('name a folder that is missing, and a file that is no migration', async () => {
    const lost = { id: 'lost', version: '1.0.0', migrations: new URL('file:///nowhere/migrations/') };
    expect(await refusal(lost)).to.match(/^plugin lost: there is no folder of migrations at \/nowhere\/migrations/);
    const empty = plugin('hollow', {});
    writeFileSync(new URL('0001_nothing.ts', empty.migrations), 'export const down = 1;\n');
    expect(await refusal(empty)).to.match(/0001_nothing has no function `up`/);
    const outside = plugin('unbound', { '0001_a.ts': '' });
    writeFileSync(
      new URL('0001_a.ts', outside.migrations),
      'export const config = { transaction: false };\nexport const up = () => undefined;\n',
    );
    expect(await refusal(outside)).to.match(/0001_a asks to run outside a transaction/);
  });
});

describe('the boot with migrations of plugins', function () {
  after(removeMigrationFolders);

  const failing = () =>
    testPlugin('shaky', (api) => api.nav({ path: '/shaky', label: 'Shaky' }), {
      migrations: migrationFolder({ '0001_no.ts': `throw new Error('no room');` }),
    });

  it('ends naming the plugin, the file and the reason', async () => {
    const outcome = await bootWith({ plugins: [failing()] }).then(
      () => 'it booted',
      (error: Error) => error.message,
    );
    expect(outcome).to.equal(
      'Tapline could not start: phase "plugin migrations": plugin shaky: its migration 0001_no failed: no room',
    );
  });

  it('leaves an optional plugin out, and says so', async () => {
    const service = await bootWith({ plugins: [{ plugin: failing(), optional: true }] });
    const { body } = await service.get('plugins/shaky/');
    await service.stop();
    expect(body).to.include({ state: 'left out' });
    expect(body.reason).to.match(/its migration 0001_no failed: no room/);
  });
});
