import { expect } from 'chai';
import { deleteOldTraces } from '../../core/hooks/old-traces.ts';
import { TraceWriter } from '../../core/hooks/trace-writer.ts';
import { type Stage, startStage } from '../launch/fixture.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';

const quota = testPlugin('quota', (api) => {
  api.hooks.beforeStart({ name: 'check', stage: 100, failMode: 'deny', timeoutMs: 7000 }, ({ run }) =>
    run['limit'] === 'none' ? { status: 403, body: { detail: 'over quota' } } : undefined,
  );
  api.hooks.onStatusChange({ name: 'count' }, () => undefined);
});
const scan = testPlugin('scan', (api) => {
  api.hooks.beforeStart({ name: 'late', failMode: 'allow' }, () => {
    throw new Error('scanner \0 missing');
  });
  api.hooks.beforeStart({ name: 'first', stage: 50, failMode: 'allow' }, () => undefined);
});

describe('traces of hooks', function () {
  let stage: Stage;
  let template: number;

  before(async () => {
    stage = await startStage({}, [quota, scan]);
    template = await stage.template({ ask_limit_on_launch: true });
    await stage.post('users/', { username: 'auditor', password: 'audit-pass-1', is_system_auditor: true });
    await stage.post('users/', { username: 'plain', password: 'plain-pass-1' });
  });
  after(() => stage.stop());

  const tracesOf = async (query: string, auth?: string) => {
    await stage.services.hookTraces.flush();
    return stage.get(`hooks/traces/?${query}`, auth ? { auth } : {});
  };

  it('tell what every tap did with a run, page by page', async () => {
    const job = await stage.launch(template);
    await stage.ended(job.id);
    const found = await until(async () => {
      const { body } = await tracesOf(`run=${job.id}&order_by=id`);
      return body.count === 7 && body.results;
    });
    const told = found.map(({ hook, plugin, tap, result }: any) => `${hook} ${plugin}:${tap} ${result}`);
    expect(told.slice(0, 3)).to.deep.equal([
      'beforeStart scan:first ok',
      'beforeStart quota:check ok',
      'beforeStart scan:late threw',
    ]);
    expect(told.slice(3)).to.deep.equal(Array(4).fill('onStatusChange quota:count ok'));
    expect(found[2]).to.deep.include({ error: 'Error: scanner \uFFFD missing', attempt: 1, run: job.id });
    expect(found[2].milliseconds).to.be.a('number');
    expect(found[2].node).to.equal(stage.services.config.nodeName);
    const { body: page } = await tracesOf(`run=${job.id}&page_size=2&page=2`);
    expect(page).to.include({ count: 7 });
    expect(page.results).to.have.length(2);
    expect(page.next).to.contain('page=3');
    expect((await tracesOf(`plugin=scan&result=threw&run=${job.id}`)).body.count).to.equal(1);
  });

  it('outlive a launch that was denied', async () => {
    const answer = await stage.post(`job_templates/${template}/launch/`, { limit: 'none' });
    expect(answer.status).to.equal(403);
    const { body } = await tracesOf('result=denied');
    expect(body.results[0]).to.include({ plugin: 'quota', tap: 'check', hook: 'beforeStart' });
    expect((await stage.get(`jobs/${body.results[0].run}/`)).status).to.equal(404);
  });

  it('are for administrators and auditors', async () => {
    for (const path of ['hooks/', 'hooks/traces/']) {
      expect((await stage.get(path, { auth: 'auditor:audit-pass-1' })).status).to.equal(200);
      expect((await stage.get(path, { auth: null })).status).to.equal(401);
    }
    expect((await stage.get('hooks/', { auth: 'plain:plain-pass-1' })).status).to.equal(403);
    expect((await stage.get('hooks/traces/', { auth: 'plain:plain-pass-1' })).body.count).to.equal(0);
    expect((await stage.post('hooks/traces/', {})).status).to.equal(405);
  });

  it('show the hooks with their taps in order, and how they did', async () => {
    await stage.services.hookTraces.flush();
    const { body } = await stage.get('hooks/');
    expect(body.results.map(({ name, queued }: any) => [name, queued])).to.deep.equal([
      ['beforeStart', false],
      ['onStatusChange', true],
      ['afterFinish', true],
      ['onFactsUpdated', true],
    ]);
    const [first, check, late] = body.results[0].taps;
    expect(check).to.deep.include({
      plugin: 'quota',
      name: 'check',
      stage: 100,
      fail_mode: 'deny',
      timeout_ms: 7000,
      calls: 2,
      errors: 0,
    });
    expect([first.name, late.name]).to.deep.equal(['first', 'late']);
    expect(late).to.include({ calls: 1, errors: 1 });
    expect(late.p50_ms).to.be.a('number');
    expect(late.p95_ms).to.be.a('number');
    expect(body.results[1].taps[0]).to.include({ name: 'count', fail_mode: 'retry', calls: 4 });
    expect((await stage.get('')).body).to.include({ hooks: '/api/v2/hooks/' });
  });

  it('stand in the metrics by hook, tap and result', async () => {
    const { body } = await stage.get('/metrics', { auth: null });
    expect(body).to.contain('tapline_hook_taps_total{hook="beforeStart",tap="scan:late",result="threw"} 1');
    expect(body).to.contain('tapline_hook_tap_seconds_count{hook="beforeStart",tap="quota:check"} 2');
    expect(body).to.contain('tapline_launches_total{result="denied"} 1');
  });
});

describe('the writer of traces', () => {
  let database: TestDatabase;
  before(async () => (database = await createTestDatabase()));
  after(() => database.drop());

  const record = (run: number) =>
    ({ hook: 'afterFinish', plugin: 'p', tap: 't', run, attempt: 1, result: 'ok', milliseconds: 1 }) as const;
  const count = async () => Number((await database.db('hook_traces').count())[0]!['count']);

  it('writes in batches, and leaves out what comes faster than the database takes it', async () => {
    const warnings: any[] = [];
    let statements = 0;
    database.db.on('query', ({ sql }) => (statements += Number(sql.includes('insert into hook_traces'))));
    const writer = new TraceWriter({
      db: database.db,
      node: 'n',
      log: { warn: (fields) => void warnings.push(fields) },
    });
    for (let run = 1; run <= 20_000; run += 1) writer.add(record(run));
    await writer.flush();
    await writer.flush();
    writer.add(record(1));
    await writer.flush();
    const written = await count();
    expect(written).to.be.greaterThan(10_000);
    expect(written + warnings[0].left).to.equal(20_001);
    expect(statements).to.be.below(5);
  });

  it('goes on after the database was away, without those that it had', async () => {
    const warnings: string[] = [];
    const broken = { raw: () => Promise.reject(new Error('away')) } as never;
    const writer = new TraceWriter({ db: broken, node: 'n', log: { warn: (_, text) => void warnings.push(text) } });
    writer.add(record(1));
    await writer.flush();
    expect(warnings[0]).to.contain('could not be written');
  });

  it('keeps a week', async () => {
    const { db } = database;
    const recent = await count();
    // ids follow time: what is old came first
    await db.raw(`update hook_traces set created = now() - interval '9 days' where id <= 10`);
    expect(await deleteOldTraces(db, 7)).to.equal(10);
    expect(await count()).to.equal(recent - 10);
    expect(await deleteOldTraces(db, 7)).to.equal(0);
    expect(await db('hook_traces').where('created', '<', db.raw(`now() - interval '7 days'`)).first()).to.equal(
      undefined,
    );
  });
});
