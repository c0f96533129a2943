import { expect } from 'chai';
import type { Knex } from 'knex';
import { AnswerTooLargeError } from '../../core/db/answers.ts';
import { createDb } from '../../core/db/database.ts';
import { forRequest } from '../../core/db/pool-shares.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { startService, type TestService } from '../support/service.ts';

describe('an answer of the database that is too large', () => {
  let database: TestDatabase;
  let db: Knex;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ config: { databaseUrl: database.url }, log: silentLog, max: 1, mostForRequests: () => 1_000_000 });
  });
  after(async () => {
    await db?.destroy();
    await database?.drop();
  });
  const fails = (work: PromiseLike<unknown>) =>
    Promise.resolve(work).then(
      () => expect.fail('it was answered'),
      (error: unknown) => error,
    );

  it('ends its statement, be it one value or many rows, and no other', async () => {
    for (const sql of [
      `select repeat('x', 2000000)`,
      `select repeat('x', 1000) from generate_series(1, 2000)`,
      `select json_agg(n) from generate_series(1, 400000) n`,
    ]) {
      expect(await fails(forRequest(async () => await db.raw(sql))), sql).to.be.instanceOf(AnswerTooLargeError);
      expect((await db.raw('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
    }
  });

  it('is one of a request: what the service itself asks may be more', async () => {
    expect((await db.raw(`select length(repeat('x', 2000000)) as one, repeat('x', 2000000)`)).rows[0].one).to.equal(
      2e6,
    );
  });

  it('is counted for each statement anew', async () => {
    for (let i = 0; i < 4; i++) await forRequest(async () => await db.raw(`select repeat('x', 600000)`));
    await forRequest(() =>
      db.transaction(async (trx) => {
        for (let i = 0; i < 4; i++) await trx.raw(`select repeat('x', 600000)`);
      }),
    );
  });

  it('ends its transaction, and nothing of that is stored', async () => {
    const work = forRequest(() =>
      db.transaction(async (trx) => {
        await trx('users').insert({ username: 'half' });
        await trx.raw(`select repeat('x', 2000000)`);
      }),
    );
    expect(await fails(work)).to.be.instanceOf(Error);
    expect(await db('users').where({ username: 'half' })).to.deep.equal([]);
  });

  it('ends its statement also where the driver itself cannot read it', async () => {
    const connection = await db.client.acquireConnection();
    const asked = fails(connection.query('select pg_sleep(10)'));
    // a row that ends before its number of columns
    connection.connection.stream.emit('data', Buffer.from([0x44, 0, 0, 0, 4]));
    expect(await asked).to.have.property('code', 'ERR_OUT_OF_RANGE');
    await db.client.releaseConnection(connection);
    expect((await db.raw('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
  });
});

describe('what is larger than a request may read', function () {
  let service: TestService;
  let inventory: number;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web' });
    const body = { ANSWER_MAX_BYTES: 1_000_000, INVENTORY_MAX_BYTES: 3_000_000 };
    await service.request('PATCH', 'settings/all/', { body });
    inventory = (await service.post('inventories/', { name: 'large', organization: 1 })).body.id;
    await hosts(8);
  });
  after(() => service?.stop());

  /** Each with variables of 200 kB. */
  const hosts = (count: number) =>
    service.database.db.raw(
      `insert into hosts (inventory_id, name, variables)
       select ?, gen_random_uuid(), '{"a": "' || repeat('x', 200000) || '"}' from generate_series(1, ?::int)`,
      [inventory, count],
    );

  it('is refused with the name of the limit, and readable in parts', async () => {
    const { status, body } = await service.get(`hosts/?inventory=${inventory}`);
    expect(status).to.equal(400);
    expect(body.detail).to.match(/1000000 bytes of ANSWER_MAX_BYTES.*page_size/);
    expect((await service.get(`hosts/?inventory=${inventory}&page_size=3`)).body.results).to.have.length(3);
  });

  it('may be an inventory as a whole, up to the limit of inventories', async () => {
    const script = () => service.get(`inventories/${inventory}/script/?hostvars=1`);
    const { status, body } = await script();
    expect(status).to.equal(200);
    expect(Object.keys(body._meta.hostvars)).to.have.length(8);
    await hosts(10);
    const refused = await script();
    expect(refused.status).to.equal(400);
    expect(refused.body.detail).to.contain('3000000 bytes of INVENTORY_MAX_BYTES');
    expect((await service.get(`inventories/${inventory}/script/`)).status).to.equal(200);
  });

  it('is left out of lists of runs, and in their details', async () => {
    const { db } = service.database;
    const [short, long] = ['{"a": "b"}', JSON.stringify({ a: 'x'.repeat(70_000) })];
    for (const text of [short, long])
      await db('runs').insert({
        kind: 'job',
        name: 'long',
        status: 'successful',
        finished: db.fn.now(),
        extra_vars: text,
        // random, since what is counted is what Postgres has compressed
        artifacts:
          text === short
            ? '{}'
            : db.raw(
                `jsonb_build_object('a', (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 8000)))`,
              ),
      });
    for (const list of ['jobs', 'unified_jobs']) {
      const { results } = (await service.get(`${list}/?name=long&order_by=id`)).body;
      expect(results.map((run: any) => run.extra_vars)).to.deep.equal([short, '']);
      expect(results[1].artifacts).to.deep.equal({});
    }
    const { results } = (await service.get('jobs/?name=long&order_by=id')).body;
    const { extra_vars, artifacts } = (await service.get(`jobs/${results[1].id}/`)).body;
    expect(extra_vars).to.equal(long);
    expect(artifacts.a).to.have.length(8000 * 36);
  });
});
