import { expect } from 'chai';
import { authenticated, type PluginApi } from '@tapline/plugin-sdk';
import { noteResource } from '../fixtures/plugins/sample/resources.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

const migrations = new URL('../fixtures/plugins/sample/migrations/', import.meta.url);

describe('the log of requests that fail in what a plugin serves', function () {
  let service: TestService;
  let told: any[];

  const oops = (): never => {
    throw new Error('oops');
  };
  before(async () => {
    const sample = testPlugin(
      'sample',
      (api: PluginApi) => {
        const note = noteResource(api);
        const broken = { name: 'broken', row: oops, query: () => undefined };
        api.resource({ ...note, access: { ...note.access, change: broken } });
        const handler = async () => ({ status: 200 });
        api.route({ path: '/api/v2/sample/rule/', access: { GET: broken }, handler });
        api.route({ path: '/api/v2/sample/handler/', access: { GET: authenticated }, handler: async () => oops() });
      },
      { migrations },
    );
    service = await bootWith({ plugins: [sample], env: { TAPLINE_ROLES: 'web' } });
    service.services.log.error = ((entry: unknown) => void told.push(entry)) as typeof service.services.log.error;
  });
  beforeEach(() => (told = []));
  after(() => service.stop());

  it('names it where its rule fails, on its resource and on its route', async () => {
    const organization = (await service.post('organizations/', { name: 'o' })).body.id;
    const [row] = await service.database
      .db('plugin_sample.notes')
      .insert({ name: 'n', organization_id: organization }, 'id');
    const { status } = await service.request('PATCH', `sample_notes/${row.id}/`, { body: {} });
    expect([status, (await service.get('sample/rule/')).status]).to.deep.equal([500, 500]);
    expect(told.map(({ plugin, path }) => [plugin, path])).to.deep.equal([
      ['sample', `/api/v2/sample_notes/${row.id}/`],
      ['sample', '/api/v2/sample/rule/'],
    ]);
  });

  it('says what of it is to blame where that is known', async () => {
    expect((await service.get('sample/handler/')).status).to.equal(500);
    expect(told.map(({ plugin, what }) => [plugin, what])).to.deep.equal([
      ['sample', 'route /api/v2/sample/handler/ handler'],
    ]);
  });

  it('names no plugin where the request failed in core', async () => {
    const { db } = service.database;
    await db.raw('alter table labels rename to labels_gone');
    const { status } = await service.get('labels/');
    await db.raw('alter table labels_gone rename to labels');
    expect(status).to.equal(500);
    expect(told.map((entry) => 'plugin' in entry)).to.deep.equal([false]);
  });
});
