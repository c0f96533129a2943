import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type CliResult, runCli } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { installPlugin as install } from '../support/install-plugin.ts';
import { bootWith } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('tapline plugins', function () {
  let database: TestDatabase;
  let dataDir: string;

  before(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-cli-'));
    install(dataDir, 'alpha');
    install(dataDir, 'beta', { requires: ['alpha'] });
  });
  after(async () => {
    await database.drop();
    removeFolder(dataDir);
  });

  const cli = (args: string, env: Record<string, string> = {}): Promise<CliResult> =>
    runCli(['plugins', ...args.split(' ')], { DATABASE_URL: database.url, TAPLINE_DATA: dataDir, ...env });
  const done = async (args: string, env?: Record<string, string>) => {
    const { code, out, err } = await cli(args, env);
    expect(code, err).to.equal(0);
    return out;
  };
  const refused = async (args: string, env?: Record<string, string>) => {
    const { code, out, err } = await cli(args, env);
    expect(code, out).to.equal(1);
    expect(err).not.to.match(/\n\s+at /);
    return err;
  };
  const layer = () => JSON.parse(readFileSync(join(dataDir, 'plugins.json'), 'utf8'));

  it('list: installed packages are shown without being imported, switched off or on', async () => {
    install(dataDir, 'loud', { body: `throw new Error('must not run')` });
    const out = await done('list');
    expect(out).to.match(/^NAME +STATE +VERSION +KIND +SWITCHED ON BY +WHAT IT IS\n/);
    expect(out).to.match(/\ntapline-alpha +off +2\.1\.0 +package +What alpha does\.\n/);
    expect(out).to.match(/\nrecommendations +o(ff|n) .*bundled/);
  });

  it('enable: refuses a name that stands for nothing, with the likely one', async () => {
    const err = await refused('enable tapline-alhpa');
    expect(err).to.match(
      /^Did you mean tapline-alpha\?\nplugin tapline-alhpa: there is no such plugin: .*npm install --prefix/,
    );
    expect(await refused('enable tapline-beta')).to.equal('tapline-beta requires alpha: enable it first.\n');
  });

  it('enable: writes the layer in the data folder and tells of the restart', async () => {
    expect(await done('enable tapline-alpha')).to.equal(
      'Plugin alpha is switched on.\nRestart the service, on every node, for this to take effect.\n',
    );
    expect(await done('enable tapline-beta --optional')).to.match(
      /^Plugin beta is switched on, and left out when it fails\./,
    );
    expect(layer()).to.deep.equal({ enable: ['tapline-alpha', { name: 'tapline-beta', optional: true }], disable: [] });
    expect(await done('enable tapline-alpha')).to.equal('tapline-alpha is on already.\n');
    const out = await done('list');
    expect(out).to.match(/\ntapline-alpha +on +2\.1\.0 +package +plugins\.json +alpha\n/);
    expect(out).to.match(/\ntapline-beta +on, optional +2\.1\.0 +package +plugins\.json/);
  });

  it('says when TAPLINE_PLUGINS overrides it', async () => {
    const out = await done('enable tapline-beta', { TAPLINE_PLUGINS: 'tapline-alpha' });
    expect(out).to.match(/But TAPLINE_PLUGINS is set and replaces .*plugins\.json: unset it/);
    const list = await done('list', { TAPLINE_PLUGINS: 'tapline-alpha?' });
    expect(list).to.match(/\ntapline-alpha +on, optional +2\.1\.0 +package +TAPLINE_PLUGINS/);
    expect(list).to.match(/\ntapline-beta +off/);
    expect(list).to.match(/TAPLINE_PLUGINS is set: it replaces/);
  });

  it('enable, list and doctor: refuse as optional what must not be', async () => {
    install(dataDir, 'gate', { manifest: 'mandatory: true,' });
    expect(await refused('enable tapline-gate --optional')).to.match(
      /^plugin gate: it must not be optional, .*switch it off\.\n$/,
    );
    const env = { TAPLINE_PLUGINS: 'tapline-gate?' };
    expect(await done('list', env)).to.match(/\ntapline-gate +on, optional, FAILS .*it must not be optional/);
    const { code, out } = await cli('doctor', env);
    expect(code).to.equal(1);
    expect(out).to.match(/FAILED +plugin gate: it must not be optional, .*write "tapline-gate" without "\?"/);
    removeFolder(join(dataDir, 'plugins', 'node_modules', 'tapline-gate'));
  });

  it('doctor: says which data lacks migrations, and what fails', async () => {
    const out = await done('doctor');
    expect(out).to.match(/ok +alpha 2\.1\.0: alpha, for SDK \^1\.0\.0\n/);
    expect(out).to.match(/\d plugins register, nothing clashes/);
    expect(out).to.match(
      /warning +alpha: its data lacks migrations: 0001_notes\n +→ Starting the service applies them\./,
    );
    const { code, out: broken } = await cli('doctor', { TAPLINE_PLUGINS: 'tapline-loud' });
    expect(code).to.equal(1);
    expect(broken).to.match(/FAILED +plugin loud: register failed: must not run/);
    const { code: unknown, out: gone } = await cli('doctor', { TAPLINE_PLUGINS: 'nothing' });
    expect(unknown).to.equal(1);
    expect(gone).to.match(/FAILED +plugin nothing: there is no such plugin/);
  });

  it('migrate: brings the data of plugins up to date too', async () => {
    const run = () =>
      runCli(['migrate'], { DATABASE_URL: database.url, TAPLINE_DATA: dataDir, TAPLINE_PLUGINS: 'tapline-alpha' });
    expect((await run()).out).to.equal('Applied: alpha/0001_notes\n');
    expect((await run()).out).to.equal('The database is up to date.\n');
  });

  it('tapline doctor looks at plugins as well', async () => {
    const { out } = await runCli(['doctor'], {
      DATABASE_URL: database.url,
      TAPLINE_DATA: dataDir,
      TAPLINE_PLUGINS: 'tapline-alpha',
    });
    expect(out).to.match(/ok +alpha: its data in plugin_alpha is up to date/);
  });

  let service: TestService;

  it('what is enabled runs after a restart', async () => {
    service = await bootWith({ database, dataDir, env: { TAPLINE_PLUGINS: 'tapline-alpha,tapline-beta' } });
    expect((await service.post('alpha_notes/', { text: 'one' })).status).to.equal(201);
    await service.post('alpha_notes/', { text: 'two' });
    await service.request('PATCH', 'settings/alpha/', { body: { ALPHA_LIMIT: 5 } });
    await service.request('PATCH', 'settings/beta/', { body: { BETA_LIMIT: 6 } });
    expect(await done('doctor')).to.match(/ok +alpha: its data in plugin_alpha is up to date/);
  });

  it('disable: refuses what others need, takes the id too, and keeps data', async () => {
    expect(await refused('disable alpha')).to.equal('beta requires alpha: disable it first.\n');
    expect(await done('disable tapline-beta')).to.match(/^Plugin beta is switched off\. Its data stays/);
    expect(await done('disable alpha')).to.match(/^Plugin alpha is switched off/);
    expect(layer()).to.deep.equal({ enable: [], disable: [] });
    expect(await done('disable tapline-alpha')).to.equal('tapline-alpha is off already.\n');
    expect(await refused('disable tapline-gamma')).to.match(
      /^No plugin tapline-gamma is on\. .*`plugins list` shows them\.\n$/,
    );
  });

  it('disable and enable take those of config/plugins.ts off the list, and put them back', async () => {
    expect(await done('disable recommendations')).to.match(/^Plugin recommendations is switched off/);
    expect(layer()).to.deep.equal({ enable: [], disable: ['recommendations'] });
    expect(await done('list')).to.match(/\nrecommendations +off/);
    await done('enable recommendations');
    expect(layer()).to.deep.equal({ enable: [], disable: [] });
  });

  it('uninstall: refuses while it is on, and while it runs on a node', async () => {
    const on = { TAPLINE_PLUGINS: 'tapline-alpha' };
    expect(await refused('uninstall alpha --drop-data --yes', on)).to.match(
      /^alpha is switched on: run `plugins disable tapline-alpha`/,
    );
    expect(await refused('uninstall alpha --drop-data --yes')).to.match(
      /^Nothing was dropped: alpha still runs on \S+\. Restart the service there first/,
    );
    expect(await refused('uninstall nothing')).to.match(
      /^There is no plugin nothing, and no data of one\. Plugins with data here: alpha, beta\.\n$/,
    );
    await service.stop();
    // from here on one serves that does not have it
    service = await bootWith({ database, dataDir });
  });

  it('uninstall: shows what would be lost, and keeps it without --drop-data or --yes', async () => {
    await database.db.raw(`select tapline_jobs.add_job('alpha:sweep', '{}'::json)`);
    const kept = await done('uninstall tapline-alpha');
    expect(kept).to.match(/schema plugin_alpha\n +notes: 2 rows\n +settings: ALPHA_LIMIT\n +1 waiting task\n/);
    expect(kept).to.match(/All of it stays.*--drop-data drops it\.\n/);
    expect(kept).to.match(/npm uninstall --prefix .*plugins tapline-alpha\n$/);
    const { code, out, err } = await cli('uninstall tapline-alpha --drop-data');
    expect(code).to.equal(1);
    expect(out).to.match(/notes: 2 rows/);
    expect(err).to.match(/^Nothing was dropped\. Make a backup, then repeat with --yes/);
    expect(await database.db('plugin_alpha.notes').pluck('text')).to.deep.equal(['one', 'two']);
  });

  it('doctor: tells of data and tasks whose plugin is off', async () => {
    const out = await done('doctor');
    expect(out).to.match(
      /warning +alpha is not on, and its data is kept in plugin_alpha\n +→ .*`plugins uninstall alpha --drop-data`/,
    );
    expect(out).to.match(/warning +1 task waits for plugin alpha since \S+: alpha:sweep/);
  });

  it('uninstall --drop-data --yes: leaves nothing of it behind', async () => {
    expect(await done('uninstall tapline-alpha --drop-data --yes')).to.match(
      /Dropped\. alpha left nothing in the database/,
    );
    const { rows } = await database.db.raw(
      `select to_regnamespace('plugin_alpha') as schema, (select count(*)::int from tapline_jobs.jobs where task_identifier = 'alpha:sweep') as tasks`,
    );
    expect(rows).to.deep.equal([{ schema: null, tasks: 0 }]);
    expect((await service.get('organizations/')).status).to.equal(200);
    await service.stop();
    expect(await database.db('settings').where('key', 'ALPHA_LIMIT')).to.deep.equal([]);
    removeFolder(join(dataDir, 'plugins', 'node_modules', 'tapline-beta'));
    expect(await done('uninstall beta --drop-data --yes')).to.match(
      /settings: BETA_LIMIT.*its package is not here.*\nDropped\./s,
    );
    expect(await database.db('settings').where('key', 'BETA_LIMIT')).to.deep.equal([]);
    expect(await refused('uninstall beta')).to.match(/^There is no plugin beta, and no data of one/);
  });

  it('uninstall: by its id it finds the package and the settings of a plugin that is off', async () => {
    install(dataDir, 'gamma');
    service = await bootWith({ database, dataDir, env: { TAPLINE_PLUGINS: 'tapline-gamma', TAPLINE_ROLES: 'web' } });
    await service.request('PATCH', 'settings/gamma/', { body: { GAMMA_LIMIT: 5 } });
    await service.stop();
    const out = await done('uninstall gamma --drop-data --yes');
    expect(out).to.match(/schema plugin_gamma\n.*settings: GAMMA_LIMIT\n.*Dropped\./s);
    expect(out).not.to.contain('its package is not here');
    expect(out).to.match(/Its package stays; remove it by: npm uninstall --prefix .* tapline-gamma\n$/);
    expect(await database.db('settings').where('key', 'GAMMA_LIMIT')).to.deep.equal([]);
    const noted = await database.db('service_state').where('key', 'plugin_settings').first('value');
    expect(Object.keys(noted.value)).not.to.include('GAMMA_LIMIT');
  });
});
