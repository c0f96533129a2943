import { expect } from 'chai';
import { ApiError } from '@tapline/plugin-sdk';
import { createDoors } from '../../core/rbac/doors.ts';
import { cleanupTokens } from '../../core/run-kinds/system-job/cleanups/expired.ts';
import { cleanupJobs } from '../../core/run-kinds/system-job/cleanups/jobs.ts';
import { silentLog } from '../support/log.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Runs whose events share a table (migrations/0006). */
const PART = 10_000;

describe('system jobs', function () {
  let service: TestService;
  let templates: Record<string, any>;

  before(async () => {
    service = await startService();
    const { results } = (await service.get('system_job_templates/')).body;
    templates = Object.fromEntries(results.map((template: any) => [template.job_type, template]));
    await service.post('users/', { username: 'auditor', password: 'auditor-password-1', is_system_auditor: true });
    await service.post('users/', { username: 'somebody', password: 'somebody-password-1' });
    await service.services.db.raw(`alter sequence runs_id_seq restart with ${4 * PART}`);
  });
  after(() => service.stop());

  const as = (username: string) => ({ auth: `${username}:${username}-password-1` });
  const launch = (type: string, extra_vars: unknown = {}, options = {}) =>
    service.post(`system_job_templates/${templates[type].id}/launch/`, { extra_vars }, options);
  const launched = async (type: string, extra_vars: unknown = {}): Promise<number> => {
    const { status, body } = await launch(type, extra_vars);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.system_job;
  };
  const ended = (id: number) =>
    until(async () => {
      const { body } = await service.get(`system_jobs/${id}/`);
      return body.finished === null ? undefined : body;
    }, 60_000);
  const done = async (type: string, extra_vars: unknown = {}) => {
    const job = await ended(await launched(type, extra_vars));
    expect(job.status, job.job_explanation + job.result_stdout).to.equal('successful');
    return job.result_stdout as string;
  };
  /** Runs with an event each. */
  async function runs(ids: readonly number[], more: Record<string, unknown> = {}): Promise<void> {
    const { db } = service.services;
    const row = { kind: 'job', status: 'successful', created: '2020-01-01', finished: '2020-01-01', ...more };
    await db('runs').insert(ids.map((id) => ({ id, ...row })));
    for (const id of ids) {
      await db.raw('select ensure_event_partition(?)', [id]);
      await db('run_events').insert({ run_id: id, counter: 1, event: 'verbose', stdout: 'said' });
    }
  }
  const left = async (ids: readonly number[]) =>
    service.services
      .db('runs')
      .whereIn('id', ids as number[])
      .orderBy('id')
      .pluck('id');
  const tables = async () =>
    (
      await service.services.db.raw(`select relname from pg_class where relname ~ '^run_events_\\d+$' order by 1`)
    ).rows.map(({ relname }: { relname: string }) => relname);

  it('are four from the first day, seen by superusers and auditors, launched by superusers', async () => {
    expect(Object.keys(templates).toSorted()).to.deep.equal([
      'cleanup_activitystream',
      'cleanup_jobs',
      'cleanup_sessions',
      'cleanup_tokens',
    ]);
    const path = `system_job_templates/${templates['cleanup_tokens'].id}/`;
    expect((await service.get(`${path}launch/`)).body).to.deep.equal({});
    expect((await service.get('system_job_templates/', as('auditor'))).body.count).to.equal(4);
    expect((await service.get('system_job_templates/', as('somebody'))).body.count).to.equal(0);
    expect((await service.get(path, as('somebody'))).status).to.equal(404);
    expect((await launch('cleanup_tokens', {}, as('auditor'))).status).to.equal(403);
    expect((await service.post('system_job_templates/', { name: 'mine' })).status).to.equal(405);
    expect((await service.get('unified_job_templates/?type=system_job_template')).body.count).to.equal(4);
  });

  it('take days, a dry run and a size of batches, and tell everything that is wrong with them', async () => {
    const refused = async (extra_vars: unknown) => {
      const { status, body } = await launch('cleanup_jobs', extra_vars);
      expect(status, JSON.stringify(body)).to.equal(400);
      return body.extra_vars as string[];
    };
    expect(await refused({ days: -1, dry_run: 'perhaps', batch_size: 0, colour: 'red' })).to.have.length(4);
    expect(await refused({ days: 1.5 })).to.have.length(1);
    expect(await refused({ days: null })).to.have.length(1);
    expect(await refused('not: [a, mapping')).to.have.length(1);
    expect(await refused([])).to.have.length(1);
    expect((await service.get('system_jobs/')).body.count).to.equal(0);
  });

  it('remove old runs that are over, with their events: whole tables of them where nothing else is in', async () => {
    const whole = [1, 2, 3].map((n) => PART + n);
    const some = [1, 2].map((n) => 2 * PART + n);
    const kept = [2 * PART + 8, 2 * PART + 9];
    const child = 2 * PART + 10;
    await runs(whole);
    await runs(some, { kind: 'project_update', status: 'failed' });
    await runs([kept[0]!], { created: new Date().toISOString() });
    await runs([kept[1]!], { kind: 'made_up', status: 'pending', finished: null, blocked_on: 'answer' });
    await runs([child], { parent_id: kept[1] });
    await service.services
      .db('templates')
      .where({ id: templates['cleanup_tokens'].id })
      .update({ last_run_id: whole[0] });
    expect(await done('cleanup_jobs', { days: 30, dry_run: true })).to.include(
      '5 runs (job: 3, project update: 2) with what they said would be removed.',
    );
    expect(await left([...whole, ...some])).to.have.length(5);
    const job = await ended(await launched('cleanup_jobs', '{"days": "30", "batch_size": 2}'));
    expect(job.result_stdout).to.include('5 runs (job: 3, project update: 2) with what they said removed.');
    expect(await left([...whole, ...some])).to.deep.equal([]);
    expect(await left([...kept, child])).to.deep.equal([...kept, child]);
    expect(await tables()).not.to.include(`run_events_${PART}`);
    expect(await service.services.db('run_events').whereIn('run_id', some).pluck('run_id')).to.deep.equal([]);
    expect(await service.services.db('run_events').whereIn('run_id', kept).pluck('run_id')).to.have.length(2);
    expect(job).to.include({ job_type: 'cleanup_jobs', launch_type: 'manual', status: 'successful' });
    expect(job.summary_fields.unified_job_template).to.include({ unified_job_type: 'system_job' });
    expect((await service.get(`system_jobs/${job.id}/events/`)).body.count).to.equal(2);
    expect(templates['cleanup_tokens'].related.last_job).to.equal(undefined);
    await service.services
      .db('runs')
      .whereIn('id', [...kept, child])
      .delete();
  });

  it('remove entries of the activity stream, sessions and tokens', async () => {
    const { db } = service.services;
    const { id: user_id } = await db('users').where({ username: 'somebody' }).first('id');
    const changed = { operation: 'update', object1: 'host', changes: '{}' };
    await db('activity_stream').insert([
      { ...changed, timestamp: '2020-01-01' },
      { ...changed, timestamp: '2020-01-02' },
    ]);
    await db('sessions').insert([
      { user_id, secret_hash: Buffer.from('old'), expires: '2020-01-01' },
      { user_id, secret_hash: Buffer.from('new'), expires: '2100-01-01' },
    ]);
    await db('tokens').insert([
      { user_id, token_hash: 'old', expires: '2020-01-01' },
      { user_id, token_hash: 'new', expires: '2100-01-01' },
    ]);
    const entries = Number((await db('activity_stream').count())[0]!['count']);
    expect(await done('cleanup_activitystream', { days: 365 })).to.include('2 activity stream entries removed.');
    expect(Number((await db('activity_stream').count())[0]!['count'])).to.be.greaterThan(entries - 2);
    expect(await done('cleanup_sessions', { dry_run: true })).to.include('1 expired session would be removed.');
    expect(await done('cleanup_sessions')).to.include('1 expired session removed.');
    expect(await db('sessions').where({ user_id }).pluck('expires')).to.have.length(1);
    expect(await done('cleanup_tokens', { batch_size: 1 })).to.include('1 expired token removed.');
    expect(await db('tokens').where({ user_id }).pluck('token_hash')).to.have.length(1);
  });

  /** A cleanup of runs in the middle of its first batch, until `release`. */
  async function inTheMiddle(ids: readonly number[]) {
    await runs(ids);
    const { db } = service.services;
    const trx = await db.transaction();
    // the batch waits for the event of its run
    await trx('run_events')
      .whereIn('run_id', ids as number[])
      .forUpdate()
      .select('run_id');
    const id = await launched('cleanup_jobs', { days: 30, batch_size: 1 });
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike 'delete%'`;
    await until(async () => (await db.raw(waiting)).rows.length);
    return { id, release: () => trx.rollback() };
  }

  it('can be cancelled in the middle, and leave the rest', async () => {
    const ids = [1, 2, 3].map((n) => 4 * PART + 5000 + n);
    const { id, release } = await inTheMiddle(ids);
    const second = await launched('cleanup_tokens');
    const waits = await until(async () => {
      const { pending_reasons: reasons } = (await service.get(`system_jobs/${second}/`)).body;
      return reasons[0]?.explanation ? reasons[0] : undefined;
    });
    expect(waits.explanation).to.equal(`waiting for system_job-${id} to finish`);
    expect((await service.post(`system_jobs/${id}/cancel/`)).status).to.equal(202);
    await release();
    expect(await ended(id)).to.include({ status: 'canceled' });
    expect(await left(ids)).to.deep.equal(ids.slice(1));
    expect(await ended(second)).to.include({ status: 'successful' });
    await done('cleanup_jobs', { days: 30 });
  });

  it('go on with what is left when they are begun anew, as after a restart of the service', async () => {
    const { db } = service.services;
    const ids = [1, 2, 3].map((n) => 4 * PART + 6000 + n);
    await runs(ids);
    const clean = (batches: number) => {
      let left = batches;
      const signal = { throwIfAborted: () => expect(left--, 'stopped').to.be.greaterThan(0) } as unknown as AbortSignal;
      const options = { days: 30, dry: false, batch: 1 };
      const { doors, kinds } = service.services;
      return cleanupJobs({ db, log: silentLog, doors, kinds }, options, { signal, write: async () => undefined });
    };
    expect(await clean(1).catch((error: Error) => error.message)).to.include('stopped');
    expect(await left(ids)).to.deep.equal(ids.slice(1));
    expect(await clean(9)).to.match(/^2 runs/);
    expect(await left(ids)).to.deep.equal([]);
  });

  it('leave what guards of plugins refuse, which are asked by the batch, and tell why', async () => {
    const { db, kinds } = service.services;
    const doors = createDoors();
    const asked: number[] = [];
    doors.guard('job', 'delete', async ({ trx, rows, count, actor }) => {
      expect([count, actor]).to.deep.equal([rows.length, null]);
      asked.push(count);
      await trx('instance_groups').count();
      if (rows.some(({ name }) => name === 'held')) throw new ApiError(409, 'It is evidence.');
    });
    doors.guard('o_auth2_access_token', 'delete', () => {
      throw new ApiError(403, 'Tokens stay.');
    });
    const whole = [1, 2, 3, 4, 5].map((n) => 2 * PART + 7000 + n);
    await runs(whole.slice(0, 4));
    await runs(whole.slice(4), { name: 'held' });
    const other = 2 * PART + 7100;
    await runs([other], { kind: 'project_update', name: 'held' });
    const tools = { signal: new AbortController().signal, write: async () => undefined };
    const options = { days: 30, dry: false, batch: 3 };
    const told = await cleanupJobs({ db, log: silentLog, doors, kinds }, options, tools);
    expect(told.split('\n')).to.deep.equal([
      '5 runs (job: 4, project update: 1) with what they said removed.',
      '1 run stayed, since plugins refused:',
      `job ${whole[4]}: It is evidence.`,
    ]);
    expect(asked).to.deep.equal([3, 2, 1, 1]);
    expect(await left([...whole, other])).to.deep.equal([whole[4]]);
    expect(
      await db('run_events')
        .whereIn('run_id', [...whole, other])
        .pluck('run_id'),
    ).to.deep.equal([whole[4]]);
    await db('runs').where({ id: whole[4] }).delete();
    const { id: user_id } = await db('users').where({ username: 'somebody' }).first('id');
    await db('tokens').insert({ user_id, token_hash: 'kept', expires: '2020-01-01' });
    const kept = await cleanupTokens({ db, log: silentLog, doors, kinds }, options, tools);
    expect(kept).to.match(
      /^0 expired tokens removed\.\n1 expired token stayed, since plugins refused:\n.*Tokens stay\.$/,
    );
    expect(await db('tokens').where({ token_hash: 'kept' }).delete()).to.equal(1);
  });
});
