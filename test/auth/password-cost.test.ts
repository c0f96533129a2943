import { createHook } from 'node:async_hooks';
import { expect } from 'chai';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { Browser } from './browser.ts';

describe('the cost of a login', () => {
  let service: TestService;
  let client: string;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web', TAPLINE_LOGIN_ATTEMPTS_PER_MINUTE: '0' });
    await service.post('users/', { username: 'off', password: 'off-password' });
    await service.post('users/', { username: 'external', password: 'x-password' });
    await service.services.db('users').where({ username: 'off' }).update({ is_active: false });
    await service.services.db('users').where({ username: 'external' }).update({ password: '' });
    const { body } = await service.post('organizations/', { name: 'Applications' });
    const application = { client_type: 'public', authorization_grant_type: 'password', organization: body.id };
    ({ client_id: client } = (await service.post('applications/', { name: 'x', ...application })).body);
    // the decoy is made at first use
    await service.get('me/', { auth: 'nobody:x' });
  });
  after(() => service?.stop());

  /** Password hashes computed by this process while `work` runs. */
  async function hashes(work: () => Promise<unknown>): Promise<number> {
    let count = 0;
    const hook = createHook({ init: (_id, type) => void (type === 'ARGON2REQUEST' && count++) }).enable();
    await work();
    hook.disable();
    return count;
  }

  const attempts = {
    'a wrong password': 'admin:wrong',
    'an unknown user': 'nobody:wrong',
    'a user switched off': 'off:off-password',
    'a user without a password': 'external:x',
    'the right password': `admin:${adminPassword}`,
  };
  for (const [what, pair] of Object.entries(attempts)) {
    it(`is one password hash for ${what}, so that its time tells nothing`, async () => {
      const [username, password] = pair.split(':') as [string, string];
      expect(await hashes(() => new Browser(service.url).login(username, password)), 'form').to.equal(1);
      expect(
        await hashes(() => new Browser(service.url).send('POST', '/api/login/', { json: { username, password } })),
        'JSON',
      ).to.equal(1);
      const form = { grant_type: 'password', client_id: client, username, password };
      expect(await hashes(() => new Browser(service.url).send('POST', '/api/o/token/', { form })), 'OAuth').to.equal(1);
      // a pair that was right is remembered; no other one is
      const known = what === 'the right password' ? 0 : 1;
      expect(await hashes(() => service.get('me/', { auth: pair })), 'Basic').to.equal(known);
    });
  }
});
