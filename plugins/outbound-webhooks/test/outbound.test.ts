import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { WebSocket } from 'ws';
import { type Stage, startStage } from '../../../test/launch/fixture.ts';
import { describeWith, webhooksPython } from '../../../test/support/needs.ts';
import { until } from '../../../test/support/until.ts';
import { waitsForLock } from '../../../test/support/waits-for-lock.ts';
import outbound from '../index.ts';
import { claim } from '../deliver/claim.ts';
import { type Arrived, startTarget, type Target } from './target.ts';

/** What a receiver written in Python does. */
const checking = `
import json, sys
from standardwebhooks import Webhook, WebhookVerificationError
told = json.load(sys.stdin)
try:
    print(Webhook(told['key']).verify(told['body'], told['headers'])['type'])
except WebhookVerificationError:
    print('WebhookVerificationError')
`;
const events = ['job.started', 'job.succeeded', 'job.failed', 'job.canceled'];

describe('outbound webhooks', function () {
  this.timeout(600_000);
  let stage: Stage;
  let target: Target;
  let template: number;
  let made = 0;

  before(async () => {
    stage = await startStage({ TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' }, [outbound]);
    target = await startTarget();
    template = await stage.template({ allow_simultaneous: true });
  });
  after(async () => {
    await stage?.stop();
    await target?.stop();
  });
  afterEach(async () => {
    target.answer = (response) => response.writeHead(204).end();
    for (const { id } of (await stage.get('outbound_webhooks/')).body.results)
      await stage.request('DELETE', `outbound_webhooks/${id}/`);
  });

  async function make(body: object = {}): Promise<any> {
    made += 1;
    const answer = await stage.post('outbound_webhooks/', {
      name: `hook ${made}`,
      organization: 1,
      url: `${target.url}/${made}`,
      events,
      ...body,
    });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  }
  const keyOf = async ({ id }: { id: number }) =>
    (await stage.get(`outbound_webhooks/${id}/webhook_key/`)).body.webhook_key;
  const at = ({ url }: { url: string }) => target.arrived.filter(({ path }) => url.endsWith(path));
  const come = (hook: any, count: number) =>
    until(() => (at(hook).length >= count ? at(hook) : undefined), 60_000, `${count} requests come`);
  const deliveries = async (hook: any) =>
    (await stage.get(`outbound_webhooks/${hook.id}/deliveries/?order_by=id`)).body.results;
  const settled = (hook: any, test: (all: any[]) => unknown) =>
    until(
      async () => {
        const all = await deliveries(hook);
        return test(all) ? all : undefined;
      },
      60_000,
      'deliveries are as wanted',
    );
  const due = (hook: any) =>
    stage.services
      .db('plugin_outbound_webhooks.outbound_webhook_deliveries')
      .where({ outbound_webhook_id: hook.id, finished: null })
      .update({ next_attempt: new Date(0).toISOString() });
  /** What the WebSocket answers to who wants to hear of the tries. */
  const joined = (hook: { id: number }, who?: { auth: string }): Promise<string> => hearing(hook, async () => {}, who);
  /** The same, while `work` goes on with all that is heard. */
  async function hearing(
    { id }: { id: number },
    work: (heard: readonly any[]) => Promise<void>,
    who?: { auth: string },
  ): Promise<string> {
    const { token } = (await stage.post('tokens/', { scope: 'write' }, who)).body;
    const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/websocket/`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const heard: any[] = [];
    socket.on('message', (data) => void heard.push(JSON.parse(String(data))));
    try {
      await until(() => heard.some(({ accept }) => accept));
      socket.send(JSON.stringify({ groups: { outbound_webhook_deliveries: [id] } }));
      const answer = await until(() => heard.find(({ error, groups_current: current }) => error || current));
      await work(heard);
      return answer.error ?? answer.groups_current.join();
    } finally {
      socket.close();
    }
  }
  const verify = (key: string, { body, headers }: Arrived) =>
    new Webhook(key).verify(body, headers as Record<string, string>);

  it('are sent, signed, when a job starts and ends', async () => {
    const hook = await make();
    const run = await stage.launch(template);
    const job = await stage.ended(run.id);
    const sent = await come(hook, 2);
    const key = await keyOf(hook);
    expect(key).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const payloads = sent.map((one) => verify(key, one) as any).toSorted((a, b) => a.data.seq - b.data.seq);
    expect(payloads.map(({ type }) => type)).to.deep.equal(['job.started', 'job.succeeded']);
    const [{ data: started }, { data: succeeded, timestamp }] = payloads;
    expect(started).to.include({ id: run.id, type: 'job', status: 'running', finished: null });
    expect(succeeded).to.deep.include({
      id: run.id,
      type: 'job',
      status: 'successful',
      organization: { id: 1, name: 'Default' },
      job_template: { id: template, name: job.name },
      inventory: { id: stage.inventory, name: 'stage' },
      launch_type: 'manual',
      launched_by: { id: 1, name: 'admin', type: 'user' },
      job_explanation: '',
    });
    expect(succeeded.url).to.match(new RegExp(`/api/v2/jobs/${run.id}/$`));
    expect(Date.parse(timestamp)).to.be.greaterThan(0);
    expect(succeeded.elapsed).to.be.greaterThan(0);
    expect(Object.keys(succeeded)).not.to.include('extra_vars');
    for (const { headers, body } of sent) {
      expect(headers['x-svc-signature']).to.equal(`sha256=${createHmac('sha256', key).update(body).digest('hex')}`);
      expect(headers['x-svc-event']).to.equal(JSON.parse(body).type);
      expect(headers['x-svc-delivery']).to.equal(headers['webhook-id']);
      expect(headers['content-type']).to.equal('application/json');
    }
    const all = await settled(
      hook,
      (found) => found.length === 2 && found.every(({ status }: any) => status === 'successful'),
    );
    expect(all[0]).to.include({ status_code: 204, attempt: 1, error: '', unified_job: run.id });
    const detail = (await stage.get(`outbound_webhook_deliveries/${all[0].id}/`)).body;
    expect(JSON.parse(detail.body).type).to.equal(all[0].event);
    expect(detail.attempts).to.have.length(1);
    expect(
      (await stage.get(`outbound_webhook_deliveries/?unified_job=${run.id}&event=job.started`)).body.count,
    ).to.equal(1);
  });

  it('tell of failures, of what was asked for only, and of their own organization only', async () => {
    const hook = await make({ events: ['job.failed'] });
    const organization = (await stage.post('organizations/', { name: 'other' })).body.id;
    const foreign = await make({ organization });
    const off = await make({ enabled: false });
    const failing = await stage.template({ playbook: 'failing.yml' });
    await stage.ended((await stage.launch(failing)).id);
    const [sent] = await come(hook, 1);
    expect((verify(await keyOf(hook), sent!) as any).data).to.include({ status: 'failed' });
    expect([at(hook).length, at(foreign).length, at(off).length]).to.deep.equal([1, 0, 0]);
  });

  it('are tried again with one webhook-id until they are taken, and record each try', async () => {
    const hook = await make({ events: ['job.succeeded'], custom_headers: { 'X-Token': 'very-secret-value' } });
    target.answer = (response) => response.writeHead(503, { 'retry-after': '100' }).end('no: very-secret-value');
    await stage.ended((await stage.launch(template)).id);
    const [first] = await settled(hook, ([one]) => one?.status_code === 503);
    expect(first).to.include({ status: 'pending', attempt: 1, error: 'The target answered 503.' });
    expect((Date.parse(first.next_attempt) - Date.now()) / 1000).to.be.within(10, 101);
    target.answer = (response) => response.writeHead(302, { location: `${target.url}/elsewhere` }).end();
    await due(hook);
    await settled(hook, ([one]) => one.attempt === 2 && one.status_code === 302);
    target.answer = (response) => response.writeHead(200).end('thanks');
    await due(hook);
    const [last] = await settled(hook, ([one]) => one.status === 'successful');
    expect(last.next_attempt).to.equal(null);
    expect(target.arrived.filter(({ path }) => path === '/elsewhere')).to.deep.equal([]);
    expect(new Set(at(hook).map(({ headers }) => headers['webhook-id']))).to.deep.equal(new Set([last.message_id]));
    expect(at(hook)[0]!.headers['x-token']).to.equal('very-secret-value');
    const detail = await stage.get(`outbound_webhook_deliveries/${last.id}/`);
    expect(detail.body.attempts.map(({ status_code }: any) => status_code)).to.deep.equal([503, 302, 200]);
    expect(detail.body.attempts[0].response_excerpt).to.equal('no: $encrypted$');
    expect(detail.body.request.headers['X-Token']).to.equal('$encrypted$');
    expect(detail.text).not.to.include('very-secret');
    const again = await stage.post(`outbound_webhook_deliveries/${last.id}/redeliver/`);
    expect([again.status, again.body.redelivery_of, again.body.message_id]).to.deep.equal([
      202,
      last.id,
      last.message_id,
    ]);
    expect((await come(hook, 4))[3]!.body).to.equal(at(hook)[0]!.body);
  });

  it('are noted behind their webhook where they fail, so that whoever deletes it waits for that and nobody for both', async () => {
    target.answer = (response) => response.writeHead(500).end();
    const hook = await make({ events: ['job.started'] });
    const { db } = stage.services;
    const deleting = await db.transaction();
    try {
      await deleting('plugin_outbound_webhooks.outbound_webhooks').where({ id: hook.id }).forNoKeyUpdate().first('id');
      await stage.ended((await stage.launch(template)).id);
      await come(hook, 1);
      await until(() => waitsForLock(db, 'outbound_webhooks'), 60_000, 'the failure is to be noted');
      const rows = db('plugin_outbound_webhooks.outbound_webhook_deliveries').where({ outbound_webhook_id: hook.id });
      expect(await rows.forUpdate().noWait().pluck('attempt')).to.deep.equal([1]);
      await deleting.commit();
    } finally {
      if (!deleting.isCompleted()) await deleting.rollback();
    }
    await settled(hook, ([one]) => one.status_code === 500);
  });

  it('end after the last try, and are sent again by whoever died with them', async () => {
    const hook = await make({ events: ['job.succeeded'] });
    target.answer = (response) => response.writeHead(500).end();
    await stage.ended((await stage.launch(template)).id);
    await settled(hook, ([one]) => one?.attempt === 1 && one.status_code === 500);
    const table = () =>
      stage.services.db('plugin_outbound_webhooks.outbound_webhook_deliveries').where({ outbound_webhook_id: hook.id });
    // whoever took it wrote nothing more
    await table().update({
      attempt: 5,
      leased_until: new Date(Date.now() - 1000).toISOString(),
      next_attempt: new Date(0).toISOString(),
    });
    await settled(hook, ([one]) => one.attempt === 6 && one.next_attempt && Date.parse(one.next_attempt) > Date.now());
    await table().update({ attempt: 9, next_attempt: new Date(0).toISOString() });
    const [last] = await settled(hook, ([one]) => one.status === 'failed');
    expect(last).to.include({ attempt: 10, next_attempt: null });
    expect(new Set(at(hook).map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
  });

  it('stay with the organization that they tell of', async () => {
    const elsewhere = (await stage.post('organizations/', { name: `elsewhere ${Math.random()}` })).body.id;
    const hook = await make();
    const kept: ServerResponse[] = [];
    target.answer = (response) => void kept.push(response);
    await put([hook], 6);
    await until(() => kept.length === 4);
    await stage.request('PATCH', `outbound_webhooks/${hook.id}/`, { body: { organization: elsewhere } });
    const left = (await deliveries(hook)).filter(({ attempt }: any) => attempt === 0);
    expect(left).to.have.length(2);
    for (const one of left)
      expect(one).to.include({ status: 'failed', error: 'The webhook went to another organization.' });
    for (const response of kept) response.writeHead(200).end();
    await settled(hook, (found) => found.every(({ finished }: any) => finished));
    // who manages the former organization still sees them, and begins nothing at the target of another
    const { body: alice } = await stage.post('users/', { username: 'alice', password: 'Alice-has-1-secret' });
    expect((await stage.post('organizations/1/admins/', { id: alice.id })).status).to.equal(204);
    const user = { auth: 'alice:Alice-has-1-secret' };
    const path = `outbound_webhook_deliveries/${left[0].id}/`;
    expect((await stage.get(path, user)).status).to.equal(200);
    expect((await stage.post(`${path}redeliver/`, {}, user)).status).to.equal(403);
    expect((await stage.post(`${path}redeliver/`, {})).status).to.equal(202);
  });

  it('stop for a target that is gone, and for one that took nothing for days, and say so', async () => {
    const notification_template = (
      await stage.post('notification_templates/', {
        name: 'ops',
        organization: 1,
        notification_type: 'webhook',
        notification_configuration: {
          url: `${target.url}/ops`,
          headers: {},
          http_method: 'POST',
          username: '',
          password: '',
          disable_ssl_verification: false,
        },
      })
    ).body.id;
    const gone = await make({ events: ['job.succeeded'], notification_template });
    const dead = await make({ events: ['job.succeeded'] });
    await stage.services
      .db('plugin_outbound_webhooks.outbound_webhooks')
      .where({ id: dead.id })
      .update({ failing_since: new Date(Date.now() - 6 * 86_400_000).toISOString() });
    target.answer = (response, { path }) =>
      void response.writeHead(gone.url.endsWith(path) ? 410 : dead.url.endsWith(path) ? 500 : 200).end();
    await stage.ended((await stage.launch(template)).id);
    const isOff = async ({ id }: any) => {
      const { body } = await stage.get(`outbound_webhooks/${id}/`);
      return body.enabled ? undefined : body;
    };
    expect((await until(() => isOff(gone))).disabled_reason).to.include('410');
    expect((await until(() => isOff(dead))).disabled_reason).to.include('5 days');
    expect((await settled(gone, ([one]) => one.finished))[0].status).to.equal('failed');
    await until(() => target.arrived.some(({ path, body }) => path === '/ops' && body.includes('was disabled')));
    expect((await stage.get('audit_events/?search=outbound-webhooks.disable')).body.count).to.be.at.least(2);
    const [delivery] = await deliveries(gone);
    expect((await stage.post(`outbound_webhook_deliveries/${delivery.id}/redeliver/`)).status).to.equal(409);
    const { body } = await stage.request('PATCH', `outbound_webhooks/${dead.id}/`, { body: { enabled: true } });
    expect(body).to.include({ enabled: true, failing_since: null, disabled_reason: '' });
  });

  it('reach nobody later since another target hangs', async () => {
    const hanging = await make({ events: ['job.succeeded'] });
    const quick = await make({ events: ['job.succeeded'] });
    const kept: unknown[] = [];
    target.answer = (response, { path }) =>
      void (hanging.url.endsWith(path) ? kept.push(response) : response.writeHead(204).end());
    const runs = await Promise.all(Array.from({ length: 6 }, () => stage.launch(template)));
    await Promise.all(runs.map(({ id }) => stage.ended(id)));
    await come(quick, 6);
    await settled(quick, (all) => all.length === 6 && all.every(({ status }: any) => status === 'successful'));
    // no more than its share
    expect(kept.length).to.equal(4);
    expect((await deliveries(hanging)).filter(({ attempt }: any) => attempt > 0)).to.have.length(4);
  });

  /** Messages that are due, as status changes make them. */
  const put = async (hooks: { id: number }[], count: number, db = stage.services.db) =>
    db('plugin_outbound_webhooks.outbound_webhook_deliveries').insert(
      hooks.flatMap(({ id }) =>
        Array.from({ length: count }, (_, seq) => ({
          outbound_webhook_id: id,
          organization_id: 1,
          message_id: `msg_${id}_${seq}`,
          event: 'job.succeeded',
          run_id: 1,
          seq,
          body: '{}',
        })),
      ),
    );
  const rowsOf = ({ id }: { id: number }) =>
    stage.services.db('plugin_outbound_webhooks.outbound_webhook_deliveries').where({ outbound_webhook_id: id });

  it('have half of the places for those whose targets answer, however many are dead', async () => {
    const dead = await Promise.all(Array.from({ length: 26 }, () => make()));
    const well = await make();
    const paths = new Set(dead.map(({ url }) => new URL(url).pathname));
    const kept: unknown[] = [];
    target.answer = (response, { path }) =>
      void (paths.has(path) ? kept.push(response) : response.writeHead(204).end());
    await stage.services
      .db('plugin_outbound_webhooks.outbound_webhooks')
      .whereIn(
        'id',
        dead.map(({ id }) => id),
      )
      .update({ failing_since: new Date().toISOString() });
    await put(dead, 5);
    await until(() => kept.length >= 50);
    await put([well], 20);
    await come(well, 20);
    expect(kept).to.have.length(50);
  });

  it('wait a second, not a timeout, where many targets die at one moment', async () => {
    const dying = await Promise.all(Array.from({ length: 25 }, () => make()));
    const well = await make();
    const kept: ServerResponse[] = [];
    target.answer = (response, { path }) =>
      void (well.url.endsWith(path) ? response.writeHead(204).end() : kept.push(response));
    await put(dying, 5);
    await until(() => kept.length >= 100);
    await put([well], 20);
    await come(well, 20);
    // none of them has failed yet
    for (const hook of dying) expect(await rowsOf(hook).whereNot({ error: '' })).to.have.length(0);
    expect(kept).to.have.length(100);
    for (const response of kept) response.destroy();
  });

  it('are under way as many as may be, however many nodes take some', async () => {
    const hook = await make({ events: ['job.failed'] });
    target.answer = () => undefined;
    const { db, settings } = stage.services;
    // each claim takes its time, so that they overlap
    await db.raw(`
      create function plugin_outbound_webhooks.linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.05); return new; end $$;
      create trigger linger before update on plugin_outbound_webhooks.outbound_webhook_deliveries
        for each row when (new.attempt > old.attempt) execute function plugin_outbound_webhooks.linger();`);
    await put([hook], 40);
    const node = { db, settings, table: (name: string) => `plugin_outbound_webhooks.${name}` } as never;
    await Promise.all(Array.from({ length: 8 }, () => claim(node, { all: 100, failing: 50 })));
    await db.raw('drop trigger linger on plugin_outbound_webhooks.outbound_webhook_deliveries');
    expect(await rowsOf(hook).where({ attempt: 1 })).to.have.length(4);
  });

  type Take = (trx: Stage['services']['db']) => Promise<unknown>;
  /** A node that claims in this transaction. */
  const nodeWith = (transaction: (take: Take) => Promise<unknown>) => {
    const { db, settings } = stage.services;
    return {
      db: Object.assign((name: string) => db(name), { transaction, raw: db.raw.bind(db) }),
      settings,
      table: (name: string) => `plugin_outbound_webhooks.${name}`,
    } as never;
  };

  it('are locked where they are taken, and no others', async () => {
    const hooks = await Promise.all(Array.from({ length: 3 }, () => make({ events: ['job.failed'] })));
    const { db } = stage.services;
    const all = db('plugin_outbound_webhooks.outbound_webhook_deliveries').whereIn(
      'outbound_webhook_id',
      hooks.map(({ id }) => id),
    );
    let free: number[] = [];
    const node = nodeWith((take) =>
      db.transaction(async (trx) => {
        // nobody else takes some before
        await trx.raw(`select pg_advisory_xact_lock(hashtext('claim of outbound webhooks'))`);
        await put(hooks, 5);
        const taken = await take(trx);
        free = await all.clone().forUpdate().skipLocked().pluck('id');
        return taken;
      }),
    );
    expect(await claim(node, { all: 2, failing: 2 })).to.have.length(2);
    expect(free).to.have.length(13);
  });

  it('are given back untried where their webhook was switched off as they were taken', async () => {
    const hook = await make({ events: ['job.failed'] });
    const { db } = stage.services;
    const node = nodeWith(async (take) => {
      // made and taken at once, so that nobody else takes them
      const taken = await db.transaction(async (trx) => {
        await put([hook], 3, trx);
        return take(trx);
      });
      await db('plugin_outbound_webhooks.outbound_webhooks').where({ id: hook.id }).update({ enabled: false });
      return taken;
    });
    expect(await claim(node, { all: 100, failing: 50 })).to.deep.equal([]);
    const left: any[] = await rowsOf(hook);
    expect(left.map(({ attempt, leased_until: lease }) => `${attempt} ${lease}`)).to.deep.equal(
      Array(3).fill('0 null'),
    );
    expect(at(hook)).to.deep.equal([]);
  });

  it('end as such when their webhook is switched off, and are not sent when it is on again', async () => {
    const hook = await make();
    const kept: ServerResponse[] = [];
    target.answer = (response) => void kept.push(response);
    await put([hook], 6);
    await until(() => kept.length === 4);
    const set = (enabled: boolean) => stage.request('PATCH', `outbound_webhooks/${hook.id}/`, { body: { enabled } });
    const ended = { status: 'failed', error: 'The webhook was disabled.', next_attempt: null };
    let waiting: any[] = [];
    await hearing(hook, async (heard) => {
      await set(false);
      waiting = (await deliveries(hook)).filter(({ attempt }: any) => attempt === 0);
      const told = await until(() => heard.find((one) => one.deliveries));
      expect(told.deliveries).to.have.members(waiting.map(({ id }) => id));
    });
    expect(waiting).to.have.length(2);
    for (const delivery of waiting) expect(delivery).to.include(ended);
    // one that comes in meanwhile
    await rowsOf(hook)
      .where({ seq: 5 })
      .update({ status: 'pending', finished: null, next_attempt: new Date().toISOString() });
    for (const response of kept) response.writeHead(500).end();
    const all = await settled(hook, (found) => found.every(({ finished }: any) => finished));
    for (const delivery of all) expect(delivery).to.include(ended);
    await set(true);
    expect(at(hook)).to.have.length(4);
  });

  it('end in the background as well, where they are too many for one request', async () => {
    const hook = await make();
    const { db } = stage.services;
    await db('plugin_outbound_webhooks.outbound_webhooks').where({ id: hook.id }).update({ enabled: false });
    await put([hook], 2500);
    const open = () => rowsOf(hook).whereNull('finished').count({ count: '*' }).first();
    await until(async () => Number((await open())?.count) === 0);
    expect(await rowsOf(hook).where({ status: 'failed', error: 'The webhook was disabled.' })).to.have.length(2500);
    expect(at(hook)).to.deep.equal([]);
  });

  it('count as failing no more when one was taken that was under way before', async () => {
    const hook = await make();
    const kept: ServerResponse[] = [];
    target.answer = (response) => void kept.push(response);
    await put([hook], 2);
    await until(() => kept.length === 2);
    const since = async () => (await stage.get(`outbound_webhooks/${hook.id}/`)).body.failing_since;
    kept[0]!.writeHead(500).end();
    await until(async () => (await since()) !== null);
    kept[1]!.writeHead(204).end();
    await until(async () => (await since()) === null);
  });

  it('are delivered where a target takes them and goes on talking', async () => {
    const hook = await make();
    target.answer = (response) => {
      response.writeHead(200);
      response.write('x'.repeat(2_000_000));
    };
    await put([hook], 1);
    const [one] = await settled(hook, ([first]) => first?.finished);
    expect(one).to.include({ status: 'successful', status_code: 200, error: '' });
    const { body } = await stage.get(`outbound_webhook_deliveries/${one.id}/`);
    expect(body.attempts[0].response_excerpt).to.equal('x'.repeat(1000));
  });

  it('are signed with both keys for a while after a rotation', async () => {
    const hook = await make();
    const former = await keyOf(hook);
    const rotated = await stage.post(`outbound_webhooks/${hook.id}/webhook_key/`);
    expect(rotated.status).to.equal(201);
    expect((await stage.post(`outbound_webhooks/${hook.id}/test/`)).body.delivered).to.equal(true);
    const [sent] = at(hook);
    for (const key of [former, rotated.body.webhook_key]) expect(verify(key, sent!)).to.include({ type: 'test' });
    expect(() => verify(`whsec_${'A'.repeat(43)}=`, sent!)).to.throw();
    await stage.services
      .db('plugin_outbound_webhooks.outbound_webhooks')
      .where({ id: hook.id })
      .update({ former_key_until: new Date(0).toISOString() });
    expect((await stage.post(`outbound_webhooks/${hook.id}/test/`)).body.delivered).to.equal(true);
    const later = at(hook).at(-1)!;
    expect(() => verify(former, later)).to.throw();
    expect(verify(rotated.body.webhook_key, later)).to.include({ type: 'test' });
  });

  it('are forgotten after their time, those that are under way not', async () => {
    const { db, queue } = stage.services;
    const hook = await make();
    await db('plugin_outbound_webhooks.outbound_webhooks').where({ id: hook.id }).update({ enabled: false });
    await put([hook], 1202);
    await until(async () => !(await rowsOf(hook).whereNull('finished').first('id')));
    const [young, open] = await rowsOf(hook).orderBy('id').pluck('id');
    await rowsOf(hook)
      .whereNot({ id: young })
      .update({ created: new Date(Date.now() - 31 * 86_400_000).toISOString() });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await rowsOf(hook).where({ id: open }).update({ finished: null, status: 'pending', leased_until: later });
    await queue.addTask(db, 'outbound-webhooks:clean', {});
    await until(async () => (await rowsOf(hook)).length === 2);
    expect(await rowsOf(hook).orderBy('id').pluck('id')).to.deep.equal([young, open]);
  });

  it('reach a target with a certificate of its own where `ssl_verify` is off, and nowhere else', async () => {
    const own = readFileSync(join(import.meta.dirname, '../../../test/fixtures/self-signed.pem'));
    const secure = await startTarget({ key: own, cert: own });
    try {
      const hook = await make({ url: secure.url });
      const tried = async () => (await stage.post(`outbound_webhooks/${hook.id}/test/`)).body;
      const refused = await tried();
      expect(refused).to.include({ delivered: false, status_code: null });
      expect(refused.error).to.include('self-signed certificate');
      expect(secure.arrived).to.deep.equal([]);
      await stage.request('PATCH', `outbound_webhooks/${hook.id}/`, { body: { ssl_verify: false } });
      expect(await tried()).to.include({ delivered: true, status_code: 204, error: '' });
      // one connection that was let through opens the way for nobody else
      await stage.request('PATCH', `outbound_webhooks/${hook.id}/`, { body: { ssl_verify: true } });
      expect(await tried()).to.include({ delivered: false });
      expect(secure.arrived).to.have.length(1);
    } finally {
      await secure.stop();
    }
  });

  it('are tested, with what became of it', async () => {
    const hook = await make({ enabled: false, webhook_key: 'a key of my own' });
    target.answer = (response) => response.writeHead(418).end('teapot');
    const { status, body } = await stage.post(`outbound_webhooks/${hook.id}/test/`);
    expect(status).to.equal(200);
    expect(body).to.include({
      delivered: false,
      status_code: 418,
      response_excerpt: 'teapot',
      error: 'The target answered 418.',
    });
    const [sent] = at(hook);
    expect(sent!.headers['webhook-id']).to.equal(body.webhook_id);
    expect(verify(`whsec_${Buffer.from('a key of my own').toString('base64')}`, sent!)).to.include({ type: 'test' });
    for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/latest/', 'http://[::1]:9/', 'http://0x7f.2/']) {
      await stage.request('PATCH', `outbound_webhooks/${hook.id}/`, { body: { url } });
      const refused = (await stage.post(`outbound_webhooks/${hook.id}/test/`)).body;
      expect(refused).to.include({ delivered: false, status_code: null });
      expect(refused.error).to.include('OUTBOUND_ALLOWED_NETWORKS');
    }
  });

  it('keep their secrets', async () => {
    const hook = await make({ custom_headers: { Authorization: 'Bearer abcdef', 'X-A': 'one' } });
    expect(hook).not.to.have.property('webhook_key');
    expect(hook.custom_headers).to.deep.equal({ Authorization: '$encrypted$', 'X-A': '$encrypted$' });
    const row = await stage.services.db('plugin_outbound_webhooks.outbound_webhooks').where({ id: hook.id }).first();
    expect(JSON.stringify(row)).not.to.include('abcdef').and.not.include('whsec_');
    await stage.request('PATCH', `outbound_webhooks/${hook.id}/`, {
      body: { custom_headers: { Authorization: '$encrypted$', 'X-B': 'two' } },
    });
    await stage.post(`outbound_webhooks/${hook.id}/test/`);
    expect(at(hook)[0]!.headers)
      .to.include({ authorization: 'Bearer abcdef', 'x-b': 'two' })
      .and.not.have.property('x-a');
    expect((await stage.get(`activity_stream/?object1=outbound_webhook`)).text).not.to.include('abcdef');
  });

  for (const [what, body, field, text = ''] of [
    ['no events', { events: [] }, 'events'],
    ['an unknown event', { events: ['job.lost'] }, 'events'],
    ['an address of another kind', { url: 'ftp://x/' }, 'url'],
    ['an address with a password', { url: 'http://a:b@x/' }, 'url'],
    ['a key that is no base64', { webhook_key: 'whsec_!' }, 'webhook_key'],
    ['a header of ours', { custom_headers: { 'Webhook-Signature': 'x' } }, 'custom_headers', 'Webhook-Signature'],
    ['another one of ours', { custom_headers: { 'X-Svc-Signature': 'x' } }, 'custom_headers', 'X-Svc-Signature'],
    ['another host', { custom_headers: { Host: 'x' } }, 'custom_headers', 'Host'],
    ['content headers', { custom_headers: { 'Content-Length': '1' } }, 'custom_headers', 'Content-Length'],
    ['headers of the connection', { custom_headers: { 'transfer-encoding': 'chunked' } }, 'custom_headers', 'transfer'],
    ['a header with a line break', { custom_headers: { 'X-A': 'a\r\nX-B: c' } }, 'custom_headers', 'X-A'],
    ['a header that ends in a blank', { custom_headers: { 'X-A': 'a ' } }, 'custom_headers', 'X-A'],
    ['a header that no byte stands for', { custom_headers: { 'X-A': '\u20ac' } }, 'custom_headers', 'X-A'],
    ['a header that is no text', { custom_headers: { 'X-A': 5 } }, 'custom_headers', 'X-A'],
    ['a name that is none', { custom_headers: { 'X A': 'x' } }, 'custom_headers', 'X A'],
    ['no name', { custom_headers: { '': 'x' } }, 'custom_headers', '""'],
    ['one name twice', { custom_headers: { 'X-A': 'x', 'x-a': 'y' } }, 'custom_headers', 'x-a'],
    ['headers that are a list', { custom_headers: ['x'] }, 'custom_headers'],
    ['a mask for nothing', { custom_headers: { 'X-A': '$encrypted$' } }, 'custom_headers', 'X-A'],
  ] as const)
    it(`refuse ${what}`, async () => {
      const answer = await stage.post('outbound_webhooks/', {
        name: 'bad',
        organization: 1,
        url: 'https://example.com/',
        events,
        ...body,
      });
      expect(answer.status, answer.text).to.equal(400);
      expect(Object.keys(answer.body)).to.deep.equal([field]);
      expect(answer.body[field].join(' ')).to.include(text);
    });

  describeWith(['standardwebhooks'], 'signatures', () => {
    it('hold for the published library of Python as well', async () => {
      const hook = await make();
      expect((await stage.post(`outbound_webhooks/${hook.id}/test/`)).body.delivered).to.equal(true);
      const [{ body, headers }] = at(hook) as [Arrived];
      const checked = (key: string) =>
        execFileSync(webhooksPython, ['-c', checking], {
          input: JSON.stringify({ key, body, headers }),
          encoding: 'utf8',
        }).trim();
      expect(checked(await keyOf(hook))).to.equal('test');
      expect(checked(`whsec_${'A'.repeat(43)}=`)).to.equal('WebhookVerificationError');
    });
  });

  it('are for administrators of their organization', async () => {
    const hook = await make();
    await stage.post('users/', { username: 'bob', password: 'Bob-has-1-secret' });
    const bob = { auth: 'bob:Bob-has-1-secret' };
    expect((await stage.get(`outbound_webhooks/${hook.id}/`, bob)).status).to.equal(404);
    expect((await stage.post(`outbound_webhooks/${hook.id}/test/`, {}, bob)).status).to.equal(404);
    expect((await stage.get('outbound_webhook_deliveries/', bob)).body.count).to.equal(0);
    expect(await joined(hook, bob)).to.match(/^access denied to channel/);
    expect(await joined(hook)).to.equal(`outbound_webhook_deliveries-${hook.id}`);
    const answer = await stage.post(
      'outbound_webhooks/',
      { name: 'x', organization: 1, url: 'https://example.com/', events },
      bob,
    );
    expect(answer.status).to.be.oneOf([400, 403]);
  });
});
