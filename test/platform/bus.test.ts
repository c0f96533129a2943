import { expect } from 'chai';
import { createBus, type PgBus } from '../../core/queue/pg-bus.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog as log } from '../support/log.ts';
import { until } from '../support/until.ts';

describe('the bus', () => {
  let database: TestDatabase;
  let sender: PgBus;
  let receiver: PgBus;
  const seen: number[] = [];
  let reconnected = 0;

  before(async () => {
    database = await createTestDatabase();
    const config = { databaseUrl: database.url };
    sender = createBus({ config, log });
    receiver = createBus({ config, log });
    await Promise.all([sender.start(), receiver.start()]);
    receiver.on('node', ({ run }) => void seen.push(run));
    receiver.on('reconnected', () => void reconnected++);
  });
  after(async () => {
    await sender.stop();
    await receiver.stop();
    await database.drop();
  });

  it('carries a message to every process once its transaction committed', async () => {
    await database.db.transaction((trx) => sender.notify(trx, 'node', { instance: 1, run: 1, what: 'start' }));
    await until(() => seen.includes(1));
  });

  it('carries nothing of a transaction that rolled back', async () => {
    await database.db
      .transaction(async (trx) => {
        await sender.notify(trx, 'node', { instance: 1, run: 2, what: 'start' });
        throw new Error('no');
      })
      .catch(() => undefined);
    await sender.notify(database.db, 'node', { instance: 1, run: 3, what: 'start' });
    await until(() => seen.includes(3));
    expect(seen).not.to.include(2);
  });

  it('listens again after its connection was cut, and says that messages may be lost', async () => {
    const cut = () =>
      database.db.raw(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tapline bus' and datname = current_database()`,
      );
    await cut();
    await until(() => reconnected === 1);
    await sender.notify(database.db, 'node', { instance: 1, run: 4, what: 'start' });
    await until(() => seen.includes(4));
    expect(receiver.available).to.equal(true);
  });

  it('stays alive when a listener throws', async () => {
    const off = receiver.on('dispatch', () => {
      throw new Error('listener');
    });
    await sender.notify(database.db, 'node', { instance: 1, run: 5, what: 'start' });
    await until(() => seen.includes(5));
    off();
  });
});
