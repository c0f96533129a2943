import { expect } from 'chai';
import { type Api, startApi } from '../support/api.ts';
import { until } from '../support/until.ts';

/** What a notification template may hold; contract D1 to D3. */
describe('notification templates', () => {
  let api: Api;
  let organization: number;
  let made = 0;

  before(async () => {
    api = await startApi();
    organization = (await api.admin('POST', '/api/v2/organizations/', { name: 'o' })).body.id;
  });
  after(() => api?.stop());

  const webhook = { url: 'https://hook.example/key', headers: {} };
  const post = (body: object) =>
    api.admin('POST', '/api/v2/notification_templates/', {
      name: `n${(made += 1)}`,
      organization,
      notification_type: 'webhook',
      notification_configuration: webhook,
      ...body,
    });
  const patch = (id: number, body: object) => api.admin('PATCH', `/api/v2/notification_templates/${id}/`, body);

  it('fills in defaults, keeps unknown keys, and never shows a secret again', async () => {
    const secret = { ...webhook, username: 'u', password: 'very secret', more: [1] };
    const { status, body } = await post({ notification_configuration: secret });
    expect(status).to.equal(201);
    expect(body.notification_configuration).to.deep.equal({
      ...secret,
      password: '$encrypted$',
      http_method: 'POST',
      disable_ssl_verification: false,
    });
    expect(body.messages).to.deep.equal({ started: null, success: null, error: null, workflow_approval: null });
    const stored = () => api.db('notification_templates').where({ id: body.id }).first();
    const before = (await stored()).notification_configuration.password;
    expect(before).to.match(/^tap1:/);
    // what was shown, sent back
    const kept = await patch(body.id, {
      notification_configuration: { ...body.notification_configuration, url: 'https://x.example/' },
    });
    expect([kept.status, kept.body.notification_configuration.url]).to.deep.equal([200, 'https://x.example/']);
    const copy = await api.admin('POST', `/api/v2/notification_templates/${body.id}/copy/`, { name: 'a copy' });
    expect([copy.status, copy.body.notification_configuration.password]).to.deep.equal([201, '$encrypted$']);
    await patch(body.id, { notification_configuration: { ...webhook, password: '' } });
    expect((await stored()).notification_configuration.password).to.equal('');
    const log = await api.db('activity_stream').where({ object1: 'notification_template' }).orWhereRaw('true').select();
    expect(JSON.stringify(log)).to.not.include('very secret');
  });

  it('has a secret sent again whose key is lost, and all else changed without it', async () => {
    const { body } = await post({ notification_configuration: { ...webhook, password: 'very secret' } });
    const lost = `tap1:000000000000:${'x'.repeat(60)}`;
    const shown = body.notification_configuration;
    const stored = { ...webhook, password: lost, gone: lost };
    await api
      .db('notification_templates')
      .where({ id: body.id })
      .update({ notification_configuration: JSON.stringify(stored) });
    expect((await patch(body.id, { description: 'd' })).status).to.equal(200);
    const copy = await api.admin('POST', `/api/v2/notification_templates/${body.id}/copy/`, { name: 'never' });
    expect([copy.status, Object.keys(copy.body)]).to.deep.equal([409, ['error']]);
    const masked = await patch(body.id, { notification_configuration: shown });
    expect(masked.status, JSON.stringify(masked.body)).to.equal(400);
    expect(masked.body.__all__[0]).to.match(/^password: .*send it again/);
    const repaired = await patch(body.id, { notification_configuration: { ...shown, password: 'another' } });
    expect(repaired.status, JSON.stringify(repaired.body)).to.equal(200);
    expect(repaired.body.notification_configuration).to.include({ password: '$encrypted$' });
    expect(repaired.body.notification_configuration).to.not.have.property('gone');
  });

  it('keeps secrets of keys that its kind has no more, in copies too', async () => {
    const { body } = await post({ notification_configuration: { ...webhook, password: 'very secret' } });
    const row = () => api.db('notification_templates').where({ id: body.id });
    // as if webhooks had had it under another kind of field
    await row().update({ notification_type: 'mattermost' });
    const mattermost = { mattermost_url: 'https://m.example/', mattermost_no_verify_ssl: false };
    const changed = await patch(body.id, { notification_configuration: { ...mattermost, password: '$encrypted$' } });
    expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
    expect((await row().first()).notification_configuration.password).to.match(/^tap1:/);
    const copy = await api.admin('POST', `/api/v2/notification_templates/${body.id}/copy/`, { name: 'sealed' });
    expect([copy.status, copy.body.notification_configuration.password]).to.deep.equal([201, '$encrypted$']);
    const copied = await api.db('notification_templates').where({ id: copy.body.id }).first();
    expect(copied.notification_configuration.password).to.match(/^tap1:/);
  });

  for (const [what, notification_type, notification_configuration, said] of [
    [
      'what looks sealed',
      'webhook',
      { ...webhook, more: `tap1:000000000000:${'x'.repeat(60)}` },
      /'more' cannot be stored/,
    ],
    ['a missing field', 'webhook', { headers: {} }, /Missing required fields.*url/],
    ['a text for a number', 'email', { host: 'h', port: '25' }, /'port' must be an integer/],
    ['true for a number', 'irc', { port: true }, /'port' must be an integer/],
    ['an empty list', 'slack', { token: 't', channels: [] }, /'channels' must not be empty/],
    ['another method', 'webhook', { ...webhook, http_method: 'GET' }, /http_method must be POST or PUT/],
    ['a mask that hides nothing', 'slack', { token: '$encrypted$', channels: ['a'] }, /stands for a stored value/],
    ['headers that are none', 'webhook', { ...webhook, headers: { a: {} } }, /headers: a must be a text/],
    ['a list in its place', 'webhook', [1], /notification_configuration/],
  ] as const)
    it(`refuses ${what}`, async () => {
      const { status, body } = await post({ notification_type, notification_configuration });
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(JSON.stringify(body)).to.match(said);
    });

  it('refuses unknown types, no organization and a name that is there', async () => {
    expect(Object.keys((await post({ notification_type: 'smoke' })).body)).to.deep.equal(['notification_type']);
    expect(Object.keys((await post({ organization: null })).body)).to.deep.equal(['organization']);
    await post({ name: 'twice' });
    const { status, body } = await post({ name: 'twice' });
    expect([status, Object.keys(body)]).to.deep.equal([400, ['__all__']]);
  });

  for (const [what, messages, said] of [
    ['an unknown event', { finished: {} }, /'finished'/],
    ['an unknown part', { error: { subject: 'x' } }, /'error.subject'/],
    ['a text for an object', { error: 'x' }, /Expected an object for 'error'/],
    ['a number for a text', { error: { message: 1 } }, /Expected a string/],
    ['two lines', { error: { message: 'a\nb' } }, /one line/],
    ['what is no template', { error: { message: '{{ job.' } }, /error\.message/],
    ['what there is not', { error: { message: '{{ job.password }}' } }, /'job\.password' is undefined/],
    ['approvals outside of them', { error: { message: '{{ approval_status }}' } }, /'approval_status' is undefined/],
    ['hidden attributes', { error: { message: '{{ job.__class__ }}' } }, /accessible/],
    ['a body that is no JSON', { error: { body: 'hello {{ job.name }}' } }, /not JSON/],
    [
      'a loop without an end',
      { error: { body: '{% for a in range(99999) %}{% for b in range(99999) %}{{ b }}{% endfor %}{% endfor %}' } },
      /messages|judged|long|memory|range/,
    ],
    ['more than memory', { error: { message: "{{ 'x' * 999999999 }}" } }, /memory|more than|judged/],
    ['wrong approvals', { workflow_approval: { asked: {} } }, /'asked'/],
  ] as const)
    it(`refuses messages with ${what}`, async () => {
      const { status, body } = await until(async () => {
        const answer = await post({ messages });
        // a busy machine gives the sandbox no time
        return answer.status === 503 ? undefined : answer;
      });
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(body.messages.join(' ')).to.match(said);
    });

  it('keeps the custom texts that an update does not name, and forgets them all with null', async () => {
    const messages = {
      error: { message: null, body: '{"a": "{{ job.status }}"}' },
      workflow_approval: { denied: { body: '{"b": "{{ approval_status }}"}' } },
    };
    const { body } = await post({ messages });
    const changed = await patch(body.id, { messages: { error: { body: null }, success: { body: '{"c": 1}' } } });
    expect(changed.body.messages).to.deep.equal({ ...body.messages, success: { body: '{"c": 1}' } });
    expect(changed.body.messages.error.body).to.equal(messages.error.body);
    const cleared = await patch(body.id, { messages: null });
    expect(cleared.body.messages).to.deep.equal({ started: null, success: null, error: null, workflow_approval: null });
  });

  it('tells in OPTIONS what each type needs and says', async () => {
    const { body } = await api.admin('OPTIONS', '/api/v2/notification_templates/');
    const { notification_type: types, notification_configuration: fields } = body.actions.GET;
    const names = types.choices.map(([name]: string[]) => name);
    expect(names).to.have.members(
      'email webhook slack mattermost rocketchat irc pagerduty grafana twilio awssns msteams'.split(' '),
    );
    const { messages } = body.actions.POST;
    for (const name of names) {
      expect(Object.keys(fields[name]).length, name).to.be.greaterThan(0);
      for (const event of ['started', 'success', 'error'])
        expect(messages[name][event], name).to.have.all.keys('message', 'body');
      for (const event of ['running', 'approved', 'timed_out', 'denied'])
        expect(messages[name].workflow_approval[event], name).to.have.all.keys('message', 'body');
    }
    expect(fields.email.port).to.deep.equal({ label: 'Port', type: 'int' });
  });
});
