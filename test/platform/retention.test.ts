import { expect } from 'chai';
import { QUEUE_SCHEMA } from '../../core/queue/tasks.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('what grows by itself', function () {
  let service: TestService;
  before(async () => (service = await startService()));
  after(() => service.stop());

  const daysAgo = (days: number) => service.database.db.raw(`now() - interval '${days} days'`);
  const set = (body: object) => service.request('PATCH', 'settings/system/', { body });
  const run = async (task: string) => {
    const { queue, db } = service.services;
    await queue.addTask(db, task, {});
    await until(async () => !(await db(`${QUEUE_SCHEMA}.jobs`).where('task_identifier', task).first('id')));
  };
  /** What is left of rows of these ages after the task has run. */
  const left = async (table: string, column: string, task: string, more: (days: number) => object) => {
    const { db } = service.database;
    await db(table).delete();
    for (const days of [20, 5, 2]) await db(table).insert({ [column]: daysAgo(days), ...more(days) });
    await run(task);
    const rows = await db(table).select(db.raw(`(extract(epoch from now() - ??) / 86400)::integer as days`, [column]));
    return rows.map(({ days }: any) => days).toSorted((a: number, b: number) => a - b);
  };

  it('events of the audit log go from the beginning of the chain, once the setting says how long they are kept', async () => {
    const { db } = service.database;
    await db.raw(
      `insert into audit_events (id, created, action) overriding system value values (0, now() - interval '20 days', 'login')`,
    );
    await db('audit_unsealed').insert({ event_id: 0 }).onConflict().ignore();
    await run('core:seal-audit-events');
    const there = async () => {
      await run('core:remove-old-audit-events');
      return (await db('audit_events').where({ id: 0 }).first('id')) !== undefined;
    };
    expect(await there()).to.equal(true);
    await set({ AUDIT_RETENTION_DAYS: 10 });
    expect(await there()).to.equal(false);
  });

  it('hook traces go after the days that the setting says', async () => {
    const more = { hook: 'afterFinish', plugin: 'p', tap: 't', result: 'ok', milliseconds: 1, attempt: 1, node: 'n' };
    const traces = () => left('hook_traces', 'created', 'core:delete-old-hook-traces', () => more);
    expect(await traces()).to.deep.equal([2, 5]);
    await set({ HOOK_TRACE_RETENTION_DAYS: 3 });
    expect(await traces()).to.deep.equal([2]);
  });

  it('entries of the activity stream are kept, unless the setting says how long', async () => {
    const more = { operation: 'update', object1: 'host', changes: '{}' };
    const entries = () => left('activity_stream', 'timestamp', 'core:delete-old-activity', () => more);
    expect(await entries()).to.deep.equal([2, 5, 20]);
    await set({ ACTIVITY_STREAM_RETENTION_DAYS: 10 });
    expect(await entries()).to.deep.equal([2, 5]);
  });

  it('tokens go some days after their end', async () => {
    const more = (days: number) => ({ user_id: 1, token_hash: Buffer.from(String(days)) });
    const tokens = () => left('tokens', 'expires', 'core:delete-expired-tokens', more);
    expect(await tokens()).to.deep.equal([2, 5, 20]);
    await set({ TOKEN_RETENTION_DAYS: 4 });
    expect(await tokens()).to.deep.equal([2]);
  });

  it('notifications go that tell of no run', async () => {
    const { db } = service.database;
    const [{ id: organization_id }] = await db('organizations').select('id').limit(1);
    const [template] = await db('notification_templates')
      .insert({ name: 'n', organization_id, notification_type: 'webhook' })
      .returning('id');
    const [run] = await db('runs').insert({ kind: 'job', name: 'told of' }).returning('id');
    const more = (days: number) => ({
      notification_template_id: template.id,
      notification_type: 'webhook',
      event: 'test',
      status: 'failed',
      // of 20 days it tells of a run, and of 5 days it waits
      ...(days === 20 && { run_id: run.id }),
      ...(days === 5 && { status: 'pending' }),
    });
    const notifications = () => left('notifications', 'created', 'core:delete-old-notifications', more);
    expect(await notifications()).to.deep.equal([2, 5, 20]);
    await set({ NOTIFICATION_RETENTION_DAYS: 1 });
    expect(await notifications()).to.deep.equal([5, 20]);
  });

  it('failures of tasks are forgotten', async () => {
    const more = (days: number) => ({
      task: `p:${days}`,
      plugin: 'p',
      failures: 3,
      given_up: true,
      error: 'x',
      since: daysAgo(days),
    });
    const failures = () => left('failing_tasks', 'latest', 'core:delete-given-up-tasks', more);
    expect(await failures()).to.deep.equal([2, 5, 20]);
    await set({ FAILED_TASK_RETENTION_DAYS: 7 });
    expect(await failures()).to.deep.equal([2, 5]);
  });
});
