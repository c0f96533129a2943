import { SandboxError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { testPlugin } from '../../../test/support/plugins.ts';
import { until } from '../../../test/support/until.ts';
import { eventDecoder } from '../decoders/decoder.ts';
import { type EventStage, slowEvents, startEvents } from './stage.ts';

const when = (jinja2_expression: string, description = '') => ({ jinja2_expression, description });

describe('event rules', function () {
  this.timeout(600_000);
  let stage: EventStage;
  let template: number;

  before(async () => {
    // any plugin may bring a source
    const doorbell = testPlugin('doorbell', (api) => {
      api.hooks.beforeStart({ name: 'judge', failMode: 'deny' }, ({ run }) =>
        run.name === 'forbidden' ? { status: 403, body: { detail: 'Not now.', reasons: ['It is night.'] } } : undefined,
      );
      api.offer(eventDecoder, {
        source_type: 'doorbell',
        label: 'Doorbell',
        isSigned: ({ header }, key) => header('x-bell') === `${key}!`,
        eventType: () => 'ring',
        eventGuid: (_delivery, payload) => String((payload as { ring: number }).ring),
      });
    });
    stage = await startEvents({}, [doorbell]);
    template = await stage.template({ allow_simultaneous: true });
  });
  after(() => stage?.stop());

  const launch = (target_id: number) => ({ action_type: 'launch_job_template', target_id });
  const stored = () =>
    stage.services
      .db('plugin_eda.event_logs')
      .count()
      .then(([{ count }]: any) => Number(count));

  it('are managed by administrators of their organization', async () => {
    const rule = await stage.rule({ description: 'd', conditions: [when(' event.a ')], actions: [launch(template)] });
    expect(rule.webhook_url).to.match(new RegExp(`/api/v2/eda_webhooks/${rule.webhook_path}/$`));
    expect(rule).to.deep.include({
      enabled: true,
      throttle_seconds: 0,
      fire_count: 0,
      last_fired_at: null,
      conditions: [when('event.a')],
      actions: [{ ...launch(template), extra_vars: {}, description: '' }],
    });
    const user = await stage.post('users/', { username: 'bob', password: 'Bob-has-1-secret' });
    const bob = { auth: 'bob:Bob-has-1-secret' };
    expect((await stage.get(`event_rules/${rule.id}/`, bob)).status).to.equal(404);
    expect((await stage.get('event_rules/', bob)).body.count).to.equal(0);
    expect((await stage.get('event_logs/', bob)).body.count).to.equal(0);
    const role = async (field: string) => {
      const { results } = (await stage.get(`organizations/1/object_roles/?role_field=${field}`)).body;
      await stage.post(`users/${user.body.id}/roles/`, { id: results[0].id });
    };
    await role('auditor_role');
    expect((await stage.get(`event_rules/${rule.id}/`, bob)).status).to.equal(200);
    for (const [method, path] of [
      ['GET', 'webhook_key/'],
      ['POST', 'webhook_key/'],
      ['POST', 'disable/'],
      ['POST', 'test/'],
      ['PATCH', ''],
      ['DELETE', ''],
    ] as const)
      expect(
        (
          await stage.request(method, `event_rules/${rule.id}/${path}`, {
            ...bob,
            body: method === 'GET' ? undefined : {},
          })
        ).status,
        `${method} ${path}`,
      ).to.equal(403);
    await role('admin_role');
    expect((await stage.post(`event_rules/${rule.id}/disable/`, {}, bob)).body.enabled).to.equal(false);
    expect((await stage.post(`event_rules/${rule.id}/enable/`, {}, bob)).body.enabled).to.equal(true);
    expect((await stage.request('DELETE', `event_rules/${rule.id}/`, bob)).status).to.equal(204);
  });

  for (const [what, body, field, text] of [
    ['a path that is no slug', { webhook_path: 'a b' }, 'webhook_path', 'letters, digits'],
    ['a path that is taken', { webhook_path: 'taken' }, 'webhook_path', 'already exists'],
    ['an unknown source', { source_type: 'x' }, 'source_type', 'not a valid choice'],
    ['conditions that are none', { conditions: ['x'] }, 'conditions', 'Condition 1'],
    ['a condition without expression', { conditions: [{ description: 'x' }] }, 'conditions', 'jinja2_expression'],
    ['a key that is unknown', { conditions: [{ jinja2_expression: '1', x: 1 }] }, 'conditions', 'Unrecognized'],
    ['an expression that is none', { conditions: [when('1'), when('a b')] }, 'conditions', 'Condition 2'],
    ['a template in place of an expression', { conditions: [when('{{ event.a }}')] }, 'conditions', 'Condition 1'],
    ['too many conditions', { conditions: Array.from({ length: 51 }, () => when('1')) }, 'conditions', 'More than 50'],
    ['an unknown action', { actions: [{ action_type: 'x', target_id: 1 }] }, 'actions', 'Action 1, action_type'],
    [
      'a target that is no number',
      { actions: [{ action_type: 'launch_workflow', target_id: '1' }] },
      'actions',
      'target_id',
    ],
    [
      'a target of another kind',
      { actions: [{ action_type: 'launch_workflow', target_id: 1 }] },
      'actions',
      'no workflow job template 1',
    ],
    ['a negative interval', { throttle_seconds: -1 }, 'throttle_seconds', ''],
    ['a key of Standard Webhooks that is none', { webhook_key: 'whsec_' }, 'webhook_key', 'base64'],
    ['a key of theirs that is no base64', { webhook_key: 'whsec_a key' }, 'webhook_key', 'base64'],
    ['a group_by that is none', { group_by: 'a b' }, 'group_by', ''],
    ['null for conditions', { conditions: null }, 'conditions', ''],
    ['no organization', { organization: null }, 'organization', ''],
  ] as const)
    it(`refuse ${what}`, async () => {
      if (what.includes('taken')) await stage.rule({ webhook_path: 'taken' });
      const answer = await stage.post('event_rules/', {
        name: `bad ${what}`,
        organization: 1,
        source_type: 'webhook_generic',
        webhook_path: 'bad',
        ...body,
      });
      if (what.startsWith('null for')) return expect(answer.status).to.be.oneOf([201, 400]);
      expect(answer.status, answer.text).to.equal(400);
      expect(answer.body).to.have.property(field);
      return expect(JSON.stringify(answer.body[field])).to.include(text);
    });

  it('hold nothing while their conditions are tried, and are not saved with some that have no end', async () => {
    const rule = await stage.rule();
    const { sandbox, db } = stage.services;
    const { evaluate } = sandbox;
    const held: unknown[] = [];
    sandbox.evaluate = async () => {
      const { rows } = await db.raw(`select l.pid from pg_locks l join pg_stat_activity a using (pid)
        where a.state = 'idle in transaction' and l.relation = 'plugin_eda.event_rules'::regclass`);
      held.push(...rows);
      throw new SandboxError('timeout', 'it took too long');
    };
    try {
      const endless = { conditions: [when('1')], group_by: '' };
      for (const sent of [
        () => stage.post('event_rules/', { ...rule, ...endless, name: 'endless', webhook_path: 'endless' }),
        () => stage.request('PATCH', `event_rules/${rule.id}/`, { body: endless }),
        () => stage.post(`event_rules/${rule.id}/backtest/`, endless),
      ]) {
        const { status, body } = await sent();
        expect([status, body]).to.deep.equal([400, { conditions: ['Condition 1: it took too long'] }]);
      }
      const grouped = await stage.request('PATCH', `event_rules/${rule.id}/`, { body: { group_by: '1' } });
      expect([grouped.status, grouped.body]).to.deep.equal([400, { group_by: ['it took too long'] }]);
      expect(held).to.deep.equal([]);
    } finally {
      sandbox.evaluate = evaluate;
    }
  });

  it('keep their path', async () => {
    const rule = await stage.rule();
    const { status, body } = await stage.request('PATCH', `event_rules/${rule.id}/`, {
      body: { webhook_path: 'another' },
    });
    expect([status, Object.keys(body)]).to.deep.equal([400, ['webhook_path']]);
  });

  it('are tried without a trace', async () => {
    const asks = await stage.template();
    const rule = await stage.rule({
      conditions: [when("event.host == 'a'"), when("headers['x-a']")],
      actions: [launch(template), launch(asks)],
      throttle_seconds: 5,
    });
    await stage.request('DELETE', `job_templates/${asks}/`);
    const before = await stored();
    const { status, body } = await stage.post(`event_rules/${rule.id}/test/`, {
      payload: { host: 'a' },
      headers: { 'X-A': '1' },
    });
    expect(status).to.equal(200);
    expect(body).to.deep.include({ conditions_matched: true, throttled: false });
    expect(body.condition_results[1]).to.deep.equal({
      expression: "headers['x-a']",
      description: '',
      result: true,
      error: '',
    });
    expect(body.actions[0]).to.deep.include({
      action_type: 'launch_job_template',
      target_id: template,
      would_run: true,
      problem: '',
    });
    expect(body.actions[0].extra_vars).to.deep.include({ svc_eda_payload: { host: 'a' } });
    expect(body.actions[1]).to.deep.include({ would_run: false, target_name: null });
    // a single condition may say as much as several: so it does of what comes in
    const long = await stage.rule({ conditions: [when('event.text')] });
    const said = await stage.post(`event_rules/${long.id}/test/`, { payload: { text: 'x'.repeat(400_000) } });
    expect([said.status, said.body.conditions_matched], said.text.slice(0, 300)).to.deep.equal([200, true]);
    const miss = await stage.post(`event_rules/${rule.id}/test/`, { payload: {} });
    expect([miss.body.conditions_matched, miss.body.actions[0].would_run]).to.deep.equal([false, false]);
    const list = { payload: [{ host: 'a' }], conditions: [when("event[0].host == 'a'")] };
    expect((await stage.post(`event_rules/${rule.id}/test/`, list)).body.conditions_matched).to.equal(true);
    expect((await stage.post(`event_rules/${rule.id}/test/`, { payload: 'a' })).status).to.equal(400);
    const draft = await stage.post(`event_rules/${rule.id}/test/`, { payload: {}, conditions: [when('true')] });
    expect(draft.body.conditions_matched).to.equal(true);
    expect((await stage.post(`event_rules/${rule.id}/test/`, {})).status).to.equal(400);
    expect(await stored()).to.equal(before);
    expect((await stage.get(`event_rules/${rule.id}/`)).body).to.include({ fire_count: 0, last_fired_at: null });
  });

  it('are tried on what came in before', async () => {
    const rule = await stage.rule({ conditions: [when('event.n > 2')] });
    for (const n of [1, 2, 3]) await stage.event(rule, { n });
    const before = await stored();
    const { status, body } = await stage.post(`event_rules/${rule.id}/backtest/`, {
      conditions: [when('event.n < 3')],
      last: 2,
    });
    expect(status).to.equal(200);
    expect(body).to.include({ count: 2, matched: 1, complete: true });
    expect(body.results.map((one: any) => [one.matched_before, one.conditions_matched])).to.deep.equal([
      [true, false],
      [false, true],
    ]);
    expect((await stage.post(`event_rules/${rule.id}/backtest/`, { conditions: [when('a b')] })).status).to.equal(400);
    expect(await stored()).to.equal(before);
  });

  it('are tried before they are made, by who may make them', async () => {
    const organization = (await stage.post('organizations/', { name: 'drafts' })).body.id;
    const rule = await stage.rule({ organization });
    const elsewhere = await stage.rule({ organization, source_type: 'alert_a' });
    for (const n of [1, 2, 3]) await stage.event(rule, { n });
    await stage.event(elsewhere, { n: 4 });
    const before = await stored();
    const draft = { organization, conditions: [when('event.n > 1'), when("headers['x-a']", 'a')] };
    const tried = await stage.post('event_rules/test/', { ...draft, payload: { n: 2 }, headers: { 'X-A': '1' } });
    expect([tried.status, tried.body]).to.deep.equal([
      200,
      {
        conditions_matched: true,
        condition_results: [
          { expression: 'event.n > 1', description: '', result: true, error: '' },
          { expression: "headers['x-a']", description: 'a', result: true, error: '' },
        ],
      },
    ]);
    const conditions = [when('event.n > 1')];
    const latest = { organization, conditions, source_type: 'webhook_generic' };
    const { body } = await stage.post('event_rules/backtest/', latest);
    expect(body).to.include({ count: 3, matched: 2, complete: true });
    expect((await stage.post('event_rules/backtest/', { ...latest, last: 1 })).body.count).to.equal(1);
    for (const [wrong, field] of [
      [{ ...latest, organization: null }, 'organization'],
      [{ ...latest, conditions: [when('a b')] }, 'conditions'],
      [{ ...latest, source_type: '' }, 'source_type'],
    ] as const) {
      const refused = await stage.post('event_rules/backtest/', wrong);
      expect([refused.status, Object.keys(refused.body)]).to.deep.equal([400, [field]]);
    }
    expect(await stored()).to.equal(before);
    const { id } = (await stage.post('users/', { username: 'dan', password: 'Dan-has-1-secret' })).body;
    const dan = { auth: 'dan:Dan-has-1-secret' };
    expect((await stage.post('event_rules/backtest/', latest, dan)).status).to.equal(403);
    const { results } = (await stage.get(`organizations/${organization}/object_roles/?role_field=auditor_role`)).body;
    await stage.post(`users/${id}/roles/`, { id: results[0].id });
    expect((await stage.post('event_rules/backtest/', latest, dan)).status).to.equal(403);
    expect((await stage.post('event_rules/test/', { ...draft, payload: {} }, dan)).status).to.equal(403);
  });

  it('are tried on as much as a draft has time for', async () => {
    const rule = await stage.rule();
    // oxlint-disable-next-line no-await-in-loop
    for (const slow of [false, true, true, true, true, false]) await stage.event(rule, { slow });
    const restore = slowEvents(stage);
    try {
      const { body } = await stage.post(`event_rules/${rule.id}/backtest/`, { conditions: [when('true')] });
      expect(body).to.include({ count: 4, matched: 1, complete: false });
      expect(body.results[1].condition_results[0].error).to.include('too long');
    } finally {
      restore();
    }
  });

  it('judge an event again as they are now, in a log that names the old one', async () => {
    const rule = await stage.rule({ conditions: [when('event.n > 2')] });
    const old = await stage.event(rule, { n: 1, event_guid: 'once' });
    expect(old.status).to.equal('unmatched');
    await stage.request('PATCH', `event_rules/${rule.id}/`, { body: { conditions: [] } });
    const { status, body } = await stage.post(`event_logs/${old.id}/replay/`);
    expect([status, body.replay_of]).to.deep.equal([201, old.id]);
    expect(await stage.done(body.id)).to.deep.include({
      status: 'matched',
      event_guid: 'once',
      payload: { n: 1, event_guid: 'once' },
    });
    expect((await stage.get(`event_logs/${old.id}/`)).body.status).to.equal('unmatched');
    expect(
      Number(
        (
          await stage.services
            .db('plugin_eda.payloads')
            .where({ id: (await stage.services.db('plugin_eda.event_logs').where({ id: body.id }).first()).payload_id })
            .count()
        )[0]!['count'],
      ),
    ).to.equal(1);
    await stage.request('DELETE', `event_rules/${rule.id}/`);
    expect((await stage.post(`event_logs/${old.id}/replay/`)).status).to.equal(409);
  });

  it('have their dead letters retried together, each once', async () => {
    const rule = await stage.rule({ conditions: [when('event.n / event.by > 0')] });
    const dead = [await stage.event(rule, { n: 1, by: 0 }), await stage.event(rule, { n: 2, by: 0 })];
    expect((await stage.get(`event_logs/?status=error&event_rule=${rule.id}`)).body.count).to.equal(2);
    await stage.request('PATCH', `event_rules/${rule.id}/`, { body: { conditions: [when('event.n > 0')] } });
    const { status, body } = await stage.post('event_logs/retry/', { event_rule: rule.id });
    expect([status, body.count]).to.deep.equal([200, 2]);
    const again = await Promise.all(body.event_logs.map(stage.done));
    expect(again.map((log: any) => [log.replay_of, log.status])).to.deep.equal(dead.map(({ id }) => [id, 'matched']));
    expect((await stage.post('event_logs/retry/', { event_rule: rule.id })).body.count).to.equal(0);
  });

  /** Requests that come while a log is held, so that they go on together. */
  async function atOnce(log: number, send: () => Promise<any>): Promise<any[]> {
    const { db } = stage.services;
    const trx = await db.transaction();
    await trx('plugin_eda.event_logs').where({ id: log }).forUpdate();
    const sent = Promise.all([send(), send()]);
    await until(async () => {
      const { rows } = await db.raw(`select count(*)::int as waiting from pg_locks l
        join pg_stat_activity a on a.pid = l.pid and a.datname = current_database() where not l.granted`);
      return rows[0].waiting >= 2;
    });
    await trx.commit();
    return sent;
  }
  const replaysOf = (id: number) => stage.services.db('plugin_eda.event_logs').where({ replay_of_id: id }).pluck('id');

  it('are judged again once by those who ask at once', async () => {
    const rule = await stage.rule({ conditions: [when('event.n / event.by > 0')] });
    const [one, two] = [await stage.event(rule, { n: 1, by: 0 }), await stage.event(rule, { n: 2, by: 0 })];
    const replays = await atOnce(one.id, () => stage.post(`event_logs/${one.id}/replay/`));
    expect(replays.map(({ status }) => status)).to.have.members([201, 409]);
    const [made] = await replaysOf(one.id);
    expect(replays.find(({ status }) => status === 409).body.detail).to.include(`event log ${made}`);
    await stage.done(made);
    const retries = await atOnce(two.id, () => stage.post('event_logs/retry/', { event_rule: rule.id }));
    expect(retries.map(({ body }) => body.count)).to.have.members([0, 2]);
    expect(await replaysOf(two.id)).to.have.length(1);
  });

  it('leave dead letters alone that nothing can be made of, and say how many', async () => {
    const { db } = stage.services;
    const rule = await stage.rule({ conditions: [when('1 / event.by')] });
    const [gone, kept] = [await stage.event(rule, { by: 0 }), await stage.event(rule, { by: 0 })];
    // as many as are retried at once come before
    const { payload_id } = await db('plugin_eda.event_logs').where({ id: gone.id }).first();
    await db('plugin_eda.payloads').where({ id: payload_id }).update({ truncated: true });
    await db.raw(
      `insert into plugin_eda.event_logs (event_rule_id, event_rule_name, organization_id, source_type, source_ip, event_type, event_guid, payload_id, status, finished)
      select l.event_rule_id, '', l.organization_id, '', '', '', '', l.payload_id, 'error', now()
      from plugin_eda.event_logs l, generate_series(1, 500) where l.id = ?`,
      [gone.id],
    );
    const last = await stage.event(rule, { by: 0 });
    const { body } = await stage.post('event_logs/retry/', { event_rule: rule.id });
    expect(body).to.include({ count: 2, left_out: 501 });
    expect([await replaysOf(kept.id), await replaysOf(last.id)].flat()).to.deep.equal(body.event_logs);
    await Promise.all(body.event_logs.map(stage.done));
    expect((await stage.request('DELETE', `event_rules/${rule.id}/`)).status).to.equal(204);
    const rest = await stage.post('event_logs/retry/');
    expect(rest.status, rest.text).to.equal(200);
    expect(rest.body.left_out).to.be.at.least(503);
  });

  it('are begun again by who manages them now, wherever the event came in', async () => {
    const organization = (await stage.post('organizations/', { name: 'elsewhere' })).body.id;
    const rule = await stage.rule({ conditions: [when('1 / event.by')] });
    const log = await stage.event(rule, { by: 0 });
    await stage.post('users/', { username: 'eve', password: 'Eve-has-1-secret' });
    const eve = { auth: 'eve:Eve-has-1-secret' };
    const { id } = (await stage.get('users/?username=eve')).body.results[0];
    const { results } = (await stage.get('organizations/1/object_roles/?role_field=admin_role')).body;
    await stage.post(`users/${id}/roles/`, { id: results[0].id });
    await stage.request('PATCH', `event_rules/${rule.id}/`, { body: { organization } });
    expect((await stage.get(`event_logs/${log.id}/`, eve)).status).to.equal(200);
    expect((await stage.post(`event_logs/${log.id}/replay/`, {}, eve)).status).to.equal(403);
    await stage.post('event_logs/retry/', {}, eve);
    expect(await replaysOf(log.id)).to.deep.equal([]);
    expect((await stage.post(`event_logs/${log.id}/replay/`)).status).to.equal(201);
  });

  it('take events of senders that another plugin knows', async () => {
    const rule = await stage.rule({ source_type: 'doorbell' });
    const bell = async (ring: number, key = '') =>
      stage.send(rule, { ring }, { headers: { none: '', 'x-bell': `${key || (await stage.keyOf(rule))}!` } });
    const { status, body } = await bell(7);
    expect([status, body.event_guid]).to.deep.equal([202, '7']);
    expect((await stage.done(body.event_log)).event_type).to.equal('ring');
    expect((await bell(7)).status).to.equal(409);
    expect((await bell(8, 'x')).status).to.equal(403);
    const { actions } = (await stage.request('OPTIONS', 'event_rules/')).body;
    expect(JSON.stringify(actions.POST.source_type)).to.include('doorbell').and.include('cloudmon_a');
  });

  it('are denied a launch by the same gates as everybody, and say why', async () => {
    const forbidden = await stage.template({ name: 'forbidden' });
    const rule = await stage.rule({ actions: [launch(forbidden)] });
    const log = await stage.event(rule, {});
    expect(log.status).to.equal('action_failed');
    expect(log.actions_triggered[0].error).to.include('It is night.');
    const job = (await stage.get(`jobs/${log.job_id}/`)).body;
    expect(job.status).to.equal('failed');
    expect(job.job_explanation).to.include('It is night.');
  });

  it('find events that the queue lost, and give up those that cannot be judged', async () => {
    const { db, queue } = stage.services;
    const rule = await stage.rule();
    const { id } = await stage.event(rule, { a: 1 });
    const logs = () => db('plugin_eda.event_logs').where({ id });
    const lost = { status: 'received', finished: null, created: new Date(Date.now() - 700_000).toISOString() };
    await logs().update(lost);
    await queue.addTask(db, 'eda:sweep', {});
    expect((await stage.done(id)).status).to.equal('matched');
    expect(await logs().first('sweeps', 'tries')).to.include({ sweeps: 1, tries: 1 });
    const swept = async () => {
      await queue.addTask(db, 'eda:sweep', {});
      await until(
        async () => !(await db('tapline_jobs.jobs').where('task_identifier', 'eda:sweep').first('id')),
        30_000,
        'the sweep',
      );
      return logs().first('status', 'sweeps');
    };
    // its task waits behind others, however long: it has not failed
    await logs().update({ ...lost, sweeps: 5, tries: 4 });
    expect(await swept()).to.deep.equal({ status: 'received', sweeps: 5 });
    // its actions may be under way
    await logs().update({ status: 'matched', sweeps: 9, tries: 5 });
    expect(await swept()).to.deep.equal({ status: 'matched', sweeps: 9 });
    await logs().update({ ...lost, sweeps: 6, tries: 5 });
    expect((await swept()).status).to.equal('error');
    await logs().update({ ...lost, status: 'matched', sweeps: 21, tries: 20 });
    expect((await swept()).status).to.equal('action_failed');
  });

  it('forget names, old events and payloads beyond the limit', async () => {
    const { db, queue } = stage.services;
    const rule = await stage.rule();
    const big = { event_guid: 'big', text: 'x'.repeat(900_000) };
    const first = await stage.event(rule, big);
    const second = await stage.event(rule, { ...big, event_guid: 'bigger' });
    const old = await stage.event(rule, { event_guid: 'old' });
    const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
    await db('plugin_eda.event_logs')
      .where({ id: old.id })
      .update({ created: days(31) });
    await db('plugin_eda.event_logs')
      .where({ id: second.id })
      .update({ created: days(8) });
    // more than go at once
    const strays = `select nextval(pg_get_serial_sequence('plugin_eda.payloads', 'id')) as id, '{}'::json as body, 2 as bytes from generate_series(1, 2500)`;
    const { rowCount } = await db.raw(`insert into plugin_eda.payloads (id, body, bytes) ${strays}`);
    expect(rowCount).to.equal(2500);
    await stage.request('PATCH', 'settings/events/', { body: { EDA_EVENT_RETENTION_MB: 1 } });
    await queue.addTask(db, 'eda:clean', {});
    await until(async () => (await stage.get(`event_logs/${first.id}/`)).body.payload_truncated);
    await stage.request('PATCH', 'settings/events/', { body: { EDA_EVENT_RETENTION_MB: 0 } });
    expect((await stage.get(`event_logs/${old.id}/`)).status).to.equal(404);
    const { rows } = await db.raw(
      'select count(*)::int as left from plugin_eda.payloads p where not exists (select from plugin_eda.event_logs l where l.payload_id = p.id)',
    );
    expect(rows[0].left).to.equal(0);
    expect((await stage.get(`event_logs/${first.id}/`)).body.payload).to.deep.equal({ truncated: true });
    expect((await stage.get(`event_logs/${second.id}/`)).body.payload.event_guid).to.equal('bigger');
    expect((await stage.post(`event_logs/${first.id}/replay/`)).status).to.equal(409);
    expect((await stage.send(rule, big)).status).to.equal(409);
    expect((await stage.send(rule, { ...big, event_guid: 'bigger' })).status).to.equal(202);
  });

  it('tell of what was launched before a crash, though its template went meanwhile', async () => {
    const { db } = stage.services;
    const going = await stage.template();
    const rule = await stage.rule({ actions: [launch(going)] });
    const { id, actions_triggered: fired } = await stage.event(rule, { a: 1 });
    const [{ job }] = fired;
    await stage.ended(job);
    await stage.request('DELETE', `job_templates/${going}/`);
    // as whoever launched it left it
    await db('plugin_eda.event_logs')
      .where({ id })
      .update({ status: 'matched', finished: null, job_id: null, actions_triggered: '[]' });
    await db('plugin_eda.inbox').insert({ event_log_id: id });
    const done = await stage.done(id);
    expect(done).to.include({ status: 'action_fired', job_id: job });
    expect(done.actions_triggered).to.deep.equal(fired);
  });

  it('launch each action once, whatever breaks off in between', async () => {
    const { db } = stage.services;
    const rule = await stage.rule({ actions: [launch(template), launch(template)] });
    // each of these is refused once, as where the process died there
    await db.raw(`
      create sequence plugin_eda.breaks;
      create function plugin_eda.break_off() returns trigger language plpgsql as $$
        begin if nextval('plugin_eda.breaks') <= 1 then raise exception 'broken off'; end if; return new; end $$;`);
    const marks = async (log: number) => db('launch_marks').where('mark', 'like', `${log} %`);
    for (const [table, when] of [
      [
        'plugin_eda.event_logs',
        `before update on plugin_eda.event_logs for each row when (new.status = 'matched' and old.status = 'received')`,
      ],
      [
        'plugin_eda.event_logs',
        `before update on plugin_eda.event_logs for each row when (jsonb_array_length(new.actions_triggered) > jsonb_array_length(old.actions_triggered))`,
      ],
      [
        'plugin_eda.event_logs',
        `before update on plugin_eda.event_logs for each row when (new.status = 'action_fired')`,
      ],
      ['launch_marks', 'before insert on launch_marks for each row'],
    ] as const) {
      // nextval is not rolled back
      await db.raw(
        `select setval('plugin_eda.breaks', 1, false); create trigger break_off ${when} execute function plugin_eda.break_off();`,
      );
      const log = await stage.event(rule, { table });
      await db.raw(`drop trigger break_off on ${table}`);
      expect(log.status, table).to.equal('action_fired');
      expect(log.actions_triggered).to.have.length(2);
      const runs = await db('runs')
        .whereRaw("origin->>'kind' = 'event' and (origin->>'id')::bigint = ?", [log.id])
        .pluck('id');
      expect(runs.toSorted((a, b) => a - b)).to.deep.equal(
        log.actions_triggered.map(({ job }: any) => job).toSorted((a: number, b: number) => a - b),
      );
      expect(await marks(log.id)).to.have.length(2);
    }
    expect((await stage.get(`event_rules/${rule.id}/`)).body.fire_count).to.equal(4);
  });
});
