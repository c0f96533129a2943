import { expect } from 'chai';
import { authenticated, everybody, type PluginApi } from '@tapline/plugin-sdk';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

describe('a plugin that is on', function () {
  this.timeout(120_000);
  let service: TestService;
  let door: PluginApi;
  const seen: string[] = [];

  before(async () => {
    service = await bootWith({
      plugins: [
        testPlugin('sample', (api) => {
          door = api;
          api.settings.define({
            key: 'SAMPLE_LIMIT',
            category: 'sample',
            type: 'integer',
            default: 3,
            help: 'A limit.',
          });
          api.route({
            path: '/api/v2/sample/',
            access: { GET: authenticated },
            handler: async () => ({ status: 200, body: { limit: api.settings.get('SAMPLE_LIMIT') } }),
          });
          api.route({
            path: '/sample-hook/',
            access: { POST: everybody },
            handler: async () => ({ status: 202, body: {} }),
          });
          api.onStart(() => void seen.push('start'));
          api.onStop(() => void seen.push('stop'));
        }),
      ],
      env: { TAPLINE_SAMPLE_LIMIT: '7' },
    });
  });
  after(async () => {
    await service.stop();
    expect(seen).to.deep.equal(['start', 'stop']);
  });

  it('serves its routes, inside the API and outside', async () => {
    expect((await service.get('sample/')).body).to.deep.equal({ limit: 7 });
    expect((await service.get('sample/', { auth: null })).status).to.equal(401);
    expect((await service.post('/sample-hook/', {}, { auth: null })).status).to.equal(202);
  });

  it('has a page of settings of its own', async () => {
    const { body } = await service.get('settings/');
    expect(body.results).to.deep.include({ url: '/api/v2/settings/sample/', slug: 'sample', name: 'Sample' });
    expect((await service.get('settings/sample/')).body).to.deep.equal({ SAMPLE_LIMIT: 7 });
  });

  it('cannot contribute any more', () => {
    expect(() => door.nav({ path: '/sample', label: 'Sample' })).to.throw(
      /^plugin sample: api\.nav\("\/sample"\) came too late: .*move the call there$/,
    );
  });
});
