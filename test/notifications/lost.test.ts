import { type NotificationOutcome, points, type PluginApi, type Task, z } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { sweepPending } from '../../core/notifications/sweep.ts';
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
