import { expect } from 'chai';
import { authenticated } from '../../core/rbac/rules.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

describe('what answers tell of limits, and of what is on its way out', () => {
  let service: TestService;
  before(async () => {
    const old = testPlugin('old', (api) =>
      api.route({
        path: '/api/v2/old/',
        access: { GET: authenticated },
        deprecated: {
          since: '2026-01-31T00:00:00Z',
          sunset: '2027-01-31T12:00:00Z',
          successor: '/api/v2/new/',
          why: 'ask new/ instead.',
        },
        handler: async () => ({ status: 200, body: {} }),
      }),
    );
    service = await bootWith({ env: { TAPLINE_ROLES: 'web' }, plugins: [old] });
  });
  after(() => service.stop());

  const set = (body: object) => service.request('PATCH', 'settings/all/', { body });
  const token = async (): Promise<string> => (await service.post('tokens/', { scope: 'write' })).body.token;

  it('a token is told what is left of its requests in this minute, and when there will be more', async () => {
    const [one, other] = [await token(), await token()];
    expect((await service.get('me/', { auth: one })).headers.get('ratelimit')).to.equal(null);
    await set({ TOKEN_REQUESTS_PER_MINUTE: 2 });
    const left = async (auth: string) => {
      const { status, headers } = await service.get('me/', { auth });
      expect(headers.get('ratelimit-policy')).to.equal('"token";q=2;w=60');
      expect(headers.get('ratelimit')).to.match(/^"token";r=\d;t=\d+$/);
      return [status, /r=(\d)/.exec(headers.get('ratelimit')!)![1]];
    };
    expect([await left(one), await left(one), await left(one)]).to.deep.equal([
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ]);
    const refused = await service.post('organizations/', { name: 'late' }, { auth: one });
    expect(refused.status).to.equal(429);
    expect(refused.body.detail).to.contain('TOKEN_REQUESTS_PER_MINUTE');
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(await left(other)).to.deep.equal([200, '1']);
    expect((await service.get('me/')).headers.get('ratelimit')).to.equal(null);
    await set({ TOKEN_REQUESTS_PER_MINUTE: 0 });
    expect((await service.get('me/', { auth: one })).status).to.equal(200);
  });

  it('a failed login is told how many are left', async () => {
    await set({ LOGIN_ATTEMPTS_PER_MINUTE: 3 });
    const fail = async () => {
      const { status, headers } = await service.get('me/', { auth: 'nobody:wrong' });
      return [status, headers.get('ratelimit-policy'), /r=(\d)/.exec(headers.get('ratelimit')!)![1]];
    };
    expect([await fail(), await fail()]).to.deep.equal([
      [401, '"login";q=3;w=60', '2'],
      [401, '"login";q=3;w=60', '1'],
    ]);
  });

  it('a deprecated path says since when, until when and what takes its place, also where it refuses', async () => {
    for (const [method, auth] of [
      ['GET', undefined],
      ['POST', undefined],
      ['GET', null],
    ] as const) {
      const { headers } = await service.request(method, 'old/', auth === null ? { auth } : {});
      expect(headers.get('deprecation')).to.equal(`@${Date.parse('2026-01-31T00:00:00Z') / 1000}`);
      expect(headers.get('sunset')).to.equal('Sun, 31 Jan 2027 12:00:00 GMT');
      expect(headers.get('link')).to.equal('</api/docs/>; rel="deprecation", </api/v2/new/>; rel="successor-version"');
    }
    const { headers } = await service.get('dashboard/');
    expect(headers.get('deprecation')).to.match(/^@\d+$/);
    expect(headers.get('warning')).to.match(/^299 .*deprecated/);
    const { body } = await service.get('openapi.json');
    expect(body.paths['/api/v2/dashboard/'].get.deprecated).to.equal(true);
    expect(body.paths['/api/v2/me/'].get).not.to.have.property('deprecated');
  });
});
