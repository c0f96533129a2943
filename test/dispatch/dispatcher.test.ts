import { expect } from 'chai';
import type { Knex } from 'knex';
import { createDispatcher } from '../../core/dispatch/dispatcher.ts';
import { Look } from '../../core/dispatch/look.ts';
import { loadSituation, PASS_SIZE } from '../../core/dispatch/situation.ts';
import { endDeadNodes } from '../../core/dispatch/dead-nodes.ts';
import { sweepQueue } from '../../core/dispatch/sweep.ts';
import { claimRun } from '../../core/runner/claim.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createRuns } from '../support/runs.ts';
import { until } from '../support/until.ts';
import { waitsForLock } from '../support/waits-for-lock.ts';

/** Of `runs`, on this connection. */
async function rowsRead(trx: Knex.Transaction): Promise<number> {
  const counts = 'coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)';
  return (await trx.raw(`select ${counts} as rows from pg_stat_xact_user_tables where relname = 'runs'`)).rows[0].rows;
}

const claiming = { executor: 'local', kinds: ['job'] };

describe('the dispatcher', function () {
  let database: TestDatabase;
  let db: Knex;
  let node: number;
  const log = {
    error: (fields: any) => {
      throw fields.err;
    },
    warn: () => undefined,
  };
  let runs: ReturnType<typeof createRuns>;
  let dispatcher: ReturnType<typeof createDispatcher>;

  before(async () => {
    database = await createTestDatabase();
    db = database.db;
    runs = createRuns(db);
    dispatcher = createDispatcher({ db, ...runs, log });
    [{ id: node }] = (await db('instances')
      .insert({
        hostname: 'n1',
        uuid: crypto.randomUUID(),
        capacity: 100,
        last_seen: db.raw("now() + interval '1 hour'"),
      })
      .returning('id')) as any;
  });
  after(() => database.drop());
  afterEach(async () => {
    await db('runs').delete();
    await db('templates').delete();
    await db('instances')
      .where({ id: node })
      .update({ capacity: 100, enabled: true, last_seen: db.raw("now() + interval '1 hour'") });
  });

  const template = async (columns: object = {}) =>
    (
      await db('templates')
        .insert({ kind: 'job_template', name: `t${Math.random()}`, ...columns })
        .returning('id')
    )[0].id as number;
  const pending = async (templateId: number | null, columns: object = {}) =>
    (
      await db('runs')
        .insert({
          kind: 'job',
          template_id: templateId,
          status: 'pending',
          impact: 6,
          holds: [`template:${templateId}`],
          waits_for: [`template:${templateId}`],
          ...columns,
        })
        .returning('id')
    )[0].id as number;
  const pass = async () => {
    while (await dispatcher.runOnce());
  };
  const run = (id: number) => db('runs').where({ id }).first();
  const end = (id: number, status: 'successful' | 'failed' | 'canceled' = 'successful') =>
    db.transaction(async (trx) => {
      await runs.statuses.setStatus(trx, { id }, 'running');
      await runs.statuses.setStatus(trx, { id }, status);
    });

  it('assigns a pending run to a node', async () => {
    const id = await pending(await template());
    await pass();
    expect(await run(id)).to.include({ status: 'waiting', instance_id: node, execution_node: 'n1', status_seq: 1 });
  });

  it('tells its own node of the runs that it is given', async () => {
    const begun: number[] = [];
    const own = createDispatcher({ db, ...runs, log });
    const id = await pending(await template({ name: 'its template' }));
    own.start({ instance: node, start: (one) => begun.push(one) });
    await until(async () => begun.length > 0);
    await own.stop();
    expect(begun).to.deep.equal([id]);
    const claimed = await claimRun(db, id, { instance: node, ...claiming });
    expect(claimed).to.deep.include({ id, status: 'waiting', instance_id: node, credential_ids: [], inventory: null });
    expect(claimed?.template?.['name']).to.equal('its template');
    expect(await claimRun(db, id, { instance: node, ...claiming })).to.equal(null);
  });

  it('starts a template once at a time and wakes the next when it ends', async () => {
    const t = await template();
    const [first, second, third] = [await pending(t), await pending(t), await pending(t)];
    await pass();
    expect([(await run(first)).status, (await run(second)).blocked_on, (await run(third)).blocked_on]).to.deep.equal([
      'waiting',
      `template:${t}`,
      `template:${t}`,
    ]);
    expect((await run(second)).pending_reasons[0]).to.include({
      code: 'concurrency',
      explanation: `waiting for job-${first} to finish`,
    });
    await end(first);
    await pass();
    expect([(await run(second)).status, (await run(third)).status]).to.deep.equal(['waiting', 'pending']);
    expect((await run(second)).pending_reasons).to.deep.equal([]);
  });

  it('waits for an end that is on its way before it lets anybody wait for that', async () => {
    const t = await template();
    const first = await pending(t);
    await pass();
    const ending = await db.transaction();
    for (const status of ['running', 'successful'] as const)
      await runs.statuses.setStatus(ending, { id: first }, status);
    const second = await pending(t);
    const looking = pass();
    await until(() => waitsForLock(db));
    await ending.commit();
    await looking;
    expect(await run(second)).to.include({ status: 'waiting', blocked_on: null });
  });

  it('goes on with the next one when the one that was woken is canceled', async () => {
    const t = await template();
    const [first, second, third] = [await pending(t), await pending(t), await pending(t)];
    await pass();
    await end(first);
    await db.transaction((trx) => runs.statuses.setStatus(trx, { id: second }, 'canceled'));
    await pass();
    expect((await run(third)).status).to.equal('waiting');
  });

  it('goes on with the next one whose plugin is on', async () => {
    const t = await template();
    const first = await pending(t);
    await pass();
    const off = await pending(t, { kind: 'of_a_plugin', blocked_on: `template:${t}` });
    const next = await pending(t);
    await pass();
    await end(first);
    await pass();
    expect([(await run(off)).status, (await run(next)).status]).to.deep.equal(['pending', 'waiting']);
  });

  it('reads no blocked run, however many there are', async () => {
    const t = await template();
    await pending(t);
    await db.raw(
      `insert into runs (kind, template_id, status, blocked_on, holds, waits_for) select 'job', ?, 'pending', k, array[k], array[k] from generate_series(1, 5000), (select ? as k) key`,
      [t, `template:${t}`],
    );
    await db.raw('analyze runs');
    await pass();
    const statements: string[] = [];
    const record = ({ sql }: { sql: string }) => void statements.push(sql);
    const fresh = await pending(await template());
    db.on('query', record);
    await dispatcher.runOnce();
    db.removeListener('query', record);
    expect((await run(fresh)).status).to.equal('waiting');
    expect(statements.length).to.be.at.most(10);
    await pending(await template());
    const read = await db.transaction(async (trx) => {
      const before = await rowsRead(trx);
      expect((await loadSituation(trx, ['job'])).candidates).to.have.length(1);
      return (await rowsRead(trx)) - before;
    });
    expect(read).to.be.within(1, 100);
    // the end of the blocker wakes one, not five thousand
    const blocker = await db('runs').where({ template_id: t, status: 'waiting' }).first();
    await end(blocker.id);
    const [{ count }] = (await db('runs')
      .where({ template_id: t, status: 'pending', blocked_on: null })
      .count()) as any;
    expect(count).to.equal(1);
  });

  it('plans what it asks once, not for each pass', async () => {
    await pending(await template());
    const plans = await db.transaction(async (trx): Promise<{ name: string; generic_plans: string }[]> => {
      // each goes through the same connection, on which Postgres tries five plans of its own first
      // oxlint-disable-next-line no-await-in-loop
      for (let passes = 0; passes < 10; passes += 1) await loadSituation(trx, ['job']);
      return trx('pg_prepared_statements').whereLike('name', 'dispatch %').select('name', 'generic_plans');
    });
    expect(plans.length).to.be.at.least(3);
    for (const { name, generic_plans: reused } of plans) expect(Number(reused), name).to.be.at.least(1);
  });

  it('assigns many in one pass with a fixed number of statements', async () => {
    await db('instances').where({ id: node }).update({ capacity: 10_000 });
    const count = async (many: number) => {
      for (let i = 0; i < many; i += 1) await pending(await template());
      let statements = 0;
      const record = () => void (statements += 1);
      db.on('query', record);
      await dispatcher.runOnce();
      db.removeListener('query', record);
      return statements;
    };
    // the bus is silent here: it sends one message per run otherwise
    expect(await count(40)).to.equal(await count(2));
    expect(await db('runs').where({ status: 'waiting' })).to.have.length(42);
  });

  it('keeps within capacity, prefers priority, and says why others wait', async () => {
    await db('instances').where({ id: node }).update({ capacity: 12 });
    const [low, high, other] = [
      await pending(await template()),
      await pending(await template(), { priority: 10 }),
      await pending(await template()),
    ];
    await pass();
    expect([(await run(low)).status, (await run(high)).status, (await run(other)).status]).to.deep.equal([
      'waiting',
      'waiting',
      'pending',
    ]);
    expect((await run(other)).pending_reasons[0]).to.include({ code: 'capacity' });
    await end(low);
    await pass();
    expect((await run(other)).status).to.equal('waiting');
  });

  it('looks at the whole queue: many that find no place hold up nobody behind them', async () => {
    await db('instances').where({ id: node }).update({ capacity: 10 });
    const busy = await pending(await template(), { impact: 4 });
    await pass();
    const queue = (from: number, to: number, impact: string) =>
      db.raw(
        `insert into runs (kind, status, impact, pending_reasons) select 'job', 'pending', ${impact}, '[{"code": "queued"}]' from generate_series(?::integer, ?) i`,
        [from, to],
      );
    await queue(1, 250, '500');
    await queue(1, 250, '500 + i');
    const small = await pending(await template());
    const look = async () => {
      let statements = 0;
      const record = () => void (statements += 1);
      db.on('query', record);
      await dispatcher.runOnce();
      db.removeListener('query', record);
      return statements;
    };
    await look();
    expect((await run(small)).status).to.equal('waiting');
    expect(await db('runs').whereRaw("status = 'pending' and pending_reasons->0->>'code' <> 'capacity'")).to.deep.equal(
      [],
    );
    const some = await look();
    // of one shape only some are read, however many there are
    await queue(1, 3000, '500');
    expect(await look()).to.be.at.most(some + 1);
    expect((await run(busy)).status).to.equal('waiting');
  });

  it('reads on past runs that no node has room for: to those that need none, and those that end', async () => {
    await db('instances').where({ id: node }).update({ capacity: 10 });
    await pending(await template(), { impact: 10 });
    await pass();
    const project = await template({ kind: 'project', scm_type: 'git', scm_url: 'https://example.org/a.git' });
    await db.raw(
      `insert into runs (kind, status, impact, updates_first, pending_reasons) select 'job', 'pending', 6, array[?::bigint], '[{"code": "queued"}]' from generate_series(1, 2500)`,
      [project],
    );
    const needsNone = await pending(null, { needs: 'nobody', holds: [], waits_for: [] });
    const ends = await pending(null, { holds: [], waits_for: [] });
    const failed = await pending(null, { status: 'failed' });
    await db('run_dependencies').insert({ run_id: ends, depends_on: failed });
    let transactions = 0;
    const counting = createDispatcher({
      ...runs,
      log,
      db: { transaction: (work: any) => ((transactions += 1), db.transaction(work)) } as any,
    });
    await counting.runOnce();
    // the head of the queue, what stands behind it, and the reasons
    expect(transactions).to.equal(3);
    expect([(await run(needsNone)).status, (await run(ends)).status]).to.deep.equal(['running', 'failed']);
    const told = async () => {
      const { rows } = await db.raw(
        `select pending_reasons->0->>'code' as code, count(*)::integer from runs where status = 'pending' and kind = 'job' group by 1`,
      );
      return Object.fromEntries(rows.map(({ code, count }: any) => [code, count]));
    };
    expect(await told()).to.deep.equal({ dependency: 200, capacity: 1000, queued: 1300 });
    for (let looks = 0; looks < 2; looks += 1) await counting.runOnce();
    expect((await told()).queued).to.equal(undefined);
    const [last] = await db('runs').where({ status: 'pending', impact: 6, blocked_on: null }).orderBy('id', 'desc');
    expect(last.pending_reasons[0].text).to.equal('Needs 6 units of capacity; the freest of 1 nodes has 0 left.');
  });

  it('goes through the queue in its order, pass by pass, over all priorities', async () => {
    await db.raw(
      `insert into runs (kind, status, priority) select 'job', 'pending', i % 3 from generate_series(1, 650) i`,
    );
    const look = new Look();
    const seen: number[] = [];
    for (let full = true; full;) {
      const { candidates } = await db.transaction((trx) => loadSituation(trx, ['job'], look));
      seen.push(...candidates.map(({ id }) => id));
      look.goOn(candidates, [], { nodes: [], groups: new Map() });
      look.nodes = undefined;
      full = candidates.length === PASS_SIZE;
    }
    const queue = await db('runs').orderByRaw('priority desc, id').pluck('id');
    expect(seen).to.deep.equal(queue);
  });

  it('gives what comes free during a look to those who stood before', async () => {
    await db('instances').where({ id: node }).update({ capacity: 12 });
    const t = await template();
    const busy = await pending(t, { impact: 12 });
    await pass();
    const [first, inLine] = [await pending(null, { holds: [], waits_for: [] }), await pending(t)];
    await db.raw(
      `insert into runs (kind, status, impact) select 'job', 'pending', 500 + i from generate_series(1, 250) i`,
    );
    const [late, lateInLine] = [await pending(null, { holds: [], waits_for: [] }), await pending(t, { impact: 0 })];
    const statuses = () => Promise.all([first, inLine, late, lateInLine].map(async (id) => (await run(id)).status));
    let passes = 0;
    const between = createDispatcher({
      ...runs,
      log,
      db: {
        transaction: async (work: any) => {
          passes += 1;
          if (passes === 2) await end(busy);
          return db.transaction(work);
        },
      } as any,
    });
    await between.runOnce();
    expect(passes).to.be.at.least(2);
    expect(await statuses()).to.deep.equal(['pending', 'pending', 'pending', 'pending']);
    await dispatcher.runOnce();
    expect(await statuses()).to.deep.equal(['waiting', 'waiting', 'pending', 'pending']);
  });

  it('uses no node that is disabled or silent', async () => {
    const id = await pending(await template());
    await db('instances').where({ id: node }).update({ enabled: false });
    await pass();
    expect((await run(id)).pending_reasons[0].code).to.equal('no_node');
    await db('instances')
      .where({ id: node })
      .update({ enabled: true, last_seen: db.raw("now() - interval '1 minute'") });
    await pass();
    expect((await run(id)).status).to.equal('pending');
  });

  it('updates a project once for all who need it, shares one under way, and fails them with it', async () => {
    const project = await template({
      kind: 'project',
      scm_type: 'git',
      scm_url: 'https://example.org/a.git',
      scm_update_on_launch: true,
    });
    const needing = { project_id: project, updates_first: [project] };
    const [one, two] = [await pending(await template(), needing), await pending(await template(), needing)];
    await pass();
    const updates = await db('runs').where({ kind: 'project_update' });
    expect(updates).to.have.length(1);
    expect(updates[0]).to.include({
      status: 'waiting',
      launch_type: 'dependency',
      template_id: project,
      scm_url: 'https://example.org/a.git',
    });
    const three = await pending(await template(), needing);
    await pass();
    expect(await db('runs').where({ kind: 'project_update' })).to.have.length(1);
    for (const id of [one, two, three])
      expect(await run(id)).to.include({ status: 'pending', blocked_on: `run:${updates[0].id}` });
    await end(updates[0].id, 'failed');
    await pass();
    for (const id of [one, two, three]) {
      const failed = await run(id);
      expect(failed.status).to.equal('failed');
      expect(failed.job_explanation).to.match(/^Previous Task Failed: \{"job_type":"project_update",/);
    }
  });

  it('starts the runs after a successful update, without another one', async () => {
    const project = await template({
      kind: 'project',
      scm_type: 'git',
      scm_url: 'https://example.org/a.git',
      scm_update_on_launch: true,
    });
    const id = await pending(await template(), { project_id: project, updates_first: [project] });
    await pass();
    const update = await db('runs').where({ kind: 'project_update' }).first();
    await end(update.id);
    await pass();
    expect((await run(id)).status).to.equal('waiting');
    expect(await db('runs').where({ kind: 'project_update' })).to.have.length(1);
  });

  it('frees a run whose blocker vanished without a word', async () => {
    const [t, free] = [await template(), await template()];
    const blocked = await pending(free, { blocked_on: `template:${free}` });
    const orphan = await pending(t, { blocked_on: 'run:999999999' });
    const together = await pending(await template(), { blocked_on: 'project:12345' });
    const asked = await pending(await template(), { blocked_on: 'answer' });
    const strange = await pending(await template(), { blocked_on: 'run:x' });
    const long = await pending(await template(), { blocked_on: `run:${'9'.repeat(30)}` });
    await sweepQueue(db, runs.kinds.names());
    const left = await Promise.all([blocked, orphan, together, strange, long, asked].map(run));
    expect(left.map(({ blocked_on: key }) => key)).to.deep.equal([null, null, null, null, null, 'answer']);
  });

  it('gives back what a dead node had not begun, and ends what it had when nobody can reach it', async () => {
    const [{ id: dead }] = (await db('instances')
      .insert({
        hostname: `dead${Math.random()}`,
        uuid: crypto.randomUUID(),
        capacity: 9,
        last_seen: db.raw("now() - interval '10 minutes'"),
      })
      .returning('id')) as any;
    const waiting = await pending(await template(), { status: 'waiting', instance_id: dead, execution_node: 'dead' });
    const begun = await pending(await template(), {
      status: 'running',
      instance_id: dead,
      handle: JSON.stringify({ executor: 'local', workspace: '/nowhere' }),
    });
    const reachable = await pending(await template(), {
      status: 'running',
      instance_id: dead,
      handle: JSON.stringify({ executor: 'local', workspace: '/here' }),
    });
    const asked: number[] = [];
    const runLifecycle = {
      adoptFrom: async (runs: readonly number[]) => {
        asked.push(...runs);
        return runs.filter((id) => id !== reachable);
      },
    };
    await db.raw('create schema if not exists tapline_jobs');
    await endDeadNodes({ db, statuses: runs.statuses, log, runLifecycle }, node);
    expect(await run(waiting)).to.include({ status: 'pending', instance_id: null, execution_node: '' });
    expect(await run(begun)).to.include({ status: 'error' });
    expect((await run(begun)).job_explanation).to.contain('not heard of');
    expect((await run(reachable)).status).to.equal('running');
    expect(asked).to.have.members([begun, reachable]);
  });

  it('does not give back what a node that was taken for dead claims at the same moment', async () => {
    const [{ id: silent }] = await db('instances')
      .insert({
        hostname: `silent${Math.random()}`,
        uuid: crypto.randomUUID(),
        last_seen: db.raw("now() - interval '1 minute'"),
      })
      .returning('id');
    const id = await pending(await template(), { status: 'waiting', instance_id: silent });
    let claim: ReturnType<typeof claimRun> | undefined;
    const statuses: typeof runs.statuses = {
      ...runs.statuses,
      async setStatuses(trx, to, moves) {
        claim = claimRun(db, id, { instance: silent, ...claiming });
        await Promise.race([claim, until(() => waitsForLock(db))]);
        return runs.statuses.setStatuses(trx, to, moves);
      },
    };
    await db.raw('create schema if not exists tapline_jobs');
    await endDeadNodes({ db, statuses, log, runLifecycle: { adoptFrom: async () => [] } }, node);
    expect(await run(id)).to.include({ status: 'pending', instance_id: null });
    expect(await claim).to.equal(null);
  });

  it('never moves a run that has ended', async () => {
    const id = await pending(await template(), { status: 'canceled' });
    for (const to of ['pending', 'waiting', 'running', 'successful', 'failed', 'error'] as const) {
      expect(await db.transaction((trx) => runs.statuses.setStatus(trx, { id }, to))).to.equal(null);
    }
    expect(await run(id)).to.include({ status: 'canceled', status_seq: 0 });
  });

  it('shows on the template what its newest active run does, then how the last one ended', async () => {
    const t = await template();
    const status = async () => {
      const row = await db('templates').where({ id: t }).first();
      return [row.status, row.current_run_id, row.last_run_id, row.last_job_failed];
    };
    const fresh = async () => (await db('runs').insert({ kind: 'job', template_id: t }).returning('id'))[0].id;
    const [a, b] = [await fresh(), await fresh()];
    await db.transaction((trx) => runs.statuses.setStatuses(trx, 'pending', [{ id: a }, { id: b }]));
    expect(await status()).to.deep.equal(['pending', b, null, false]);
    await pass();
    await end(b, 'canceled');
    expect(await status()).to.deep.equal(['waiting', a, b, true]);
    await end(a);
    expect(await status()).to.deep.equal(['successful', null, a, false]);
  });
});
