import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { field, type Plugin, type PluginApi, stages, z } from '@tapline/plugin-sdk';
import { conformanceProblems, fakeLaunch, recordPlugin } from '@tapline/plugin-sdk/testing';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { bundledPlugins } from '../../core/plugins/find/resolve.ts';
import { testPlugin } from '../support/plugins.ts';

const folders = [...bundledPlugins(root).map((name) => join('plugins', name)), join('templates', 'plugin')];

describe('the conformance kit', () => {
  for (const folder of folders)
    it(`finds nothing wrong with ${folder}`, async () => {
      const { default: plugin } = await import(pathToFileURL(join(root, folder, 'index.ts')).href);
      expect(await conformanceProblems(plugin)).to.deep.equal([]);
    });

  const rule: any = { name: 'all', row: () => true, query: () => undefined };
  const resource: any = {
    type: 'a',
    path: 'as',
    table: 'as',
    label: 'A',
    fields: {},
    access: { see: rule },
    orderBy: ['id'],
  };
  const migrations = new URL('../fixtures/plugins/sample/migrations/', import.meta.url);
  let count = 0;

  const bad: [string, (api: PluginApi) => void, RegExp, Partial<Plugin>?][] = [
    ['a service used inside register', (api) => api.log.info({}, 'hello'), /api\.log was used inside register/],
    ['a setting read inside register', (api) => api.settings.get('X'), /api\.settings\.get was used inside register/],
    [
      'a throw',
      () => {
        throw new Error('oops');
      },
      /oops/,
    ],
    [
      'contributions that change',
      (api) => api.nav({ path: `/${count++}`, label: 'x' }),
      /must not depend on time, chance or state/,
    ],
    [
      'a rule in one form only',
      (api) => api.resource({ ...resource, access: { see: { name: 'x', row: () => true } } }),
      /resource a: access\.see must be a rule with row and query/,
      { migrations },
    ],
    [
      'a route without access',
      (api) => api.route({ path: '/x/', access: {}, handler: async () => ({ status: 200 }) }),
      /route \/x\/ states no access/,
    ],
    [
      'a tap without a fail mode',
      (api) => api.hooks.beforeStart({ name: 'x' } as any, () => undefined),
      /tap x on beforeStart: failMode must be 'allow' or 'deny'/,
    ],
    [
      'a task without a schema',
      (api) => void api.task('x', {} as any, async () => undefined),
      /has no schema for its payload/,
    ],
    [
      'an action on a resource of core without access',
      (api) => api.extend('host', { listActions: { x: { handler: async () => ({ status: 200 }) } as any } }),
      /extension of host: action x states no access/,
    ],
    [
      'a setting without help',
      (api) => api.settings.define({ key: 'x', category: 'y', type: 'boolean', default: true, help: '' }),
      /setting x must be UPPER_SNAKE\n.*needs a sentence of help/,
    ],
    [
      'a name used twice',
      (api) => {
        api.insights.provide('a.b', () => 1);
        api.insights.provide('a.b', () => 2);
      },
      /insight a\.b is there twice/,
    ],
    [
      'tables without migrations',
      (api) => api.resource(resource),
      /there are tables, but the manifest has no migrations/,
    ],
    [
      'a folder that is not there',
      (api) => api.resource(resource),
      /there is no folder file:\/\/\/nowhere/,
      { migrations: new URL('file:///nowhere/') },
    ],
    [
      'a schema in the name of a table',
      (api) => api.extend('host', { table: 'x.y', fields: { z: field.string() } }),
      /table x\.y must be a plain name/,
      { migrations },
    ],
    [
      'a contribution in onStart',
      (api) => api.onStart(() => api.nav({ path: '/late', label: 'Late' })),
      /contributes nothing later: api\.nav came too late/,
    ],
    [
      'a contribution in onStart that the source does not tell, and that is caught',
      (door) => door.onStart(() => begin(door)),
      /contributes nothing later: api\.nav came too late/,
    ],
    [
      'a contribution behind a wait for the database',
      (api) =>
        api.onStart(async () => {
          await api.db('hosts').first();
          api.websocket.group({ name: 'late', join: () => true });
        }),
      /api\.websocket\.group came too late/,
    ],
    [
      'a type without roles',
      (api) => api.permissions.define('bad.use', api.rules.role('organisation', 'admin_role')),
      /api\.rules\.role\("organisation", "admin_role"\) names organisation, a type without roles: take one of organization/,
    ],
    [
      'a role that its type does not have',
      (api) => api.permissions.define('bad.use', api.rules.parent('host_id', 'inventory', 'admin')),
      /names admin, no role of inventory: take one of admin_role/,
    ],
    [
      'a pattern of no clock',
      (api) => {
        const task = api.task('sweep', { schema: z.object({}) }, async () => undefined);
        api.cron({ task, match: '61 * * * *' });
      },
      /the cron entry of bad:sweep has "61 \* \* \* \*", which is no pattern/,
    ],
    [
      'pages that are not there',
      (api) => api.pages({ path: '/bad/', folder: new URL('./pages/', import.meta.url) }),
      /pages at \/bad\/: .*pages\/index\.html is missing: build the pages first/,
    ],
    [
      'an order by no field',
      (api) => api.resource({ ...resource, orderBy: ['-nope'] }),
      /resource a: orderBy names nope, which is no field/,
      { migrations },
    ],
    [
      'a search in no field',
      (api) => api.resource({ ...resource, search: ['nope'] }),
      /resource a: search names nope, which is no field/,
      { migrations },
    ],
    [
      'a default of another type',
      (api) => api.extend('host', { table: 'x', fields: { z: field.boolean({ default: 'perhaps' }) } }),
      /extension of host: fields\.z: default "perhaps" must be true or false/,
      { migrations },
    ],
    [
      'a rule over a row where there is none',
      (api) =>
        api.route({
          path: '/x/',
          access: { POST: api.rules.role('inventory', 'admin_role') },
          handler: async () => ({ status: 200 }),
        }),
      /route \/x\/: POST has the rule "admin_role of inventory", which needs a row/,
    ],
    [
      'an entry of the navigation that leads elsewhere',
      (api) => api.nav({ path: '//example.org', label: 'x', order: 1.5 }),
      /path "\/\/example\.org" must be a route of the client.*\n.*order 1\.5 must be a whole number/,
    ],
  ];
  const begin = (door: PluginApi) => {
    try {
      door.nav({ path: '/late', label: 'Late' });
    } catch {
      // as a plugin may do
    }
  };
  for (const [what, register, problem, more] of bad)
    it(`finds ${what}`, async () => {
      expect((await conformanceProblems(testPlugin('bad', register, more))).join('\n')).to.match(problem);
    });
});

it('a plugin cannot call itself core', () => {
  expect(() => testPlugin('core')).to.throw(/^plugin core: id must be another than "core"/);
});

describe('the recording door', () => {
  const plugin = testPlugin('sample', (api) => {
    api.settings.define({ key: 'SAMPLE_LIMIT', category: 'sample', type: 'integer', default: 2, help: 'A limit.' });
    const sweep = api.task('sweep', { schema: z.object({ id: z.number() }) }, async ({ id }) => {
      await api.audit.record({ action: `swept ${id}`, actor: null });
    });
    api.hooks.beforeStart({ name: 'limit', stage: stages.quota, failMode: 'allow' }, async (launch) => {
      launch.explain(`limit ${api.settings.get('SAMPLE_LIMIT')}`);
      await sweep.enqueue(api.db, { id: 7 });
      return (await api.insights.read('others.count', 0)) > 1 ? { status: 403, body: {} } : undefined;
    });
    api.onStart(async () => void (await api.http.request('https://example.org/')));
  });

  it('shows what was contributed, and does what is asked of it', async () => {
    const { contributions, tap, run, start, set, done } = recordPlugin(plugin, { services: { db: {} } });
    expect(contributions.settings.map(({ key }) => key)).to.deep.equal(['SAMPLE_LIMIT']);
    const launch = fakeLaunch();
    expect(await tap('beforeStart', 'limit', launch)).to.equal(undefined);
    set('SAMPLE_LIMIT', 9);
    await tap('beforeStart', 'limit', launch);
    launch.explain('cut', { cut: 9 });
    expect(launch.cuts).to.deep.equal([9]);
    expect(launch.explained.splice(2)).to.deep.equal(['cut']);
    expect(launch.explained).to.deep.equal(['limit 2', 'limit 9']);
    await run('sweep', { id: 3 });
    await start();
    expect(done.enqueued).to.deep.equal([
      { task: 'sample:sweep', payload: { id: 7 } },
      { task: 'sample:sweep', payload: { id: 7 } },
    ]);
    expect(done.audited.map(({ action }) => action)).to.deep.equal(['swept 3']);
    expect(done.requested).to.deep.equal([{ url: 'https://example.org/', method: 'GET', body: undefined }]);
  });

  it('gives insights of others, refuses wrong payloads, late calls, and a database that nobody gave', async () => {
    const recording = recordPlugin(plugin, { insights: { 'others.count': 5 }, services: { db: {} } });
    expect(await recording.tap('beforeStart', 'limit', fakeLaunch())).to.deep.equal({ status: 403, body: {} });
    expect(await recording.run('sweep', { id: 'x' }).then(String, (error: Error) => error.name)).to.equal('ZodError');
    expect(() => recording.api.nav({ path: '/late', label: 'Late' })).to.throw(/api\.nav came too late/);
    expect(() => recordPlugin(plugin).api.db('hosts')).to.throw(/there is no db in this test: give one/);
    expect(recording.late).to.deep.equal(['api.nav']);
    const sent = await recording.api.websocket
      .publish(undefined as never, 'x', 1, {})
      .then(String, (error: Error) => error.message);
    expect(sent).to.contain('api.websocket.publish("x") was given no connection');
  });
});
