import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  anyOf,
  auditor,
  authenticated,
  columnIs,
  everybody,
  field,
  nobody,
  type PluginApi,
  type Rule,
  superuser,
} from '@tapline/plugin-sdk';
import { z } from 'zod';
import { loadPlugins } from '../../core/plugins/find/load.ts';
import { preparePlugins } from '../../core/plugins/prepare.ts';
import { root } from '../../core/config/config.ts';
import { testPlugin } from '../support/plugins.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tapline-faults-'));
const config = { root, dataDir, plugins: [] };
type Inline = NonNullable<Parameters<typeof preparePlugins>[0]['inline']>;

const prepare = (...inline: Inline) => preparePlugins({ config, inline });
const failure = (...inline: Inline) =>
  prepare(...inline).then(
    () => 'nothing failed',
    (error: Error) => error.message,
  );
const said = (register: (api: PluginApi) => any) => failure(testPlugin('drift', register));

const rule = authenticated;
const route = { path: '/api/v2/drift/', access: { GET: rule }, handler: async () => ({ status: 200 }) };
const resource = {
  type: 'drift_item',
  path: 'drift_items',
  table: 'items',
  label: 'Item',
  fields: { name: field.string() },
  access: { see: rule },
  orderBy: ['id'],
};
const consolePage = {
  path: '/drift',
  title: 'Drift',
  module: new URL('../console/plugin-pages/windows.js', import.meta.url),
};
const panel = { on: 'host', title: 'Drift', export: 'Drift' };
const setting = { key: 'DRIFT_DAYS', category: 'drift', type: 'integer', default: 1, help: 'How long.' } as const;
const nothing = () => undefined;
const run = async () => undefined;

/** One argument that is wrong, and what is said of it. */
const wrongArguments: [what: string, register: (api: any) => void, text: RegExp][] = [
  [
    'a resource without access',
    (api) => api.resource({ ...resource, access: {} }),
    /^plugin drift: api\.resource\("drift_item"\) has a wrong argument: access\.see must be a rule/,
  ],
  [
    "a resource in somebody's schema",
    (api) => api.resource({ ...resource, table: 'public.hosts' }),
    /table must be the plain name of a table in the plugin's own schema/,
  ],
  [
    'a resource with a misspelt part',
    (api) => api.resource({ ...resource, serch: ['name'] }),
    /^plugin drift: api\.resource\("drift_item"\) has a wrong argument: unrecognized key: "serch" \(did you mean "search"\?\)/,
  ],
  [
    'a right with a misspelt name',
    (api) => api.resource({ ...resource, access: { see: rule, updates: rule } }),
    /access unrecognized key: "updates" \(there are: see, create, change, delete\)/,
  ],
  [
    'a field with a misspelt part',
    (api) => api.resource({ ...resource, fields: { name: field.string({ requred: true } as object) } }),
    /fields\.name unrecognized key: "requred" \(did you mean "required"\?\)/,
  ],
  [
    'a sublist with a misspelt part',
    (api) => api.extend('host', { sublists: { items: { resource: 'drift_item', colum: 'host_id' } } }),
    /sublists\.items unrecognized key: "colum" \(did you mean "column"\?\)/,
  ],
  [
    'methods of nothing',
    (api) => api.resource({ ...resource, methods: { lists: ['GET'] } }),
    /methods unrecognized key: "lists"/,
  ],
  [
    'a kind of runs with a misspelt part',
    (api) =>
      api.runKind({
        kind: 'drift_run',
        template: null,
        needs: 'task',
        noted: true,
        access: { see: rule, cancel: rule },
        resource: { path: 'drift_runs', label: 'Run', description: 'A run.', fields: {}, rout: 'x' },
        plan: run,
        work: run,
        explain: [],
      }),
    /api\.runKind\("drift_run"\) has a wrong argument: resource unrecognized key: "rout".*; unrecognized key: "explain" \(did you mean "explains"\?\)/,
  ],
  ['a resource that is none', (api) => api.resource(), /api\.resource\(\) has a wrong argument/],
  [
    'a route without access',
    (api) => api.route({ ...route, access: undefined }),
    /access must state a rule for each method; say `everybody`/,
  ],
  [
    'a route with no method',
    (api) => api.route({ ...route, access: {} }),
    /access must state a rule for at least one method/,
  ],
  ['a route with a misspelt key', (api) => api.route({ ...route, acess: {} }), /unrecognized key: "acess"/],
  [
    'a route without a final slash',
    (api) => api.route({ ...route, path: '/api/v2/drift' }),
    /path must be a full path that begins and ends with a slash/,
  ],
  [
    'a route where core answers before',
    (api) => api.route({ ...route, path: '/api/login/drift/' }),
    /path must not be one that the service answers before/,
  ],
  [
    'a tap on a status that no run has',
    (api) => api.hooks.onStatusChange({ name: 'ends', to: ['done'] }, () => undefined),
    /to\.0 invalid option: expected one of "new"/,
  ],
  [
    'a raw body without limit',
    (api) => api.route({ ...route, body: { kind: 'raw' } }),
    /body\.limitBytes is needed for raw bodies/,
  ],
  [
    'pages inside the API',
    (api) => api.pages({ path: '/api/x/', folder: new URL('file:///x/') }),
    /path must not be below \/api\//,
  ],
  [
    'an order by no field',
    (api) => api.resource({ ...resource, orderBy: ['nope'] }),
    /api\.resource\("drift_item"\) has a wrong argument: orderBy names nope, which is no field \(there are: name\)/,
  ],
  [
    'a search in no field',
    (api) => api.resource({ ...resource, search: ['name', 'nope'] }),
    /search names nope, which is no field/,
  ],
  [
    'an order by what cannot be ordered by',
    (api) => api.resource({ ...resource, fields: { open: field.computed({ sql: 'true' }) }, orderBy: ['open'] }),
    /orderBy names open, which is not filterable/,
  ],
  [
    'a method without access',
    (api) => api.resource({ ...resource, methods: { detail: ['GET', 'DELETE'] } }),
    /methods offers DELETE, but access\.delete is not stated/,
  ],
  [
    'a default of another type in a resource',
    (api) => api.resource({ ...resource, fields: { on: field.boolean({ default: 'perhaps' }) } }),
    /fields\.on: default "perhaps" must be true or false/,
  ],
  [
    'a default of another type in an extension',
    (api) => api.extend('host', { table: 'h', fields: { mode: field.choice(['a', 'b'], { default: 'c' }) } }),
    /api\.extend\("host"\) has a wrong argument: fields\.mode: default "c" must be one of "a", "b"/,
  ],
  [
    'pages that are not there',
    (api) => api.pages({ path: '/drift/', folder: new URL('file:///nowhere/') }),
    /api\.pages\("\/drift\/"\) has nothing to serve: \/nowhere\/index\.html is missing/,
  ],
  [
    'a page of the console without its module',
    (api) => api.page({ ...consolePage, module: new URL('file:///nowhere/drift.js') }),
    /api\.page\("\/drift"\) has nothing to load: \/nowhere\/drift\.js is missing/,
  ],
  [
    'a page of the console from elsewhere',
    (api) => api.page({ ...consolePage, module: new URL('https://example.org/drift.js') }),
    /module https:\/\/example\.org\/drift\.js is no file of the package/,
  ],
  [
    'a panel whose code lies elsewhere',
    (api) => api.page({ ...consolePage, panels: [{ ...panel, module: new URL('file:///other/drift.js') }] }),
    /panels\.0\.module must lie in the folder of the page's module, or below/,
  ],
  [
    'a panel on nothing',
    (api) => api.page({ ...consolePage, panels: [{ ...panel, on: 'the host' }] }),
    /panels\.0\.on must be the type of a record, like "host"/,
  ],
  [
    'a panel of no export',
    (api) => api.page({ ...consolePage, panels: [{ ...panel, export: 'a b' }] }),
    /panels\.0\.export must be the name of an export/,
  ],
  [
    'a panel without a heading',
    (api) => api.page({ ...consolePage, panels: [{ ...panel, title: ' ' }] }),
    /panels\.0: label must be a text/,
  ],
  [
    'a page of the console in the old way',
    (api) => api.page({ ...consolePage, label: 'Drift' }),
    /[Uu]nrecognized key.*label/,
  ],
  [
    'pages where programs ask',
    (api) => api.pages({ path: '/metrics/', folder: new URL('file:///nowhere/') }),
    /path must not be below \/api\/, or where else programs ask/,
  ],
  [
    'a rule over a row on a route',
    (api) =>
      api.route({ ...route, access: { GET: rule, POST: api.rules.parent('host_id', 'inventory', 'admin_role') } }),
    /api\.route\("\/api\/v2\/drift\/"\) guards POST by "admin_role on the inventory by host_id", a rule over a row/,
  ],
  ['a type without roles', (api) => api.rules.role('host', 'x'), /api\.rules\.role\("host", "x"\) names host, a type/],
  [
    'a rule over a row on an action of the list',
    (api) =>
      api.resource({
        ...resource,
        listActions: {
          export: { access: { GET: anyOf(superuser, columnIs('name', 'x')) }, handler: route.handler },
        },
      }),
    /api\.resource\("drift_item"\) guards GET of the action export by "superuser or name is x", a rule over a row/,
  ],
  [
    'a navigation entry out of order',
    (api) => api.nav({ path: '/drift', label: 'Drift', order: -1 }),
    /api\.nav\("\/drift"\) has a wrong argument: order -1 must be a whole number from 0 to 10000/,
  ],
  [
    'a navigation entry in no section',
    (api) => api.nav({ path: '/drift', label: 'Drift', section: ' ' }),
    /section must be a heading/,
  ],
  ['a navigation entry of the API', (api) => api.nav({ path: '/api/v2/hosts/', label: 'x' }), /must be a route of the/],
  [
    'an extension without side table',
    (api) => api.extend('host', { fields: { a: field.string() } }),
    /api\.extend\("host"\) has a wrong argument: table is needed/,
  ],
  [
    'a permission of somebody else',
    (api) => api.permissions.define('portal.use', rule),
    /the name must begin with "drift\."/,
  ],
  [
    'a permission in one form only',
    (api) => api.permissions.define('drift.use', { row: () => true }),
    /a rule with a row form and a query form/,
  ],
  ['a setting without default', (api) => api.settings.define({ ...setting, default: undefined }), /default is needed/],
  [
    'a default of another type',
    (api) => api.settings.define({ ...setting, default: 'many' }),
    /default is none that could be set: Must be a whole number/,
  ],
  ['a setting in lower case', (api) => api.settings.define({ ...setting, key: 'drift' }), /key must be UPPER_SNAKE/],
  [
    'a launch tap without fail mode',
    (api) => api.hooks.beforeStart({ name: 'x' }, nothing),
    /api\.hooks\.beforeStart\("x"\) has a wrong argument: failMode must be 'allow' or 'deny'/,
  ],
  ['a tap without function', (api) => api.hooks.afterFinish({ name: 'x' }), /must be a function/],
  ['a task without schema', (api) => api.task('capture', {}, run), /schema must be a zod schema/],
  ['a task with a bad name', (api) => api.task('Capture it', { schema: z.object({}) }, run), /must be kebab-case/],
  [
    'a cron entry of no task',
    (api) => api.cron({ task: { name: 'portal:x' }, match: '0 3 * * *' }),
    /task must be one of drift itself/,
  ],
  [
    'a cron entry without five fields',
    (api) => api.cron({ task: api.task('capture', { schema: z.object({}) }, run), match: 'daily' }),
    /match "daily" is no pattern of five fields/,
  ],
  [
    'a group of core',
    (api) => api.websocket.group({ name: 'job_events', join: () => true }),
    /must not be a group of core/,
  ],
  ['a group without authorisation', (api) => api.websocket.group({ name: 'drift' }), /join must be a function/],
  [
    'health that is no function',
    (api) => api.health({ status: 'ok' }),
    /api\.health has a wrong argument: must be a function/,
  ],
  ['a navigation entry without label', (api) => api.nav({ path: '/drift' }), /label must be a text/],
  ['an insight without a dot', (api) => api.insights.provide('enabled', nothing), /must be a dotted name/],
  [
    'an offer of nothing',
    (api) => api.offer('notification.kind', undefined),
    /must be an object that implements the point/,
  ],
  ['a guard on no operation', (api) => api.guard('host', 'read', nothing), /api\.guard\("host", "read"\)/],
  [
    'a restriction in one form only',
    (api) => api.restrict('host', { row: () => true }),
    /api\.restrict\("host"\) has a wrong argument/,
  ],
  [
    'a restriction that nobody would wait for',
    (api) => api.restrict('host', { row: () => true, query: async () => undefined }),
    /must narrow the query at once: its query form cannot be async/,
  ],
  ['a start that is no function', (api) => api.onStart('now'), /api\.onStart has a wrong argument/],
  ['a table with a schema', (api) => api.table('public.hosts'), /api\.table\("public\.hosts"\)/],
];

/** The second of two calls that want the same name. */
const clashes: [what: string, register: (api: any) => void, text: RegExp][] = [
  ['types', (api) => api.resource(resource), /api\.resource\("drift_item"\) clashes: the type drift_item/],
  ['paths', (api) => api.route(route), /api\.route\("\/api\/v2\/drift\/"\) clashes: the path/],
  ['pages', (api) => api.pages({ path: '/', folder: new URL('file:///x/') }), /api\.pages\("\/"\) clashes/],
  [
    'fields',
    (api) => api.extend('host', { table: 'h', fields: { owner: field.string() } }),
    /clashes: the field of host owner/,
  ],
  ['settings', (api) => api.settings.define(setting), /api\.settings\.define\("DRIFT_DAYS"\) clashes/],
  ['groups', (api) => api.websocket.group({ name: 'drift', join: () => true }), /clashes: the WebSocket group drift/],
  ['navigation entries', (api) => api.nav({ path: '/drift', label: 'Drift' }), /clashes: the navigation entry \/drift/],
  ['insights', (api) => api.insights.provide('drift.open', nothing), /clashes: the insight drift\.open/],
];

const services: [what: string, use: (api: any) => unknown, call: string][] = [
  ...['db', 'log', 'launch', 'runs', 'notify', 'audit', 'sandbox', 'http', 'secrets', 'clock', 'tracer'].map(
    (name): [string, (api: any) => unknown, string] => [name, (api) => api[name], `api.${name}`],
  ),
  ['a setting', (api) => api.settings.get('MAX_FORKS'), 'api.settings.get("MAX_FORKS")'],
  ['an extension point', (api) => api.use('notification.kind'), 'api.use("notification.kind")'],
];

describe('a plugin that does wrong in register', () => {
  after(() => removeFolder(dataDir));

  for (const [what, register, text] of wrongArguments)
    it(`is told of ${what}`, async () => {
      expect(await said(register))
        .to.match(text)
        .and.to.match(/^plugin drift: /);
    });

  for (const [what, register, text] of clashes)
    it(`is told of a clash of ${what}, with itself and with another`, async () => {
      const own = await said((api) => {
        register(api);
        register(api);
      });
      expect(own).to.match(text).and.to.contain('is its own already: remove one of the two calls');
      const message = await failure(testPlugin('portal', register), testPlugin('drift', register));
      expect(message)
        .to.match(/^plugin drift: /)
        .and.to.match(text);
      expect(message).to.contain(
        'is contributed by plugin portal: choose another name, or switch one of the two plugins off',
      );
    });

  for (const [what, use, call] of services)
    it(`is told that ${what} cannot be used yet`, async () => {
      const text = await said((api) => void use(api));
      expect(text).to.equal(
        `plugin drift: ${call} was used inside register: services work in what runs later (handlers, taps, tasks, api.onStart); move it there`,
      );
    });

  it('is told that what it returned must not be a promise', async () => {
    const text = await said(() => Promise.reject(new Error('nobody hears of it')));
    expect(text)
      .to.contain('plugin drift: register returned a promise: it must be synchronous')
      .and.to.contain('api.onStart');
  });

  it('is named when it throws', async () => {
    expect(
      await said(() => {
        throw new TypeError('x is not a function');
      }),
    ).to.equal('plugin drift: register failed: x is not a function');
    expect(
      await said(() => {
        throw undefined;
      }),
    ).to.contain('plugin drift: register failed');
  });

  it('is told that a call came too late, whatever call', async () => {
    let api: any;
    await prepare(testPlugin('drift', (door) => void (api = door)));
    for (const late of [
      () => api.resource(resource),
      () => api.hooks.afterFinish({ name: 'x' }, nothing),
      () => api.settings.define(setting),
      () => api.permissions.define('drift.x', rule),
      () => api.onStop(nothing),
    ])
      expect(late).to.throw(/^plugin drift: api\..* came too late: contributions are made inside register/);
  });

  it('cannot contribute by the door of another plugin', async () => {
    let stolen: any;
    const text = await failure(
      testPlugin('portal', (api) => void (stolen = api)),
      testPlugin('drift', () => stolen.nav({ path: '/x', label: 'X' })),
    );
    expect(text).to.contain('plugin portal: api.nav("/x") came too late');
  });
});

describe('a plugin that cannot be loaded', () => {
  const manifest = (more: object) => failure({ ...testPlugin('drift'), ...more } as any);

  it('is told what is wrong with its manifest', async () => {
    expect(await manifest({ id: 'Drift Detection' })).to.contain('id must be kebab-case');
    expect(await manifest({ version: 'one' })).to.contain('version must be a semantic version');
    expect(await manifest({ register: async () => undefined })).to.contain('register must not be async');
    expect(await manifest({ mandatory: 'yes' })).to.contain('mandatory must be true or false');
    expect(await manifest({ requires: 'portal' })).to.contain('requires must be a list');
  });

  it('is told for which SDK it was written and which is here', async () => {
    expect(await manifest({ sdk: '^2.0.0' })).to.match(
      /^plugin drift: it works with SDK \^2\.0\.0, and this service has 1\.\d+\.\d+: install a version of the plugin for this SDK/,
    );
    expect(await manifest({ sdk: 'newest' })).to.match(/sdk "newest" is no range of versions: write one like "\^1/);
  });

  it('is told which plugin it needs', async () => {
    expect(await manifest({ requires: ['portal'] })).to.equal(
      'plugin drift: requires portal, which is not on: switch portal on as well, or switch drift off',
    );
  });

  it('is told of a circle', async () => {
    const text = await failure(
      testPlugin('a', nothing, { requires: ['b'] }),
      testPlugin('b', nothing, { requires: ['c'] }),
      testPlugin('c', nothing, { requires: ['a'] }),
    );
    expect(text).to.equal('plugin a: requires itself by a → b → c → a: take one of these out of "requires"');
  });

  it('is told of a twin', async () => {
    expect(await failure(testPlugin('a'), testPlugin('a'))).to.match(/^plugin a: a and a have the same id/);
  });

  it('is registered after those that it needs, whatever the order they are given in', async () => {
    const order: string[] = [];
    const one = (id: string, requires: string[]) => testPlugin(id, () => void order.push(id), { requires });
    const registries = await prepare(one('c', ['a', 'b']), one('b', ['a']), one('a', []), one('d', []));
    expect(order).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(registries.plugins.map(({ plugin }) => plugin.id)).to.deep.equal(order);
  });
});

describe('where a plugin comes from', () => {
  const home = mkdtempSync(join(tmpdir(), 'tapline-home-'));
  const write = (folder: string, text: string, more: object = {}) => {
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, folder, 'index.js'), text);
    writeFileSync(
      join(home, folder, 'package.json'),
      JSON.stringify({ name: folder, type: 'module', main: 'index.js', ...more }),
    );
  };
  const source = (id: string) =>
    `export default { id: '${id}', title: '${id}', version: '1.0.0', sdk: '^1.0.0', register() {} };`;
  const load = (...names: string[]) =>
    loadPlugins({
      config: {
        root,
        dataDir: home,
        plugins: names.map((name) => ({ name: name.replace('?', ''), optional: name.endsWith('?') })),
      },
    });
  const refused = (...names: string[]) =>
    load(...names).then(
      () => 'nothing failed',
      (error: Error) => error.message,
    );

  before(() => {
    write('plugins/node_modules/tapline-plugin-x', source('x'));
    write('folder', source('y'));
    write('broken', 'throw new Error("at import");');
    write('empty', 'export const nothing = 1;');
    write('exporting', source('z'), { main: undefined, exports: './index.js' });
    const exported = { '.': { types: './index.d.ts', import: './index.js' }, './more': './more.js' };
    write('plugins/node_modules/@some/modern', source('modern'), { main: undefined, exports: exported });
    write('plugins/node_modules/unbuilt', source('unbuilt'), { main: undefined, exports: './dist/index.js' });
  });
  after(() => removeFolder(home));

  it('finds packages in the data folder, and folders by their path', async () => {
    const { plugins } = await load('tapline-plugin-x', join(home, 'folder'), join(home, 'exporting'));
    expect(plugins.map(({ plugin, entry }) => [plugin.id, entry])).to.deep.equal([
      ['x', 'tapline-plugin-x'],
      ['y', join(home, 'folder')],
      ['z', join(home, 'exporting')],
    ]);
  });

  it('follows what packages export to imports, and says when they are not built', async () => {
    const { plugins } = await load('@some/modern');
    expect(plugins.map(({ plugin }) => plugin.id)).to.deep.equal(['modern']);
    expect(await refused('unbuilt')).to.match(
      /^plugin unbuilt: its package .* has no module \.\/dist\/index\.js: build it/,
    );
  });

  it('says where it looked for one that is not there', async () => {
    expect(await refused('nosuch'))
      .to.contain('plugin nosuch: there is no such plugin')
      .and.to.contain(join(home, 'plugins', 'node_modules'));
    expect(await refused('./nosuch')).to.contain('there is no module at');
  });

  it('names one whose module throws or exports nothing', async () => {
    expect(await refused(join(home, 'broken'))).to.match(/^plugin .*broken: importing .* failed: at import$/);
    expect(await refused(join(home, 'empty'))).to.match(
      /has no default export: it must be "export default definePlugin/,
    );
  });

  it('refuses an optional entry of one that must not be optional, with the remedy', async () => {
    write('plugins/node_modules/gate', source('gate').replace('register', 'mandatory: true, register'));
    expect((await load('gate')).plugins.map(({ plugin }) => plugin.id)).to.deep.equal(['gate']);
    expect(await refused('tapline-plugin-x', 'gate?')).to.match(
      /^plugin gate: it must not be optional, .*: write "gate" without "\?" in TAPLINE_PLUGINS and without "optional: true" in /,
    );
    const gate = testPlugin('gate', nothing, { mandatory: true });
    expect(await failure({ plugin: gate, optional: true })).to.match(/^plugin gate: it must not be optional/);
    const broken = testPlugin('gate', () => JSON.parse('no'), { mandatory: true });
    expect(await failure({ plugin: broken, optional: true })).to.match(/^plugin gate: it must not be optional/);
    expect(await failure(broken)).to.match(/^plugin gate: register failed/);
    const needy = testPlugin('gate', nothing, { mandatory: true, requires: ['bad'] });
    const bad = { plugin: testPlugin('bad', () => JSON.parse('no')), optional: true };
    expect(await failure(bad, needy)).to.match(/^plugin gate: requires bad, which was left out/);
  });

  it('leaves out an optional one that fails, and optional ones that need it', async () => {
    const { plugins, leftOut } = await load('tapline-plugin-x', `${join(home, 'broken')}?`, 'nosuch?');
    expect(plugins.map(({ plugin }) => plugin.id)).to.deep.equal(['x']);
    expect(leftOut.map(({ reason }) => reason)[0]).to.contain('at import');
    expect(leftOut[1]).to.deep.include({ id: 'nosuch' });
    const needy = { plugin: testPlugin('needy', nothing, { requires: ['bad'] }), optional: true };
    const bad = { plugin: testPlugin('bad', () => JSON.parse('no')), optional: true };
    const registries = await prepare(needy, bad, testPlugin('good'));
    expect(registries.plugins.map(({ plugin }) => plugin.id)).to.deep.equal(['good']);
    expect(registries.leftOut.map(({ id }) => id)).to.have.members(['bad', 'needy']);
    expect(await failure(bad, testPlugin('needy', nothing, { requires: ['bad'] }))).to.match(
      /^plugin needy: requires bad, which was left out \(plugin bad: register failed/,
    );
  });
});

describe('a rule of a route', () => {
  const own = { name: 'own', row: async (_actor: unknown, row: any) => !row || row.id === 1 };
  const fine: [string, Rule][] = [
    ['over the caller', anyOf(superuser, auditor)],
    ['that says no', nobody],
    ['that goes without a row', { ...own, query: (_actor, builder, alias) => void builder.where(`${alias}.id`, 1) }],
    ['that looks elsewhere', { name: 'db', row: async (_actor, _row, db) => db!('hosts').first(), query: nothing }],
  ];
  for (const [what, one] of fine)
    it(`may be one ${what}`, async () => {
      expect(await said((api) => api.route({ ...route, access: { GET: one } }))).to.equal('nothing failed');
    });
});

it('two entries of the navigation that differ in the final slash only are one', async () => {
  const message = await said((api) => {
    api.nav({ path: '/drift', label: 'Drift' });
    api.nav({ path: '/drift/', label: 'Drift' });
  });
  expect(message).to.match(/api\.nav\("\/drift\/"\) clashes: the navigation entry \/drift is its own already/);
});

describe('the public rule', () => {
  it('has to be spelled out', async () => {
    expect(await said((api) => api.route({ ...route, access: { GET: everybody } }))).to.equal('nothing failed');
  });
});
