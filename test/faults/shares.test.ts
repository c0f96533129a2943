import { expect } from 'chai';
import type { Knex } from 'knex';
import { createDb } from '../../core/db/database.ts';
import { forRequest } from '../../core/db/pool-shares.ts';
import { inSection } from '../../core/observe/section.ts';
import { connect, type TestNode } from '../websocket/stage.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('the pool of connections', () => {
  let database: TestDatabase;
  let db: Knex;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ config: { databaseUrl: database.url }, log: silentLog, max: 10 });
  });
  after(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const ways: Record<string, [<T>(work: () => T) => T, number]> = {
    requests: [forRequest, 5],
    'what plugins do by themselves': [(work) => inSection({ plugin: 'any', what: 'task' }, work), 3],
  };
  for (const [who, [through, share]] of Object.entries(ways)) {
    it(`is never held by ${who} alone, who wait for one another instead`, async () => {
      const held: Knex.Transaction[] = [];
      const all = Array.from({ length: 10 }, () =>
        through(() => db.transaction()).then((trx) => (held.push(trx), trx.executionPromise)),
      );
      await until(() => held.length === share);
      expect((await db.raw('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
      expect(held).to.have.length(share);
      for (let i = 0; i < all.length; i++) await (await until(() => held[i])).rollback();
      await Promise.all(all);
    });
  }
});

describe('one caller with slow requests', function () {
  let service: TestService;
  let lock: Knex.Transaction;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web' });
    const body = { REQUESTS_PER_USER: 2, WEBSOCKETS_PER_USER: 3 };
    await service.request('PATCH', 'settings/all/', { body });
    await service.post('users/', { username: 'slow', password: 'slow-password' });
    await service.post('users/', { username: 'other', password: 'other-password' });
    await Promise.all(['slow', 'other'].map(lists));
  });
  beforeEach(async () => {
    lock = await service.database.db.transaction();
    await lock.raw('lock table labels in access exclusive mode');
  });
  afterEach(() => lock?.rollback());
  after(() => service?.stop());

  const lists = (user: string) => service.get('labels/', { auth: `${user}:${user}-password` });
  const waitingForLock = async () => {
    const { rows } = await service.database.db.raw(
      `select count(*)::int from pg_locks where not granted and relation = 'labels'::regclass`,
    );
    return rows[0].count as number;
  };

  it('has so many in work and waiting, then 429, while everybody else is served', async () => {
    const answered: Awaited<ReturnType<typeof lists>>[] = [];
    const all = Array.from({ length: 70 }, async () => void answered.push(await lists('slow')));
    await until(() => answered.length === 8);
    for (const { status, headers, body } of answered) {
      expect(status).to.equal(429);
      expect(headers.get('retry-after')).to.equal('1');
      expect(body.detail).to.contain('REQUESTS_PER_USER');
    }
    expect(await waitingForLock()).to.equal(2);
    expect((await service.get('me/', { auth: 'other:other-password' })).status).to.equal(200);
    expect((await service.get('users/')).status).to.equal(200);
    await lock.rollback();
    await Promise.all(all);
    expect(answered.slice(8).map(({ status }) => status)).to.deep.equal(Array(62).fill(200));
  });

  it('loses a list that takes too long, and the database does not go on with it', async () => {
    service.services.catalog.listTimeoutMs = 300;
    const { status, body } = await lists('slow');
    service.services.catalog.listTimeoutMs = 10_000;
    expect(status).to.equal(503);
    expect(body.detail).to.equal('The request took too long in the database.');
    await until(async () => (await waitingForLock()) === 0);
  });

  it('opens so many WebSockets and no more', async () => {
    const node = { port: Number(new URL(service.url).port) } as TestNode;
    const open = (user: string) => {
      const pair = Buffer.from(`${user}:${user}-password`).toString('base64');
      return connect(node, { authorization: `Basic ${pair}` });
    };
    const clients = await Promise.all(Array.from({ length: 3 }, () => open('slow')));
    expect(clients.map(({ refused }) => refused)).to.deep.equal([null, null, null]);
    expect((await open('slow')).refused).to.equal(429);
    const other = await open('other');
    expect(other.refused).to.equal(null);
    clients[0]!.socket.terminate();
    const again = await until(async () => {
      const client = await open('slow');
      return client.refused === null ? client : null;
    });
    for (const { socket } of [...clients, other, again]) socket.terminate();
  });
});

describe('one address with many requests', function () {
  it('is told so before anything is looked up for it', async () => {
    const service = await startService({ TAPLINE_ROLES: 'web' });
    await service.request('PATCH', 'settings/all/', { body: { REQUESTS_PER_ADDRESS: 3 } });
    const lock = await service.database.db.transaction();
    try {
      await lock.raw('lock table labels in access exclusive mode');
      const all = Array.from({ length: 3 }, () => service.get('labels/'));
      await until(async () => (await service.get('ping/', { auth: null })).status === 429);
      expect((await service.get('/healthz', { auth: null })).status).to.equal(200);
      await lock.rollback();
      for (const { status } of await Promise.all(all)) expect(status).to.equal(200);
      expect((await service.get('ping/', { auth: null })).status).to.equal(200);
    } finally {
      await lock.rollback();
      await service.stop();
    }
  });
});
