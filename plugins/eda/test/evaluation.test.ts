import { SandboxError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { until } from '../../../test/support/until.ts';
import { type EventStage, slowEvents, startEvents } from './stage.ts';

const when = (jinja2_expression: string, description = '') => ({ jinja2_expression, description });

describe('an event that came in', function () {
  this.timeout(600_000);
  let stage: EventStage;
  const ann = { auth: 'ann:Ann-has-1-secret' };
  let annId: number;
  let template: number;

  before(async () => {
    stage = await startEvents();
    annId = (await stage.post('users/', { username: 'ann', password: 'Ann-has-1-secret' })).body.id;
    await grant('organizations/1/', 'admin_role');
    template = await stage.template({ allow_simultaneous: true });
  });
  after(() => stage?.stop());

  const grant = async (path: string, role: string, more = {}) => {
    const { results } = (await stage.get(`${path}object_roles/?role_field=${role}`)).body;
    expect((await stage.post(`users/${annId}/roles/`, { id: results[0].id, ...more })).status).to.equal(204);
  };
  const launch = (target_id: number, more = {}) => ({ action_type: 'launch_job_template', target_id, ...more });

  it('is judged by all conditions, each with its result', async () => {
    const conditions = [
      when("event.ref == 'refs/heads/main'", 'main'),
      when("headers['x-github-event'] == 'push'"),
      when('event.commits'),
    ];
    const rule = await stage.rule({ conditions });
    const headers = { 'x-github-event': 'push', none: '' };
    expect((await stage.send(rule, {}, { headers })).status).to.equal(403);
    const { 'x-svc-signature': _, ...more } = { 'x-svc-signature': '', 'x-github-event': 'push' };
    const hit = await stage.event(rule, { ref: 'refs/heads/main', commits: [1] }, { headers: more });
    expect(hit).to.include({ status: 'matched', conditions_matched: true });
    expect(hit.condition_results).to.deep.equal([
      { expression: conditions[0]!.jinja2_expression, description: 'main', result: true, error: '' },
      { expression: conditions[1]!.jinja2_expression, description: '', result: true, error: '' },
      { expression: 'event.commits', description: '', result: true, error: '' },
    ]);
    const miss = await stage.event(rule, { ref: 'refs/heads/x', commits: [] });
    expect(miss).to.include({ status: 'unmatched', conditions_matched: false });
    expect(miss.condition_results.map(({ result }: any) => result)).to.deep.equal([false, false, false]);
    expect(miss.condition_results[1].error).to.include('has no attribute');
  });

  for (const [what, expression, text] of [
    ['cannot be judged', "event.a < 'x'", ''],
    ['divides by nothing', '1 / event.zero', ''],
    ['eats memory', "('x' * event.many)|length > 1", ''],
  ] as const)
    it(`is an error where a condition ${what}`, async () => {
      const rule = await stage.rule({ conditions: [when('true'), when(expression)], actions: [launch(template)] });
      const log = await stage.event(rule, { a: 1, zero: 0, many: 1_000_000_000 });
      expect(log).to.include({ status: 'error', conditions_matched: false, job_id: null });
      expect(log.error).to.include('Condition 2').and.include(text);
      expect(log.condition_results[0]).to.include({ result: true, error: '' });
    });

  it('launches a job that is told of it, with the rights of whoever wrote the actions', async () => {
    const rule = await stage.rule({
      conditions: [when('event.n > 1')],
      actions: [launch(template, { extra_vars: { who: 'eda', svc_eda_rule_name: 'x' } })],
    });
    expect(rule.actions_by).to.equal(1);
    const log = await stage.event(rule, { n: 2, event_type: 'push', event_guid: 'abc', text: '{{ 1 + 1 }}' });
    expect(log.status, JSON.stringify(log)).to.equal('action_fired');
    expect(log.actions_triggered).to.deep.equal([
      {
        action_type: 'launch_job_template',
        target_id: template,
        description: '',
        status: 'launched',
        job: log.job_id,
        job_type: 'job',
        notification: null,
        error: '',
      },
    ]);
    const job = await stage.ended(log.job_id);
    expect(job).to.include({ status: 'successful', launch_type: 'webhook' });
    expect(JSON.parse(job.extra_vars)).to.deep.include({
      who: 'eda',
      svc_eda_event_type: 'push',
      svc_eda_event_guid: 'abc',
      svc_eda_rule_name: rule.name,
      svc_eda_payload: { n: 2, event_type: 'push', event_guid: 'abc', text: '{{ 1 + 1 }}' },
    });
    const run = await stage.services.db('runs').where({ id: log.job_id }).first('actor_id', 'authority_id', 'origin');
    expect(run).to.deep.equal({
      actor_id: null,
      authority_id: 1,
      origin: { kind: 'event', id: log.id, client_ip: '127.0.0.1' },
    });
    const { body: after } = await stage.get(`event_rules/${rule.id}/`);
    expect(after.fire_count).to.equal(1);
    expect(after.last_fired_at).to.be.a('string');
    const { results } = (await stage.get('audit_events/?search=eda.fire&order_by=-id')).body;
    expect(JSON.stringify(results[0])).to.include('eda.fire').and.include(String(log.id));
  });

  it('tries all actions, and says what became of each', async () => {
    const workflow = (await stage.post('workflow_job_templates/', { name: 'flow', organization: 1 })).body.id;
    const notification = (
      await stage.post('notification_templates/', {
        name: 'mail',
        organization: 1,
        notification_type: 'webhook',
        notification_configuration: {
          url: 'http://127.0.0.1:1/',
          headers: {},
          http_method: 'POST',
          username: '',
          password: '',
          disable_ssl_verification: false,
        },
      })
    ).body.id;
    const gone = await stage.template();
    const actions = [
      launch(gone),
      { action_type: 'launch_workflow', target_id: workflow },
      { action_type: 'send_notification', target_id: notification },
      launch(template),
    ];
    const rule = await stage.rule({ actions });
    expect((await stage.request('DELETE', `job_templates/${gone}/`)).status).to.equal(204);
    const log = await stage.event(rule, { event_type: 'alert' });
    expect(log.status).to.equal('action_failed');
    expect(log.actions_triggered.map(({ status }: any) => status)).to.deep.equal([
      'failed',
      'launched',
      'sent',
      'launched',
    ]);
    expect(log.actions_triggered[0].error).to.include(`There is no job template ${gone}`);
    expect(log.actions_triggered[1].job_type).to.equal('workflow_job');
    expect(log.job_id).to.equal(log.actions_triggered[1].job);
    const { body } = await stage.get(`notifications/${log.actions_triggered[2].notification}/`);
    expect(JSON.stringify(body)).to.include(`Rule: ${rule.name}`).and.include('Event: alert');
  });

  it('launches nothing where its author lost the right, and an action that nobody may do is not saved', async () => {
    const own = await stage.template({ allow_simultaneous: true });
    const body = {
      name: 'of ann',
      organization: 1,
      source_type: 'webhook_generic',
      webhook_path: 'of-ann',
      actions: [launch(own)],
    };
    const made = await stage.post('event_rules/', body, ann);
    expect(made.status, made.text).to.equal(201);
    const rule = made.body;
    expect(rule.actions_by).to.equal(annId);
    expect((await stage.event(rule, {})).status).to.equal('action_fired');
    await stage.request('PATCH', `event_rules/${rule.id}/`, { body: { name: 'still of ann', actions: rule.actions } });
    expect((await stage.get(`event_rules/${rule.id}/`)).body.actions_by).to.equal(annId);
    await grant('organizations/1/', 'admin_role', { disassociate: true });
    const log = await stage.event(rule, {});
    expect(log.status).to.equal('action_failed');
    expect(log.actions_triggered[0].error).to.equal(`There is no job template ${own} that ann may start.`);
    expect((await stage.get(`event_rules/${rule.id}/`, ann)).status).to.equal(404);
    await grant('organizations/1/', 'admin_role');
    const refused = await stage.post(
      'event_rules/',
      { ...body, name: 'x', webhook_path: 'x', actions: [launch(999_999)] },
      ann,
    );
    expect([refused.status, refused.body]).to.deep.equal([
      400,
      { actions: ['Action 1, target_id: There is no job template 999999 that ann may start.'] },
    ]);
    expect((await stage.request('DELETE', `users/${annId}/`)).status).to.equal(204);
    const orphan = await stage.event(rule, {});
    expect(orphan.actions_triggered[0].error).to.include('no active user any more');
    expect(orphan.job_id).to.equal(null);
  });

  it('fires once in an interval, however many come at once', async () => {
    const rule = await stage.rule({ throttle_seconds: 3600, actions: [launch(template)] });
    const sent = await Promise.all(Array.from({ length: 12 }, (_, n) => stage.event(rule, { n })));
    expect(sent.map(({ status }) => String(status)).toSorted()).to.deep.equal([
      'action_fired',
      ...Array.from({ length: 11 }, () => 'throttled'),
    ]);
    expect((await stage.get(`event_rules/${rule.id}/`)).body.fire_count).to.equal(1);
    await stage.services
      .db('plugin_eda.event_rules')
      .where({ id: rule.id })
      .update({ last_fired_at: new Date(0).toISOString() });
    expect((await stage.event(rule, {})).status).to.equal('action_fired');
  });

  it('fires once in an interval for each value of group_by', async () => {
    const rule = await stage.rule({ throttle_seconds: 3600, group_by: 'event.host' });
    const status = async (host?: string) => (await stage.event(rule, { host })).status;
    expect(await status('a')).to.equal('matched');
    expect(await status('b')).to.equal('matched');
    expect(await status('a')).to.equal('throttled');
    expect(await status()).to.equal('matched');
    expect(await status()).to.equal('throttled');
  });

  it('is kept when its rule, or its organization, is deleted', async () => {
    const organization = (await stage.post('organizations/', { name: 'gone' })).body.id;
    const rule = await stage.rule({ organization });
    const log = await stage.event(rule, { a: 1 });
    expect((await stage.request('DELETE', `organizations/${organization}/`)).status).to.equal(204);
    expect((await stage.send(rule, {})).status).to.equal(404);
    expect((await stage.get(`event_logs/${log.id}/`)).body).to.deep.include({
      event_rule: null,
      event_rule_name: rule.name,
      payload: { a: 1 },
    });
  });

  it('is judged whatever comes together with it', async () => {
    const endless = await stage.rule({ conditions: [when('range(100000)|map("string")|join|length > 0 and endless')] });
    const rule = await stage.rule({ conditions: [when('event.n > 2')] });
    const db = stage.services.db('plugin_eda.event_logs');
    const events = [
      ...(await Promise.all([1, 2, 3, 4].map((n) => stage.event(rule, { n })))),
      await stage.event(endless, {}),
    ];
    const ids = events.map(({ id }) => id);
    await db.clone().whereIn('id', ids).update({ status: 'received', finished: null });
    await stage.services.queue.addTask(stage.services.db, 'eda:evaluate', { logs: ids });
    const again = await Promise.all(ids.map((id) => stage.done(id)));
    expect(again.map(({ status }) => status)).to.deep.equal([
      'unmatched',
      'unmatched',
      'matched',
      'matched',
      'unmatched',
    ]);
    expect(again[4].condition_results[0].error).to.include('endless');
    expect((await stage.get(`event_rules/${rule.id}/`)).body.fire_count).to.equal(4);
  });

  /** Evaluates events by one task. */
  async function again(ids: number[]): Promise<any[]> {
    const { db, queue } = stage.services;
    await db('plugin_eda.event_logs').whereIn('id', ids).update({ status: 'received', finished: null });
    await queue.addTask(db, 'eda:evaluate', { logs: ids });
    return Promise.all(ids.map((id) => stage.done(id)));
  }

  it('waits for no rule whose conditions have no end, which has a rest after some of them', async () => {
    const [slow, rule] = [await stage.rule({ conditions: [when('event')] }), await stage.rule()];
    const sent: any[] = [];
    // one after the other
    // oxlint-disable-next-line no-await-in-loop
    for (const one of [slow, slow, rule, slow, slow, rule, slow])
      sent.push(await stage.event(one, one === slow ? { slow: true } : {}));
    const restore = slowEvents(stage);
    try {
      const logs = await again(sent.map(({ id }) => id));
      const late = logs.filter(({ event_rule: of }) => of === slow.id);
      const quick = logs.filter(({ event_rule: of }) => of === rule.id);
      expect(quick.map(({ status }) => status)).to.deep.equal(['matched', 'matched']);
      expect(late.map(({ status }) => status)).to.deep.equal(late.map(() => 'error'));
      for (const { error } of late.slice(0, 3)) expect(error).to.equal('Condition 1: it took too long');
      for (const { error } of late.slice(3)) expect(error).to.include('Not evaluated').and.include('3 events in a row');
      const finished = (of: any[]) => of.map((log) => Date.parse(log.finished));
      expect(Math.max(...finished(quick))).to.be.below(Math.min(...finished(late)));
      // what is changed is asked again
      await stage.request('PATCH', `event_rules/${slow.id}/`, { body: { conditions: [when('event.slow')] } });
      expect((await stage.event(slow, {})).status).to.equal('unmatched');
    } finally {
      restore();
    }
  });

  /** In one task, the other is matched while the busy one is put off, and the busy one once there is time for it. */
  async function otherBeforeBusy(busy: number, other: number): Promise<void> {
    const restore = slowEvents(stage);
    try {
      const { db, queue } = stage.services;
      const ids = [busy, other];
      // as the sweep found them
      const found = { status: 'received', finished: null, sweeps: 1, tries: 0 };
      await db('plugin_eda.event_logs').whereIn('id', ids).update(found);
      await queue.addTask(db, 'eda:evaluate', { logs: ids });
      expect((await stage.done(other)).status).to.equal('matched');
      expect((await stage.get(`event_logs/${busy}/`)).body.status).to.equal('received');
    } finally {
      restore();
    }
    expect((await stage.done(busy)).status).to.equal('matched');
    // to be put off is no try
    const { tries } = await stage.services.db('plugin_eda.event_logs').where({ id: busy }).first();
    expect(tries).to.equal(1);
  }

  it('waits for no rule that the sandbox has no time for, which is tried again', async () => {
    const [busy, rule] = [await stage.rule({ conditions: [when('event')] }), await stage.rule()];
    const [one, other] = [await stage.event(busy, { busy: true }), await stage.event(rule, {})];
    await otherBeforeBusy(one.id, other.id);
  });

  it('waits for no other event of its rule that the sandbox has no time for', async () => {
    const rule = await stage.rule({ conditions: [when('event')] });
    const [one, other] = [await stage.event(rule, { busy: true }), await stage.event(rule, { n: 1 })];
    await otherBeforeBusy(one.id, other.id);
  });

  it('is evaluated when the sandbox can be asked again, and so are drafts', async () => {
    const rule = await stage.rule({ conditions: [when('event.n')], group_by: 'event.n' });
    const { sandbox } = stage.services;
    const { evaluate, evaluateEach } = sandbox;
    const busy = () => Promise.reject(new SandboxError('unavailable', 'too much is waiting to be evaluated'));
    Object.assign(sandbox, { evaluate: busy, evaluateEach: busy });
    try {
      const { body } = await stage.send(rule, { n: 1 });
      for (const [path, draft] of [
        [`event_rules/${rule.id}/test/`, { payload: {} }],
        [`event_rules/${rule.id}/backtest/`, {}],
        ['event_rules/', { ...rule, name: 'x', webhook_path: 'unavailable', conditions: [when('1')] }],
      ] as const) {
        const answer = await stage.post(path, draft);
        expect([answer.status, answer.headers.get('retry-after')], path).to.deep.equal([503, '5']);
      }
      expect((await stage.get(`event_logs/${body.event_log}/`)).body.status).to.equal('received');
      await until(
        async () =>
          (await stage.services.db('tapline_jobs._private_jobs').where('attempts', '>', 0).first()) !== undefined,
      );
      Object.assign(sandbox, { evaluate, evaluateEach });
      expect((await stage.done(body.event_log)).status).to.equal('matched');
    } finally {
      Object.assign(sandbox, { evaluate, evaluateEach });
    }
  });

  it('is told about live, to who may see its rule', async () => {
    const rule = await stage.rule();
    const { WebSocket } = await import('ws');
    const token = (await stage.post('tokens/', { scope: 'write' })).body.token;
    const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/websocket/`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const heard: any[] = [];
    socket.on('message', (data) => void heard.push(JSON.parse(String(data))));
    await until(() => heard.some(({ accept }) => accept));
    socket.send(JSON.stringify({ groups: { event_logs: [rule.id] } }));
    await until(() => heard.some(({ groups_current }) => groups_current));
    const log = await stage.event(rule, {});
    await until(() => heard.filter(({ group_name }) => group_name === 'event_logs').length === 2);
    expect(
      heard
        .filter(({ group_name }) => group_name === 'event_logs')
        .map(({ status, event_logs }) => [status, event_logs]),
    ).to.deep.equal([
      ['received', [log.id]],
      ['matched', [log.id]],
    ]);
    socket.close();
  });
});
