import { points } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

describe('what a client asks before it does anything', () => {
  let service: TestService;
  before(async () => {
    const provider = {
      name: 'oidc',
      login_url: '/sso/login/oidc/',
      complete_url: '/sso/complete/oidc/',
      label: 'Ours',
    };
    service = await bootWith({
      env: { TAPLINE_ROLES: 'web' },
      plugins: [testPlugin('sso', (api) => api.offer(points.loginProvider, provider))],
    });
  });
  after(() => service.stop());

  it('auth/ shows the ways to log in that plugins offer, to everybody', async () => {
    const { status, body } = await service.get('auth/', { auth: null });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      oidc: { login_url: '/sso/login/oidc/', complete_url: '/sso/complete/oidc/', label: 'Ours' },
    });
  });

  it('analytics/ is there, and empty', async () => {
    expect((await service.get('')).body.analytics).to.equal('/api/v2/analytics/');
    expect(await service.get('analytics/')).to.deep.include({ status: 200, body: {} });
  });

  it('service-index/ tells which installation it is, to superusers and auditors', async () => {
    expect((await service.get('')).body.service_index).to.equal('/api/v2/service-index/');
    const { metadata } = (await service.get('service-index/')).body;
    const { install_uuid } = (await service.get('ping/')).body;
    expect((await service.get(metadata)).body).to.deep.equal({ service_id: install_uuid, service_type: 'awx' });
    expect((await service.get(metadata, { auth: null })).status).to.equal(401);
  });

  it('config/ takes no licence, says why, and has none to lose', async () => {
    for (const path of ['config/', 'config/subscriptions/', 'config/attach/']) {
      const { status, body } = await service.post(path, { manifest: 'eA==' });
      expect(status).to.equal(400);
      expect(body.error).to.contain('neither a licence nor a subscription');
    }
    expect((await service.request('DELETE', 'config/')).status).to.equal(204);
    expect((await service.get('config/')).body.license_info.valid_key).to.equal(true);
  });
});
