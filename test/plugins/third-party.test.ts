import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { runCli } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { bootWith } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const bin = join(root, 'node_modules', '.bin');
const ours = ['@tapline/plugin-sdk', '@tapline/console-kit'];
const packageName = 'tapline-plugin-night-watch';

/** npm as the author and the operator use it, but kept from any registry. */
function npm(args: string[], cwd: string, more: Record<string, string> = {}): Promise<string> {
  const env = {
    ...more,
    PATH: [bin, process.env.PATH].join(delimiter),
    HOME: process.env.HOME,
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
  return new Promise((resolve, reject) => {
    execFile('npm', args, { cwd, env, maxBuffer: 1e8 }, (error, out, err) =>
      error ? reject(new Error(`npm ${args.join(' ')}: ${out}${err}`)) : resolve(out),
    );
  });
}

/** What the compiler is to refuse: each line would pass if anything of it were `any`. */
const typed = `import type { PluginApi } from '@tapline/plugin-sdk';
export async function typed(api: PluginApi): Promise<string> {
  const host = await api.db('core_hosts').where({ enabled: true }).first();
  // @ts-expect-error
  host?.enbaled;
  // @ts-expect-error
  await api.db('core_hosts').insert({ name: 'x' });
  // @ts-expect-error
  api.hooks.afterFinish({ name: 'a' }, ({ run }) => run.inventry_id);
  // @ts-expect-error
  api.hooks.beforeStart({ name: 'b', failMode: 'allow' }, ({ template }) => void template?.fork);
  // @ts-expect-error
  api.settings.define({ key: 'A', category: 'a', type: 'boolean', default: 'yes', help: 'A.' });
  const limit: number = api.settings.get('A_LIMIT', 5);
  // @ts-expect-error
  await api.db.nonsense();
  return host!.created + limit;
}
`;

describe('a plugin that somebody else writes', function () {
  let outside: string;
  let folder: string;
  let dataDir: string;
  let database: TestDatabase;
  let tarball: string;

  before(async () => {
    database = await createTestDatabase();
    outside = mkdtempSync(join(tmpdir(), 'tapline-author-'));
    folder = join(outside, 'night-watch');
    dataDir = join(outside, 'data');
    // whoever runs Postgres has to get through
    chmodSync(outside, 0o755);
    mkdirSync(dataDir, { mode: 0o711 });
  });
  after(async () => {
    await database.drop();
    removeFolder(outside);
  });

  const cli = async (...args: string[]) => {
    const { code, out, err } = await runCli(['plugins', ...args], {
      DATABASE_URL: database.url,
      TAPLINE_DATA: dataDir,
    });
    expect(code, `${out}${err}`).to.equal(0);
    return out;
  };
  /** With what the data folder says is on. */
  const boot = () =>
    bootWith({ database, dataDir, env: { TAPLINE_PLUGINS: undefined as never, TAPLINE_ROLES: 'web' } });

  it('is generated into a folder outside the tree, with the SDK beside it', async () => {
    expect(await cli('new', 'night-watch', '--dir', folder)).to.match(/^Plugin night-watch is written to /);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(manifest.name).to.equal(packageName);
    for (const own of ours)
      expect(existsSync(join(folder, manifest.devDependencies[own].replace('file:', ''))), own).to.equal(true);
    expect(readFileSync(join(folder, 'resources', 'hold.ts'), 'utf8')).to.contain("path: 'night_watch_holds'");
    const again = await runCli(['plugins', 'new', 'night-watch', '--dir', folder], { TAPLINE_DATA: dataDir });
    expect([again.code, again.err]).to.deep.equal([1, `${folder} is not empty: name another folder with --dir.\n`]);
    const wrong = await runCli(['plugins', 'new', 'Night_Watch'], { TAPLINE_DATA: dataDir });
    expect(wrong.err).to.match(/^The name must be in kebab-case/);
  });

  it('runs from its folder as it is, while it is written', async () => {
    const env = { DATABASE_URL: database.url, TAPLINE_DATA: dataDir, TAPLINE_PLUGINS: folder };
    const { code, out } = await runCli(['plugins', 'doctor'], env);
    expect(code, out).to.equal(0);
    expect(out).to.match(/ok +night-watch 0\.1\.0: Night watch/);
    expect(out).to.match(/1 plugin registers, nothing clashes/);
  });

  it('builds against the packed SDK, and passes the tests that came with it', async () => {
    // compiler and test runner are the ones of this checkout: an author gets them from the registry
    const modules = join(folder, 'node_modules');
    const home = join(outside, 'sdk');
    mkdirSync(home);
    const needed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).devDependencies;
    await npm(
      ['install', '--prefix', home, ...ours.map((own) => join(folder, needed[own].replace('file:', '')))],
      home,
    );
    for (const tool of Object.keys(needed).filter((one) => !ours.includes(one)))
      for (const place of [modules, join(home, 'node_modules')]) {
        mkdirSync(dirname(join(place, tool)), { recursive: true });
        symlinkSync(join(root, 'node_modules', tool), join(place, tool));
      }
    symlinkSync(join(home, 'node_modules', '@tapline'), join(modules, '@tapline'));
    const packed = join(modules, '@tapline', 'plugin-sdk');
    const links = readFileSync(join(packed, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g);
    expect([...links].map(([, link]) => link!).filter((link) => !existsSync(join(packed, link)))).to.deep.equal([]);
    mkdirSync(join(folder, 'dist', 'migrations'), { recursive: true });
    writeFileSync(join(folder, 'dist', 'migrations', '0001_renamed.js'), 'export const up = () => undefined;\n');
    writeFileSync(join(folder, 'typed.ts'), typed);
    // a folder for all that tests leave: its own Postgres, data folders
    const temporary = join(outside, 't');
    mkdirSync(temporary);
    chmodSync(temporary, 0o777);
    const out = await npm(['test'], folder, { TMPDIR: temporary });
    rmSync(join(folder, 'typed.ts'));
    rmSync(join(folder, 'dist', 'typed.js'));
    rmSync(join(folder, 'dist', 'typed.d.ts'));
    expect(out).to.match(/plugin night-watch as the service expects it/);
    expect(out).to.match(/a hold in the service/);
    expect(out).to.match(/the panel on the page of a template/);
    expect(out).to.match(/22 passing/);
    expect(out).not.to.match(/\d failing/);
    // the compiler keeps one there
    expect(readdirSync(temporary).filter((name) => name !== 'node-compile-cache')).to.deep.equal([]);
  });

  it('is packed without its tests and without the SDK', async () => {
    const [packed] = JSON.parse(
      await npm(['pack', '--json', '--pack-destination', outside, '--ignore-scripts'], folder),
    );
    const files = packed.files.map(({ path }: { path: string }) => path);
    expect(files).to.include.members([
      'dist/index.js',
      'dist/index.d.ts',
      'dist/migrations/0001_holds.js',
      'dist/pages/holds.js',
      'package.json',
    ]);
    expect(files, 'what an earlier build left').not.to.include('dist/migrations/0001_renamed.js');
    expect(files.filter((path: string) => /test|vendor|node_modules|(?<!\.d)\.ts$/.test(path))).to.deep.equal([]);
    tarball = join(outside, packed.filename);
  });

  it('is installed by an operator and switched on by the name of its package', async () => {
    const home = join(dataDir, 'plugins');
    mkdirSync(home, { recursive: true });
    await npm(['install', '--omit=dev', '--prefix', home, tarball], home);
    expect(existsSync(join(home, 'node_modules', '@tapline'))).to.equal(false);
    expect(await cli('list')).to.match(/\ntapline-plugin-night-watch +off +0\.1\.0 +package/);
    expect(await cli('enable', packageName)).to.match(/^Plugin night-watch is switched on\./);
    expect(await cli('doctor')).to.match(/night-watch: its data lacks migrations: 0001_holds/);
  });

  async function template(service: TestService): Promise<{ id: number; url: string }> {
    const project = (await service.post('projects/', { name: 'p', organization: 1, scm_type: '', local_path: '' }))
      .body;
    await database
      .db('templates')
      .where('id', project.id)
      .update({ scm_type: 'git', scm_revision: 'x', playbook_files: '["x.yml"]' });
    const inventory = (await service.post('inventories/', { name: 'i', organization: 1 })).body;
    return (
      await service.post('job_templates/', {
        name: 't',
        project: project.id,
        inventory: inventory.id,
        playbook: 'x.yml',
      })
    ).body;
  }

  it('serves its resource, its setting and its tap', async () => {
    const service = await boot();
    try {
      const { id, url } = await template(service);
      const hold = await service.post('night_watch_holds/', { job_template: id, reason: 'It is being mended.' });
      expect(hold.status, JSON.stringify(hold.body)).to.equal(201);
      expect(hold.body.summary_fields.job_template.name).to.equal('t');
      expect((await service.post('night_watch_holds/', { job_template: id, reason: 'x' })).body).to.deep.equal({
        job_template: ['This template is held already.'],
      });
      const found = await service.get('night_watch_holds/?job_template__name=t&search=mended');
      expect(found.body.count, JSON.stringify(found.body)).to.equal(1);
      const refused = await service.post(`${url}launch/`);
      expect(refused.status).to.equal(403);
      expect(refused.body).to.deep.equal({ detail: 'This template is held.', reasons: ['It is being mended.'] });
      await service.request('PATCH', 'settings/night-watch/', { body: { NIGHT_WATCH_ENFORCED: false } });
      const launched = await service.post(`${url}launch/`);
      expect(launched.status, JSON.stringify(launched.body)).to.equal(201);
      expect((await service.get(`jobs/${launched.body.id}/`)).body.job_explanation).to.contain('It is being mended.');
      expect((await service.get('plugins/night-watch/')).body).to.include({ state: 'on', version: '0.1.0' });
      const pages = (await service.get('console_pages/?page_size=200')).body.results;
      const page = pages.find(({ plugin }: { plugin: string }) => plugin === 'night-watch');
      expect(page).to.deep.include({ path: '/night-watch' });
      expect(page.panels.map(({ on }: { on: string }) => on)).to.deep.equal(['job_template']);
      expect((await service.get(page.module, { auth: null })).text).to.contain('export const routes');
    } finally {
      await service.stop();
    }
  });

  it('leaves nothing behind when it is switched off and removed', async () => {
    await cli('disable', packageName);
    const service = await boot();
    expect((await service.get('night_watch_holds/')).status).to.equal(404);
    expect((await service.get('settings/night-watch/')).status).to.equal(404);
    const { body } = await service.get('activity_stream/?object1=night_watch_hold');
    expect(body.results[0].changes.reason, 'what was done is still told').to.equal('It is being mended.');
    await service.stop();
    expect(await cli('uninstall', packageName, '--drop-data', '--yes')).to.match(
      /holds: 1 row\n[^]*NIGHT_WATCH_ENFORCED[^]*Dropped\./,
    );
    await npm(['uninstall', '--prefix', join(dataDir, 'plugins'), packageName], dataDir);
    expect(await cli('list')).not.to.contain('night-watch');
    const { rows } = await database.db.raw(`select to_regnamespace('plugin_night_watch') as schema`);
    expect(rows).to.deep.equal([{ schema: null }]);
  });
});
