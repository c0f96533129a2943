import { type NotificationOutcome, points, type PluginApi, type Task, z } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { defineDeliveries } from '../../core/notifications/deliver.ts';
import { enqueue } from '../../core/notifications/enqueue.ts';
import { sweepPending } from '../../core/notifications/sweep.ts';
import type { TaskRequest } from '../../core/queue/tasks.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type HttpTarget, httpTarget } from './servers.ts';

/** What waits to be delivered while its task, its template or its plugin changes or goes. */
describe('word that waits', () => {
  let service: TestService;
  let http: HttpTarget;
  let organization: number;
  let api: PluginApi;
  let task: Task<NotificationOutcome>;
  const outcomes: NotificationOutcome[] = [];
  const flags: { subject: string; body: string }[] = [];
  let made = 0;

  before(async () => {
    const fleet = testPlugin('fleet', (given) => {
      api = given;
      given.offer(points.notificationKind, {
        kind: 'flag',
        parts: 'message',
        fields: { mast: { label: 'Mast', type: 'string' } },
        send: ({ subject, body }) => void flags.push({ subject, body }),
      });
      task = given.task('told', { schema: z.custom<NotificationOutcome>() }, async (outcome) => {
        outcomes.push(outcome);
      });
    });
    service = await bootWith({ plugins: [fleet] });
    http = await httpTarget();
    organization = (await service.get('organizations/')).body.results[0].id;
    await service.request('PATCH', '/api/v2/settings/system/', { body: { OUTBOUND_ALLOWED_NETWORKS: ['127.0.0.1'] } });
  });
  after(async () => {
    await service?.stop();
    await http?.stop();
  });

  async function template(more: object = {}): Promise<number> {
    const answer = await service.post('notification_templates/', {
      name: `n${(made += 1)}`,
      organization,
      notification_type: 'webhook',
      notification_configuration: { url: `${http.url}/n${made}`, headers: {} },
      ...more,
    });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id;
  }

  /** In the record, but in no queue. */
  async function waiting(notification_template_id: number, more: object = {}): Promise<number> {
    const [row] = await service.services
      .db('notifications')
      .insert({
        notification_template_id,
        notification_type: 'webhook',
        event: 'message',
        subject: '',
        body: '{"body":"word"}',
        modified: new Date(Date.now() - 3_600_000),
        ...more,
      })
      .returning('id');
    return row.id;
  }

  const send = (notification: number) =>
    service.services.queue.addTask(service.services.db, 'core:notify', { notification });
  /** What the queue is asked for. */
  async function asked(id: number): Promise<unknown> {
    const tasks: TaskRequest[] = [];
    const addTasks = async (_trx: unknown, more: readonly TaskRequest[]) => void tasks.push(...more);
    await enqueue({ queue: { addTasks } }, service.services.db, [id]);
    return tasks[0]!.payload;
  }
  /** One start of such a task: what it threw. */
  function started(payload: unknown, context: { attempt: number; signal?: AbortSignal }, more: object = {}) {
    let defined!: { run(payload: unknown, context: object): Promise<void> };
    const queue = { define: (_name: string, definition: typeof defined) => void (defined = definition) };
    defineDeliveries({ ...service.services, ...more, queue } as never);
    return defined.run(payload, { signal: new AbortController().signal, ...context }).then(
      () => '',
      (error: Error) => error.message,
    );
  }
  const ended = (id: number): Promise<any> =>
    until(
      async () => {
        const { body } = await service.get(`notifications/${id}/`);
        return body.status === 'pending' ? undefined : body;
      },
      60_000,
      `notification ${id} ended`,
    );

  it('is sent where the queue has no task for it any more', async () => {
    const id = await waiting(await template());
    const young = await waiting(await template(), { modified: new Date() });
    await sweepPending(service.services);
    expect(await ended(id)).to.include({ status: 'successful' });
    expect((await service.get(`notifications/${young}/`)).body.status).to.equal('pending');
  });

  it('ends where every try of its task broke off, and whoever asked learns of it', async () => {
    const { db } = service.services;
    const id = await template({ notification_configuration: { url: `${http.url}/broken`, headers: {} } });
    http.answer = () => 'hang up';
    const notification = await api.notify.deliver({ template: id, subject: 'x', told: { task, kept: 1 } });
    await until(async () => http.seen.some(({ url }) => url === '/broken'), 60_000, 'a first try');
    const key = `core:notify:${notification}`;
    // as a process that dies in its last try leaves it
    await until(
      async () =>
        await db('tapline_jobs._private_jobs')
          .where({ key, locked_at: null })
          .update({ attempts: db.ref('max_attempts') }),
      60_000,
      'the try to end',
    );
    await db('notifications')
      .where({ id: notification })
      .update({ modified: new Date(Date.now() - 3_600_000) });
    await sweepPending(service.services);
    const over = await ended(notification);
    expect([over.status, over.attempts.length]).to.deep.equal(['failed', 1]);
    expect(over.error).to.match(/broke off/);
    await until(async () => outcomes.length, 60_000, 'the outcome');
    expect(outcomes[0]).to.include({ notification, status: 'failed', kept: 1 });
    http.answer = () => ({});
    await service.post(`notifications/${notification}/redeliver/`);
    expect(await ended(notification)).to.include({ status: 'successful', error: '' });
  });

  it('is given up at its last start, although the service stopped or could not put it together', async () => {
    const { db } = service.services;
    http.answer = () => 'silence';
    const stopped = () => AbortSignal.timeout(500);
    const cut = await waiting(await template());
    const cutTask = await asked(cut);
    expect(await started(cutTask, { attempt: 14, signal: stopped() })).to.match(/was not delivered/);
    expect((await service.get(`notifications/${cut}/`)).body.status).to.equal('pending');
    expect(await started(cutTask, { attempt: 15, signal: stopped() })).to.equal('');
    expect((await service.get(`notifications/${cut}/`)).body.status).to.equal('failed');
    http.hangUp();
    http.answer = () => ({});

    const [run] = await db('runs').insert({ kind: 'job', name: 'j', status: 'successful' }).returning('id');
    const more = { run_id: run.id, subject: null, body: null, event: 'success' };
    const [id, catalog] = [
      await waiting(await template(), more),
      { represent: () => Promise.reject(new Error('ouch')) },
    ];
    const task = await asked(id);
    expect(await started(task, { attempt: 14 }, { catalog })).to.equal('ouch');
    expect((await service.get(`notifications/${id}/`)).body.status).to.equal('pending');
    expect(await started(task, { attempt: 15 }, { catalog })).to.equal('ouch');
    const { status, error } = (await service.get(`notifications/${id}/`)).body;
    expect([status, error]).to.deep.equal([
      'failed',
      'The service could not put it together because of an error, which its log tells.',
    ]);
  });

  it('is tried as often as any, however often it was refused before it was sent again', async () => {
    const began = new Date(Date.now() - 60_000).toISOString();
    const refused = { started: began, finished: began, outcome: 'refused', request: '', answer: '', error: 'no' };
    const id = await waiting(await template(), { attempts: JSON.stringify(Array.from({ length: 5 }, () => refused)) });
    const task = await asked(id);
    http.answer = () => 'hang up';
    for (const attempt of [5, 6, 7, 8])
      // oxlint-disable-next-line no-await-in-loop
      expect(await started(task, { attempt })).to.match(/was not delivered/);
    expect((await service.get(`notifications/${id}/`)).body.status).to.equal('pending');
    expect(await started(task, { attempt: 9 })).to.equal('');
    expect((await service.get(`notifications/${id}/`)).body).to.include({ status: 'failed' });
    http.answer = () => ({});
  });

  it('is sent by the kind that its template is of by now, with what that one sends', async () => {
    const id = await template();
    const notification = await waiting(id);
    const changed = await service.request('PATCH', `notification_templates/${id}/`, {
      body: { notification_type: 'flag', notification_configuration: { mast: 'fore' } },
    });
    expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
    await send(notification);
    expect(await ended(notification)).to.include({ status: 'successful', notification_type: 'flag' });
    expect(flags).to.deep.equal([{ subject: '{"body":"word"}', body: '' }]);
  });

  it('of a run whose kind is off has failed, and says so; so has what nothing brings any more', async () => {
    const { db } = service.services;
    const [run] = await db('runs').insert({ kind: 'voyage', name: 'v', status: 'successful' }).returning('id');
    const told = await waiting(await template(), { run_id: run.id, subject: null, body: null, event: 'success' });
    await send(told);
    const { status, error, attempts } = await ended(told);
    expect([status, attempts]).to.deep.equal(['failed', []]);
    expect(error).to.include('plugin').and.include('"voyage"');
    const gone = await template();
    await db('notification_templates').where({ id: gone }).update({ notification_type: 'smoke' });
    const unsent = await waiting(gone);
    await send(unsent);
    expect((await ended(unsent)).error).to.include('"smoke"');
  });
});
