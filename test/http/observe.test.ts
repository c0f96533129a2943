import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';

/** An address of this machine that is not loopback; IPv6 ones of a link need its name. */
const address = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')?.address;

describe('what tells how the service is', function () {
  let service: TestService;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web', HOST: '0.0.0.0' });
    await service.post('users/', { username: 'plain', password: 'plain-password' });
  });
  after(() => service?.stop());

  const paths = ['/metrics', '/readyz?verbose'];
  const through = { 'x-forwarded-for': '203.0.113.9' };
  const get = async (path: string, auth: string | null, headers = {}) =>
    (await service.get(path, { auth, headers })).status;

  for (const path of paths) {
    it(`answers ${path} on the machine itself without credentials, and through a proxy with those of who looks after it`, async () => {
      expect(await get(path, null)).to.equal(200);
      expect(await get(path, null, through)).to.equal(401);
      expect(await get(path, 'plain:plain-password', through)).to.equal(403);
      expect(await get(path, 'admin:test-admin-password', through)).to.equal(200);
    });

    it(`answers ${path} to everybody where ALLOW_METRICS_FOR_ANONYMOUS_USERS says so`, async () => {
      const set = (value: boolean) =>
        service.request('PATCH', 'settings/all/', { body: { ALLOW_METRICS_FOR_ANONYMOUS_USERS: value } });
      await set(true);
      expect(await get(path, null, through)).to.equal(200);
      await set(false);
      expect(await get(path, null, through)).to.equal(401);
    });
  }

  it('answers others whether it lives and serves, and no more', async function () {
    if (!address) return this.skip();
    const from = (path: string) =>
      new Promise<number>((done, fail) => {
        request({ host: address, port: new URL(service.url).port, path, headers: { connection: 'close' } }, (reply) => {
          reply.resume();
          done(reply.statusCode!);
        })
          .on('error', fail)
          .end();
      });
    expect(await Promise.all(['/healthz', '/readyz'].map(from))).to.deep.equal([200, 200]);
    expect(await Promise.all(paths.map(from))).to.deep.equal([401, 401]);
  });
});
