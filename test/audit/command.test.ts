import { expect } from 'chai';
import { insertActivityEntries } from '../../core/db/activity-entry.ts';
import { sealEvents } from '../../core/audit/seal.ts';
import { runCli } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('tapline audit verify', function () {
  let base: TestDatabase;
  before(async () => {
    base = await createTestDatabase();
    const entry = { operation: 'create', object: 'thing', node: 'test', user: null, organization: null, about: [] };
    await insertActivityEntries(
      base.db,
      [1, 2].map((id) => ({ ...entry, changes: { id } })),
    );
    await sealEvents(base.db);
  });
  after(() => base.drop());
  const verify = (...args: string[]) => runCli(['audit', 'verify', ...args], { DATABASE_URL: base.url });

  it('says that all fit, and prints a head that it knows again', async () => {
    const { code, out } = await verify();
    expect(code).to.equal(0);
    expect(out).to.include('2 events fit, 0 more are to be sealed yet.');
    const head = /Head: ([0-9a-f]{64}) \(seal 2\)/.exec(out)![1]!;
    expect((await verify('--head', head)).code).to.equal(0);
    expect((await verify('--head', 'f'.repeat(64))).err).to.include('No event that is there has the hash');
    expect((await verify('--head', 'x')).code).to.equal(1);
  });

  it('names the first event that does not fit, and ends with 1', async () => {
    await base.db.raw(
      `alter table audit_events disable trigger user; update audit_events set after = '{}' where id = 2`,
    );
    const { code, err } = await verify();
    expect(code).to.equal(1);
    expect(err).to.include('Event 2 does not fit: it, or its seal, was changed. 1 events of the chain fit.');
  });
});
