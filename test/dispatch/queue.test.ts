import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import { freeLocks } from '../../core/queue/free-locks.ts';
import { instead } from '../../core/queue/patient-pool.ts';
import { PLUGIN_TASKS_AT_ONCE } from '../../core/queue/plugin-slots.ts';
import { createQueue, type Queue } from '../../core/queue/queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { until } from '../support/until.ts';

const quiet = { debug: () => undefined, info: () => undefined, error: () => undefined };

describe('the queue', function () {
  let database: TestDatabase;
  let queue: Queue;
  const seen: number[] = [];
  let failures = 0;
  const stuck: (() => void)[] = [];

  before(async () => {
    database = await createTestDatabase();
    queue = createQueue({ pool: database.pool, log: silentLog });
    queue.define('test:note', { schema: z.object({ n: z.number() }), run: async ({ n }) => void seen.push(n) });
    queue.define('test:flaky', {
      schema: z.object({}),
      run: async () => {
        failures += 1;
        if (failures === 1) throw new Error('the first time');
        seen.push(-1);
      },
    });
    queue.define('test:odd', {
      schema: z.object({}),
      run: async () => {
        throw new Error('a text \0 that Postgres refuses');
      },
    });
    const hog = { schema: z.object({}), plugin: 'hog', run: () => new Promise<void>((resolve) => stuck.push(resolve)) };
    queue.define('hog:work', hog);
    queue.define('hog:quick', { ...hog, run: async () => undefined });
    queue.define('other:work', { schema: z.object({}), plugin: 'other', run: async () => void seen.push(-2) });
    await queue.migrate();
    await queue.start();
  });
  after(async () => {
    await queue.stop();
    await database.drop();
  });

  it('warns of nothing where it has more places than there are connections', async () => {
    const told: string[] = [];
    const log = { ...quiet, warn: (_: object, text: string) => void told.push(text) };
    const other = createQueue({ pool: database.pool, log, concurrency: 30 });
    await other.start();
    await other.stop();
    expect(told).to.deep.equal([]);
  });

  it('tells once of each try that failed: task, attempt, of how many, and why', async () => {
    const told: any[] = [];
    const log = { ...quiet, warn: (fields: object, text: string) => void told.push({ ...fields, text }) };
    const other = createQueue({ pool: database.pool, log });
    other.define('test:sorry', {
      schema: z.object({}),
      plugin: 'test',
      maxAttempts: 1,
      run: async () => {
        throw new Error('sorry');
      },
    });
    await other.start();
    await other.addTask(database.db, 'test:sorry', {});
    await until(() =>
      raw(`select 1 from tapline_jobs.jobs where last_error like '%sorry%'`).then(({ rows }) => rows.length),
    );
    await other.stop();
    expect(told).to.have.length(1);
    expect(told[0]).to.include({ text: 'task failed', task: 'test:sorry', plugin: 'test', attempt: 1, of: 1 });
    expect(told[0].err.message).to.equal('sorry');
    await raw('delete from tapline_jobs._private_jobs where locked_at is null');
  });

  const raw = (sql: string) => database.db.raw(sql);

  it('runs what was enqueued in a transaction that committed, and nothing of one that did not', async () => {
    const { db } = database;
    await db
      .transaction(async (trx) => {
        await queue.addTask(trx, 'test:note', { n: 13 });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await db.transaction((trx) =>
      queue.addTasks(
        trx,
        [1, 2, 3].map((n) => ({ name: 'test:note', payload: { n } })),
      ),
    );
    await until(() => seen.length === 3);
    expect(seen).to.have.members([1, 2, 3]);
  });

  it('refuses unknown tasks and payloads that do not fit, before anything is stored', async () => {
    const add = (name: string, payload: unknown) =>
      queue.addTask(database.db, name, payload).then(
        () => '',
        (error: Error) => error.message,
      );
    expect(await add('test:note', { n: 'x' })).to.contain('test:note');
    expect(await add('test:nothing', {})).to.contain('not defined');
    expect(Number((await raw('select count(*) from tapline_jobs._private_jobs')).rows[0].count)).to.equal(0);
  });

  it('tries a failing task again', async () => {
    await queue.addTask(database.db, 'test:flaky', {});
    await until(() => seen.includes(-1), 30_000);
    expect(failures).to.equal(2);
  });

  it('works on after an error whose text cannot be stored', async () => {
    await queue.addTask(database.db, 'test:odd', {});
    const failed = await until(() =>
      database
        .db('tapline_jobs.jobs')
        .where({ task_identifier: 'test:odd', locked_at: null })
        .whereNotNull('last_error')
        .first(),
    );
    expect(failed.last_error).to.contain('a text \uFFFD that');
    await queue.addTask(database.db, 'test:note', { n: 50 });
    await until(() => seen.includes(50));
  });

  it('keeps the tasks of one plugin from taking the places of others', async () => {
    await queue.addTasks(
      database.db,
      Array.from({ length: 30 }, () => ({ name: 'hog:work', payload: {} })),
    );
    await until(() => stuck.length === PLUGIN_TASKS_AT_ONCE);
    await queue.addTask(database.db, 'other:work', {});
    await until(() => seen.includes(-2));
    expect(stuck.length).to.equal(PLUGIN_TASKS_AT_ONCE);
    await until(() => {
      for (const end of stuck.splice(0)) end();
      return database
        .db('tapline_jobs.jobs')
        .where({ task_identifier: 'hog:work' })
        .first()
        .then((job) => !job);
    });
  });

  it('wakes no other node for places that are free again here', async () => {
    const client = await database.pool.connect();
    let woken = 0;
    client.on('notification', () => (woken += 1));
    try {
      await client.query('listen "jobs:insert"');
      const before = seen.filter((n) => n === -2).length;
      const tasks = Array.from({ length: 40 }, () => ({ name: 'other:work', payload: {} }));
      await queue.addTasks(database.db, tasks);
      await until(() => seen.filter((n) => n === -2).length === before + 40);
      await client.query('unlisten *');
      expect(woken).to.equal(1);
    } finally {
      client.removeAllListeners('notification');
      client.release();
    }
  });

  it('asks seldom while there is nothing to do, and takes what falls due with all its places', async () => {
    let asked = 0;
    const { pool: there } = database;
    const counting = (client: PoolClient) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      const counted = (...given: unknown[]) => {
        if (JSON.stringify(given[0]).includes('with j as')) asked += 1;
        return query(...given);
      };
      return instead(client, { query: counted });
    };
    const connect = async (listen?: Parameters<Pool['connect']>[0]) =>
      listen ? there.connect(listen) : counting(await there.connect());
    const other = createQueue({ pool: instead(there, { connect }), log: silentLog });
    const [ownPlaces, together] = [4, 8];
    const waiting: (() => void)[] = [];
    other.define('all:wait', {
      schema: z.object({}),
      plugin: 'all',
      atOnce: together,
      run: () =>
        new Promise<void>((resolve) => {
          if (waiting.push(resolve) === together) for (const end of waiting) end();
        }),
    });
    await other.start();
    try {
      // each place by itself, once
      await until(() => asked >= ownPlaces + together);
      asked = 0;
      // longer than the two seconds after which each would ask again
      await delay(3000);
      expect(asked).to.be.lessThan(10);
      // nobody is told of them
      await database.db.raw(
        `insert into tapline_jobs._private_tasks (identifier) values ('all:wait') on conflict do nothing;
         insert into tapline_jobs._private_jobs (task_id, payload, run_at)
         select id, '{}', now() + interval '1 second' from tapline_jobs._private_tasks, generate_series(1, ${together}) where identifier = 'all:wait'`,
      );
      await until(() => waiting.length === together);
    } finally {
      await other.stop();
    }
  });

  it('gives others their turn while one plugin has thousands of quick tasks', async () => {
    const many = Array.from({ length: 5000 }, () => ({ name: 'hog:quick', payload: {} }));
    await queue.addTasks(database.db, many);
    const before = seen.filter((n) => n === -2).length;
    await queue.addTask(database.db, 'other:work', {});
    await until(() => seen.filter((n) => n === -2).length > before);
    expect(await database.db('tapline_jobs.jobs').where({ task_identifier: 'hog:quick' }).first()).not.to.equal(
      undefined,
    );
    await database.db.raw(`delete from tapline_jobs._private_jobs where locked_at is null`);
  });

  it('notes its pools, works on after its connections were cut, and takes its note away at the end', async () => {
    expect(await database.db('queue_pools').where({ boot_id: queue.bootId })).to.have.length(1);
    await raw(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await until(() => queue.addTask(database.db, 'test:note', { n: 99 }).then(() => true));
    await until(() => seen.includes(99), 30_000);
  });

  it('writes down how tasks ended once there is a database again', async () => {
    let away = false;
    const { pool: there } = database;
    const connect = there.connect.bind(there) as (...given: unknown[]) => unknown;
    const gone = () => Promise.reject(new Error('timeout exceeded when trying to connect'));
    const pool = instead(there, { connect: (...given: unknown[]) => (away ? gone() : connect(...given)) });
    const other = createQueue({ pool, log: silentLog });
    const runs = { 'test:ends': 0, 'test:fails': 0 };
    for (const name of ['test:ends', 'test:fails'] as const)
      other.define(name, {
        schema: z.object({}),
        maxAttempts: 1,
        run: async () => {
          runs[name] += 1;
          away = true;
          setTimeout(() => (away = false), 1500);
          if (name === 'test:fails') throw new Error('in vain');
        },
      });
    await other.start();
    const left = () => database.db('tapline_jobs.jobs').select('task_identifier', 'locked_at', 'last_error');
    try {
      // several at once: none of them gets its connection
      await other.addTasks(database.db, [
        { name: 'test:ends', payload: {} },
        { name: 'test:ends', payload: {} },
        { name: 'test:fails', payload: {} },
      ]);
      const rows = await until(async () => {
        const all = await left();
        return all.length === 1 && all[0].last_error !== null ? all : undefined;
      }, 60_000);
      expect(rows[0]).to.include({ task_identifier: 'test:fails', locked_at: null });
      expect(rows[0].last_error).to.contain('in vain');
      expect(runs).to.deep.equal({ 'test:ends': 2, 'test:fails': 1 });
    } finally {
      await other.stop();
      await database.db.raw(`delete from tapline_jobs._private_jobs where locked_at is null`);
    }
  });

  it('takes nothing before its pool is noted, by which others find its locks', async () => {
    let tries = 0;
    let ran = 0;
    const { pool: there } = database;
    const query = there.query.bind(there) as (...given: unknown[]) => unknown;
    const refusing = instead(there, {
      query: (...given: unknown[]) =>
        String(given[0]).includes('insert into queue_pools') && (tries += 1) < 3
          ? Promise.reject(new Error('timeout expired'))
          : query(...given),
    });
    const other = createQueue({ pool: refusing, log: silentLog });
    other.define('test:noted', {
      schema: z.object({}),
      run: async () => {
        ran = tries;
      },
    });
    await other.addTask(database.db, 'test:noted', {});
    await other.start();
    try {
      await until(() => ran > 0);
      expect(ran).to.equal(3);
    } finally {
      await other.stop();
    }
  });

  it('gives back at its end what its library kept, or leaves the note by which others do', async () => {
    let away = false;
    const { pool: there } = database;
    const query = there.query.bind(there) as (...given: unknown[]) => unknown;
    const pool = instead(there, {
      query: (...given: unknown[]) => (away ? Promise.reject(new Error('timeout expired')) : query(...given)),
    });
    const lockedBy = async (note: object) => {
      const { id } = await until(() => database.db('queue_pools').where(note).first('id'));
      await raw(`select tapline_jobs.add_job('test:kept', '{}', run_at => now() + interval '1 day')`);
      await raw(`update tapline_jobs._private_jobs set locked_at = now(), locked_by = '${id}'`);
    };
    const locked = () => database.db('tapline_jobs.jobs').whereNotNull('locked_by').pluck('task_identifier');
    for (const [lost, left, notes] of [
      [false, [], 0],
      [true, ['test:kept'], 1],
    ] as const) {
      const other = createQueue({ pool, log: silentLog });
      await other.start();
      await lockedBy({ boot_id: other.bootId });
      away = lost;
      await other.stop();
      expect(await locked()).to.deep.equal(left);
      expect(await database.db('queue_pools').where({ boot_id: other.bootId })).to.have.length(notes);
      await raw('delete from tapline_jobs._private_jobs');
    }
  });

  it('frees what was begun by a process that is gone, and says of what may be tried once that it was given up', async () => {
    const insert = (identifier: string, most: number) =>
      database.db.raw(`select tapline_jobs.add_job(?, '{}', max_attempts => ?, run_at => now() + interval '1 day')`, [
        identifier,
        most,
      ]);
    await insert('test:once', 1);
    await insert('test:again', 3);
    await database.db.raw(`update tapline_jobs._private_jobs set attempts = 1, locked_at = now(), locked_by = 'gone'`);
    await freeLocks((sql, values) => database.pool.query(sql, values), ['gone']);
    const rows = await database
      .db('tapline_jobs.jobs')
      .orderBy('id')
      .select('task_identifier', 'locked_at', 'last_error');
    expect(rows).to.deep.equal([
      { task_identifier: 'test:once', locked_at: null, last_error: 'It was cut short: what ran it ended.' },
      { task_identifier: 'test:again', locked_at: null, last_error: null },
    ]);
  });
});
