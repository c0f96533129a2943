import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { authenticated, type Plugin, type PluginApi } from '@tapline/plugin-sdk';
import { startPlugins } from '../../core/plugins/lifecycle.ts';
import { preparePlugins } from '../../core/plugins/prepare.ts';
import { Shutdown } from '../../core/app/shutdown.ts';
import { noteResource } from '../fixtures/plugins/sample/resources.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const nothing = () => undefined;
const route = (path: string) => (api: PluginApi) =>
  api.route({ path, access: { GET: authenticated }, handler: async () => ({ status: 200, body: {} }) });
const fails = (): never => {
  throw new Error('broken by the test');
};

/** One plugin that fails, in each phase of the boot. */
const failing: [phase: string, plugin: () => Plugin, reason: RegExp][] = [
  ['plugins', () => testPlugin('sample', fails), /plugin sample: register failed: broken by the test/],
  [
    'declarations',
    () => testPlugin('sample', (api) => api.extend('hosts', {})),
    /plugin sample: api\.extend\("hosts"\) names a type that nobody declares/,
  ],
  [
    'plugin migrations',
    () =>
      testPlugin('sample', nothing, { migrations: new URL('../fixtures/plugins/broken/migrations/', import.meta.url) }),
    /plugin sample: .*0001_broken/,
  ],
  // no migration made its table
  [
    'compile',
    () => testPlugin('sample', (api) => api.resource(noteResource(api))),
    /plugin sample: .*there is no table plugin_sample\.notes/,
  ],
  [
    'start of plugins',
    () => testPlugin('sample', (api) => api.onStart(async () => fails())),
    /plugin sample: onStart failed: broken by the test/,
  ],
];

describe('the boot with a plugin that fails', function () {
  let database: TestDatabase;
  const folders: string[] = [];
  before(async () => void (database = await createTestDatabase()));
  after(async () => {
    await database.drop();
    for (const folder of folders) removeFolder(folder);
  });
  const start = (given: Parameters<typeof bootWith>[0]) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tapline-boot-'));
    folders.push(dataDir);
    return bootWith({
      database,
      dataDir,
      ...given,
      env: {
        TAPLINE_ROLES: 'web',
        TAPLINE_SECRET_KEY: 'a secret key of more than thirty-two characters',
        ...given?.env,
      },
    });
  };
  const failure = (given: Parameters<typeof bootWith>[0]) =>
    start(given).then(
      async (service) => {
        await service.stop();
        return 'nothing failed';
      },
      (error: Error) => error.message,
    );
  const connections = async () => {
    const { rows } = await database.db.raw(
      `select application_name from pg_stat_activity where datname = current_database() and application_name = 'tapline bus'`,
    );
    return rows.length;
  };

  for (const [phase, plugin, reason] of failing) {
    it(`ends in the phase "${phase}" with its name and leaves nothing open`, async () => {
      const text = await failure({ plugins: [plugin()] });
      expect(text).to.contain(`phase "${phase}"`).and.to.match(reason);
      expect(await connections()).to.equal(0);
    });

    it(`goes on without it where it is optional and fails in the phase "${phase}"`, async () => {
      const stopped: string[] = [];
      const good = testPlugin('good', (api) => {
        route('/api/v2/good/')(api);
        api.onStop(() => void stopped.push('good'));
      });
      const bad = plugin();
      const traced = testPlugin(
        'sample',
        (api) => {
          route('/api/v2/bad/')(api);
          bad.register(api);
        },
        bad.migrations ? { migrations: bad.migrations } : {},
      );
      const service = await start({ plugins: [good, { plugin: traced, optional: true }] });
      try {
        expect((await service.get('good/')).status).to.equal(200);
        expect((await service.get('bad/')).status).to.equal(404);
        const { results } = (await service.get('plugins/')).body;
        expect(results.map(({ id, state }: any) => [id, state])).to.deep.equal([
          ['good', 'on'],
          ['sample', 'left out'],
        ]);
        expect(results[1].reason).to.match(reason);
        expect((await service.get('plugins/sample/')).body.state).to.equal('left out');
      } finally {
        await service.stop();
      }
      // once for the start that failed, where it got so far, and once for the one that went on
      expect(stopped.at(-1)).to.equal('good');
    });
  }

  it('goes on without an optional one whose pages are missing, or whose setting is one of core', async () => {
    const faults: ((api: PluginApi) => void)[] = [
      (api) => api.pages({ path: '/sample/', folder: new URL('file:///nowhere/') }),
      (api) =>
        api.settings.define({ key: 'MAX_FORKS', category: 'sample', type: 'integer', default: 1, help: 'Mine.' }),
    ];
    for (const register of faults) {
      const service = await start({ plugins: [{ plugin: testPlugin('sample', register), optional: true }] });
      const { body } = await service.get('plugins/sample/');
      await service.stop();
      expect(body.state).to.equal('left out');
    }
  });

  it("names the plugin whose path, type or setting is core's, and one that narrows what is not there", async () => {
    const text = async (register: (api: any) => void) => failure({ plugins: [testPlugin('sample', register)] });
    const resource = (api: any, more: object) => api.resource({ ...noteResource(api), ...more });
    expect(await text((api) => resource(api, { type: 'host' }))).to.contain(
      'plugin sample: api.resource("host") clashes: core has the type host',
    );
    expect(await text((api) => resource(api, { path: 'hosts' }))).to.contain('clashes: core has the path hosts');
    expect(await text(route('/api/v2/hosts/:host/'))).to.contain(
      'plugin sample: api.route("/api/v2/hosts/:host/") clashes: there is a route of this path',
    );
    expect(await text(route('/api/v2/ping/'))).to.contain('plugin sample: api.route("/api/v2/ping/") clashes');
    const own = { path: '/api/v2/sample/', access: { GET: authenticated }, handler: async () => ({ status: 200 }) };
    expect(await text((api) => api.route({ ...own, root: 'inventory' }))).to.contain(
      'plugin sample: api.route("/api/v2/sample/") clashes: core has the entry inventory of /api/v2/',
    );
    expect(await text((api) => api.route({ ...own, lists: 'nosuch' }))).to.contain('lists nosuch, a type that nobody');
    expect(
      await text((api) =>
        api.settings.define({ key: 'MAX_FORKS', category: 'sample', type: 'integer', default: 1, help: 'Mine.' }),
      ),
    ).to.contain('plugin sample: api.settings.define("MAX_FORKS") clashes: core has a setting MAX_FORKS');
    expect(await text((api) => api.guard('hosts', 'create', nothing))).to.contain(
      'plugin sample: api.guard("hosts", "create") names a type that nobody declares',
    );
    expect(await text((api) => api.restrict('nosuch', { row: () => true, query: nothing }))).to.contain(
      'plugin sample: api.restrict("nosuch") names a type that nobody declares',
    );
  });

  it('refuses the setting of a plugin that is off as any unknown key', async () => {
    const on = testPlugin('sample', (api) =>
      api.settings.define({ key: 'SAMPLE_DAYS', category: 'sample', type: 'integer', default: 1, help: 'Days.' }),
    );
    const env = { TAPLINE_SAMPLE_DAYS: '4' };
    expect(await failure({ plugins: [on], env })).to.equal('nothing failed');
    expect(await failure({ env })).to.match(/Unknown configuration key TAPLINE_SAMPLE_DAYS/);
    expect(await failure({ plugins: [on], env: { TAPLINE_SAMPLE_DAYS: 'many' } })).to.match(
      /TAPLINE_SAMPLE_DAYS.*whole number/,
    );
  });

  const choosy = () =>
    testPlugin('sample', (api) =>
      api.settings.define({
        key: 'SAMPLE_DAYS',
        category: 'sample',
        type: 'integer',
        default: 1,
        help: 'Days.',
        check: (value) => (value === 1 ? undefined : fails()),
      }),
    );

  it("names the plugin whose setting's check throws, and goes on without it where it is optional", async () => {
    const env = { TAPLINE_SAMPLE_DAYS: '4' };
    expect(await failure({ plugins: [choosy()], env })).to.match(
      /plugin sample: TAPLINE_SAMPLE_DAYS is "4", which its own check could not judge: broken by the test/,
    );
    const dataDir = mkdtempSync(join(tmpdir(), 'tapline-layer-'));
    folders.push(dataDir);
    writeFileSync(join(dataDir, 'settings.json'), '{"SAMPLE_DAYS": 4}');
    expect(await failure({ plugins: [choosy()], dataDir })).to.match(
      /plugin sample: .*settings\.json: SAMPLE_DAYS is set/,
    );

    const service = await start({ plugins: [{ plugin: choosy(), optional: true }], env, dataDir });
    const { body } = await service.get('plugins/sample/');
    await service.stop();
    expect(body.state).to.equal('left out');
    expect(body.reason).to.contain('broken by the test');
    // what nobody ever knew stays a mistake
    expect(
      await failure({ plugins: [{ plugin: choosy(), optional: true }], env: { ...env, TAPLINE_SAMPLE_DAY: '4' } }),
    ).to.match(/Unknown configuration key TAPLINE_SAMPLE_DAY:/);
  });

  it("blames the plugin whose setting's check throws while the service runs", async () => {
    const service = await start({ plugins: [choosy()] });
    const told: any[] = [];
    service.services.log.error = ((entry: unknown) => void told.push(entry)) as typeof service.services.log.error;
    const patch = (value: unknown) =>
      service.request('PATCH', 'settings/sample/', { body: { SAMPLE_DAYS: value } }).then(({ status }) => status);
    const statuses = [await patch(4), await patch('many'), await patch(1)];
    const { body } = await service.get('settings/sample/');
    await service.stop();
    expect(statuses).to.deep.equal([500, 400, 200]);
    expect(body).to.deep.equal({ SAMPLE_DAYS: 1 });
    expect(told.map(({ plugin, what }) => [plugin, what])).to.deep.equal([['sample', 'check of setting SAMPLE_DAYS']]);
  });

  it('loads what the file of the data folder switches on', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tapline-layer-'));
    folders.push(dataDir);
    const module = join(dataDir, 'mine.mjs');
    writeFileSync(module, `export default { id: 'mine', title: 'Mine', version: '1.0.0', sdk: '*', register() {} };`);
    writeFileSync(join(dataDir, 'plugins.json'), JSON.stringify({ enable: [{ name: module, optional: true }] }));
    const service = await start({ dataDir, env: { TAPLINE_PLUGINS: undefined as never } });
    const { results } = (await service.get('plugins/')).body;
    await service.stop();
    expect(results.find(({ id }: any) => id === 'mine')).to.include({ state: 'on', optional: true });
    writeFileSync(join(dataDir, 'plugins.json'), '{"enable": "mine"}');
    expect(await failure({ dataDir })).to.match(/plugins\.json must hold/);
  });
});

describe('start and stop of plugins', () => {
  const home = { root: '/nowhere', dataDir: '/nowhere', plugins: [] };

  it('go in the order of registration and back, whatever fails or hangs', async () => {
    const seen: string[] = [];
    const one = (id: string, stop: () => unknown = nothing) =>
      testPlugin(id, (api) => {
        api.onStart(() => void seen.push(`start ${id}`));
        api.onStop(() => {
          seen.push(`stop ${id}`);
          return stop() as Promise<void>;
        });
      });
    const registries = await preparePlugins({
      config: home,
      inline: [one('a'), one('b', () => new Promise(nothing)), one('c', fails), one('d')],
    });
    const shutdown = new Shutdown(silentLog);
    await startPlugins({ registries, shutdown, timeoutMs: 20 });
    await shutdown.run();
    expect(seen).to.deep.equal(['start a', 'start b', 'start c', 'start d', 'stop d', 'stop c', 'stop b', 'stop a']);
  });

  it('give up on a start that is not done in time, and stop what began', async () => {
    const seen: string[] = [];
    const slow = testPlugin('slow', (api) => {
      api.onStart(() => new Promise<void>(nothing));
      api.onStop(() => void seen.push('stop slow'));
    });
    const later = testPlugin('later', (api) => {
      api.onStart(() => void seen.push('start later'));
      api.onStop(() => void seen.push('stop later'));
    });
    const registries = await preparePlugins({ config: home, inline: [slow, later] });
    const shutdown = new Shutdown(silentLog);
    const text = await startPlugins({ registries, shutdown, timeoutMs: 20 }).then(
      () => 'nothing failed',
      (error: Error) => error.message,
    );
    await shutdown.run();
    expect(text).to.equal(
      'plugin slow: onStart was not done after 20 ms: begin what takes longer there, and do not wait for it',
    );
    expect(seen).to.deep.equal(['stop slow']);
  });
});
