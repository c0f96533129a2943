import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { isWellKnownPassword } from '../../core/accounts/well-known-password.ts';
import { ensureFirstAdmin } from '../../core/app/first-admin.ts';
import { adminPassword, type Api, startApi } from '../support/api.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const isDefault = async (db: Knex) =>
  (await db('core_users').where({ username: 'admin' }).first())!.has_default_password;

describe('the password of the first administrator', () => {
  let database: TestDatabase;
  let dataDir: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-admin-'));
  });
  afterEach(async () => {
    await database.drop();
    removeFolder(dataDir);
  });

  for (const [what, chosen, expected] of [
    ['a default while it is the one that was generated', '', true],
    ['no default where ADMIN_PASSWORD chose it', 'of-our-own-Making-5', false],
    ['a default where ADMIN_PASSWORD chose one that everybody tries', 'ChangeMe', true],
  ] as const)
    it(`is ${what}`, async () => {
      const { db } = database;
      await ensureFirstAdmin({ db, config: { dataDir, adminPassword: chosen } });
      expect(await isDefault(db)).to.equal(expected);
      const again = await ensureFirstAdmin({ db, config: { dataDir, adminPassword: chosen } });
      expect(again.file).to.equal(chosen ? null : join(dataDir, 'admin-password'));
    });
});

describe('a password that is set over the API', () => {
  let api: Api;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  it('is a default where everybody tries it, and none once it was changed for another', async () => {
    const admin = (await api.admin('GET', '/api/v2/me/')).body.results[0].url;
    expect((await api.admin('PATCH', admin, { password: 'Password123' })).status).to.equal(200);
    expect(await isDefault(api.db)).to.equal(true);
    const as = api.as(`Basic ${btoa('admin:Password123')}`);
    expect((await as('PATCH', admin, { password: adminPassword })).status).to.equal(200);
    expect(await isDefault(api.db)).to.equal(false);
  });

  it('may be the name of the user, in whatever case', () => {
    expect(isWellKnownPassword('Operations', 'operations')).to.equal(true);
    expect(isWellKnownPassword('operations-5f', 'operations')).to.equal(false);
  });
});
