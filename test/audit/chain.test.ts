import { expect } from 'chai';
import type { Knex } from 'knex';
import { removeOldEvents } from '../../core/audit/retention.ts';
import { headOf, sealEvents } from '../../core/audit/seal.ts';
import { verifyChain } from '../../core/audit/verify.ts';
import { insertActivityEntries } from '../../core/db/activity-entry.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('the chain of audit events', () => {
  let base: TestDatabase;
  let db: Knex;
  beforeEach(async () => {
    base = await createTestDatabase();
    ({ db } = base);
  });
  afterEach(() => base.drop());

  const entry = (name: string) => ({
    operation: 'update',
    object: 'thing',
    node: 'test',
    user: null,
    organization: null,
    changes: { name: ['before', name] },
    about: [{ type: 'thing', object_id: 1, summary: { name } }],
  });
  const write = (names: readonly string[], on: Knex = db) => insertActivityEntries(on, names.map(entry));
  const ids = (): Promise<number[]> => db('audit_events').orderBy('id').pluck('id');
  /** As somebody who owns the database could. */
  const tamper = async (sql: string) => {
    for (const table of ['audit_events', 'audit_seals', 'audit_checkpoints']) {
      await db.raw(`alter table ${table} disable trigger user`);
    }
    await db.raw(sql);
  };
  const hex = async () => (await headOf(db)).hash.toString('hex');

  it('holds over batches, in turn, whatever the time zone of who looks', async () => {
    await write(Array.from({ length: 4500 }, (_, n) => `name ${n}`));
    const both = await Promise.all([sealEvents(db), sealEvents(db)]);
    expect(both[0]!.sealed + both[1]!.sealed).to.equal(4500);
    await write(['one', 'two']);
    expect(await verifyChain(db)).to.deep.include({ checked: 4500, waiting: 2, problem: undefined });
    expect((await sealEvents(db)).sealed).to.equal(2);
    const verdict = await db.transaction(async (trx) => {
      await trx.raw(`set local time zone 'Asia/Tokyo'`);
      return (await sealEvents(trx)).head;
    });
    expect(verdict.hash.toString('hex')).to.equal(await hex());
    expect(await verifyChain(db)).to.deep.include({ checked: 4502, waiting: 0, problem: undefined });
  });

  it('takes in what commits late', async () => {
    const late = await db.transaction();
    await write(['late'], late);
    await write(['early']);
    expect((await sealEvents(db)).sealed).to.equal(1);
    await late.commit();
    expect((await sealEvents(db)).sealed).to.equal(1);
    expect((await verifyChain(db)).problem).to.equal(undefined);
  });

  it('knows nothing of what was rolled back', async () => {
    await db
      .transaction(async (trx) => {
        await write(['never'], trx);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect((await sealEvents(db)).sealed).to.equal(0);
  });

  for (const table of ['audit_events', 'audit_seals'])
    it(`is not changed, removed or emptied: ${table}`, async () => {
      await write(['one']);
      await sealEvents(db);
      const column = table === 'audit_events' ? 'action' : 'hash';
      for (const sql of [`update ${table} set ${column} = ${column}`, `delete from ${table}`, `truncate ${table}`]) {
        const error = await db.raw(sql).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(String(error), sql).to.include('the audit log is only added to');
      }
      expect((await verifyChain(db)).checked).to.equal(1);
    });

  const attacks: [what: string, sql: string, event: number | null, why: RegExp][] = [
    ['a changed value', `update audit_events set after = '{"name": "x"}' where id = 3`, 3, /was changed/],
    ['a changed author', `update audit_events set actor_name = 'somebody' where id = 2`, 2, /was changed/],
    ['a changed time', `update audit_events set created = created - interval '1 hour' where id = 4`, 4, /was changed/],
    ['a removed event', 'delete from audit_events where id = 3', 3, /was removed/],
    [
      'an event removed with its seal',
      'delete from audit_seals where event_id = 3; delete from audit_events where id = 3',
      4,
      /seals from 3 to 3 before it are missing/,
    ],
    ['a changed seal', `update audit_seals set hash = sha256('x') where event_id = 2`, 2, /was changed/],
    [
      'two events that changed places',
      `update audit_events set action = case id when 2 then 'b' else 'a' end where id in (2, 3)`,
      2,
      /was changed/,
    ],
    ['an added event', `insert into audit_events (action) values ('login')`, 6, /added beside the log/],
    [
      'a beginning that was removed',
      `delete from audit_events where id < 3; delete from audit_seals where event_id < 3`,
      3,
      /seals from 1 to 2 before it are missing/,
    ],
    [
      'a beginning that was removed as retention would, untold',
      `insert into audit_checkpoints (seq, hash, removed) select seq, hash, 2 from audit_seals where seq = 2;
       delete from audit_events where id < 3; delete from audit_seals where event_id < 3`,
      null,
      /no event says so/,
    ],
    ['an event removed before it was sealed', 'delete from audit_events where id = 6', 6, /before it was sealed/],
  ];
  for (const [what, sql, event, why] of attacks)
    it(`names the first event that does not fit: ${what}`, async () => {
      await write(['1', '2', '3', '4', '5']);
      await sealEvents(db);
      if (what.includes('before it was sealed')) await write(['6']);
      await tamper(sql);
      const { problem } = await verifyChain(db);
      expect(problem?.event).to.equal(event);
      expect(problem?.why).to.match(why);
    });

  it('knows a head that was noted, and misses it when the end was cut off', async () => {
    await write(['1', '2']);
    await sealEvents(db);
    const noted = await hex();
    await write(['3']);
    await sealEvents(db);
    expect(await verifyChain(db, noted)).to.include({ found: true, problem: undefined });
    await tamper(`delete from audit_events where id > 1; delete from audit_seals where event_id > 1`);
    expect(await verifyChain(db, noted)).to.include({ found: false, problem: undefined });
  });

  it('still holds when old events are removed, and says that they were', async () => {
    await write(['1', '2', '3']);
    await sealEvents(db);
    await tamper(`update audit_events set created = now() - interval '40 days' where id <= 2`);
    // with the times that they have now
    await db.raw(`insert into audit_unsealed select id from audit_events; delete from audit_seals`);
    await sealEvents(db);
    for (const table of ['audit_events', 'audit_seals', 'audit_checkpoints'])
      await db.raw(`alter table ${table} enable trigger user`);
    expect(await removeOldEvents({ db, node: 'test', days: 0 })).to.equal(0);
    expect(await removeOldEvents({ db, node: 'test', days: 30 })).to.equal(2);
    expect(await removeOldEvents({ db, node: 'test', days: 30 })).to.equal(0);
    await sealEvents(db);
    const kept = await ids();
    expect(kept).to.have.length(2);
    const told = await db('audit_events').where({ id: kept[1] }).first();
    expect(told).to.include({ action: 'audit_retention' });
    expect(told.details).to.include({ seq: 2, removed: 2, days: 30 });
    expect(await verifyChain(db)).to.deep.include({ checked: 2, problem: undefined });
    expect(await db.raw('delete from audit_events').catch((error: unknown) => String(error))).to.include(
      'only added to',
    );
  });
});
