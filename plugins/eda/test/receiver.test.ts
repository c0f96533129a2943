import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { until } from '../../../test/support/until.ts';
import { waitsForLock } from '../../../test/support/waits-for-lock.ts';
import { type EventStage, hex, startEvents } from './stage.ts';

describe('the receiver of events', function () {
  this.timeout(600_000);
  let stage: EventStage;
  let generic: any;

  before(async () => {
    stage = await startEvents();
    generic = await stage.rule();
  });
  after(() => stage?.stop());

  const logs = async (query: string) => (await stage.get(`event_logs/?${query}`)).body;

  it('answers 202 when the event is stored', async () => {
    const { status, body } = await stage.send(generic, { event_type: 'push', event_guid: 'g-1', a: 1 });
    expect(status).to.equal(202);
    expect(body).to.include({ detail: 'Event accepted.', event_guid: 'g-1', status: 'received' });
    const log = await stage.done(body.event_log);
    expect(log).to.deep.include({
      event_rule: generic.id,
      event_rule_name: generic.name,
      source_type: 'webhook_generic',
      source_ip: '127.0.0.1',
      event_type: 'push',
      event_guid: 'g-1',
      payload: { event_type: 'push', event_guid: 'g-1', a: 1 },
      status: 'matched',
      conditions_matched: true,
    });
    expect(log.headers).to.deep.equal({
      'content-type': 'application/json',
      ...(log.headers['user-agent'] && { 'user-agent': log.headers['user-agent'] }),
    });
  });

  describe('knows signatures', () => {
    const body = '{"ref":"refs/heads/main"}';
    // documented by the sender itself
    it('as GitHub documents them', async () => {
      const known = await stage.rule({ source_type: 'webhook_scm_a', webhook_key: "It's a Secret to Everybody" });
      const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
      const sent = { headers: { 'x-hub-signature-256': signature } };
      // the vector's body is no JSON: it is heard, and found to be none
      expect((await stage.send(known, 'Hello, World!', sent)).status).to.equal(400);
      expect((await stage.send(known, 'Hello, World?', sent)).status).to.equal(403);
    });

    for (const [what, source, headers] of [
      ['A with SHA-256', 'webhook_scm_a', (key: string) => ({ 'x-hub-signature-256': hex('sha256', key, body) })],
      [
        'A with SHA-256, neutral',
        'webhook_scm_a',
        (key: string) => ({ 'x-scm-signature-256': hex('sha256', key, body) }),
      ],
      ['A with SHA-1', 'webhook_scm_a', (key: string) => ({ 'x-hub-signature': hex('sha1', key, body) })],
      ['A with SHA-1, neutral', 'webhook_scm_a', (key: string) => ({ 'x-scm-signature': hex('sha1', key, body) })],
      ['B by its token', 'webhook_scm_b', (key: string) => ({ 'x-gitlab-token': key })],
      ['B by its token, neutral', 'webhook_scm_b', (key: string) => ({ 'x-scm-token': key })],
      ...['webhook_generic', 'alert_a', 'incident_a', 'monitor_a', 'cloudmon_a'].map(
        (source_type) =>
          [source_type, source_type, (key: string) => ({ 'x-svc-signature': hex('sha256', key, body) })] as const,
      ),
    ] as const)
      it(`of ${what}`, async () => {
        const rule = await stage.rule({ source_type: source });
        const key = await stage.keyOf(rule);
        expect((await stage.send(rule, body, { headers: headers(key) })).status).to.equal(202);
        expect((await stage.send(rule, body, { headers: headers(await stage.keyOf(generic)) })).status).to.equal(403);
        expect((await stage.send(rule, body, { headers: { none: '' } })).status).to.equal(403);
        expect((await logs(`event_rule=${rule.id}&status=signature_failed`)).count).to.equal(2);
      });

    it('of Standard Webhooks, of which one of several has to be right and none may be old', async () => {
      const key = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
      const rule = await stage.rule({ webhook_key: key });
      const signed = (at: Date, id = `msg_${randomUUID()}`) => ({
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': `v1,${'A'.repeat(43)}= v2,x ${new Webhook(key).sign(id, at, body)}`,
      });
      const now = new Date();
      const first = await stage.send(rule, body, { headers: signed(now, 'msg_1') });
      expect(first.status).to.equal(202);
      expect(first.body.event_guid).to.equal('msg_1');
      for (const minutes of [-6, 6])
        expect(
          (await stage.send(rule, body, { headers: signed(new Date(now.getTime() + minutes * 60_000)) })).status,
        ).to.equal(403);
      const { 'webhook-signature': _, ...unsigned } = signed(now);
      expect((await stage.send(rule, body, { headers: { ...unsigned, none: '' } })).status).to.equal(403);
      // one that is there counts, whatever another says
      const wrong = {
        ...signed(now),
        'webhook-signature': `v1,${'A'.repeat(43)}=`,
        'x-svc-signature': hex('sha256', key, body),
      };
      expect((await stage.send(rule, body, { headers: wrong })).status).to.equal(403);
    });

    it('made with the former key for a while after a rotation', async () => {
      const rule = await stage.rule();
      const former = await stage.keyOf(rule);
      const rotated = await stage.post(`event_rules/${rule.id}/webhook_key/`);
      expect(rotated.status).to.equal(201);
      expect((await stage.get(`event_rules/${rule.id}/webhook_key/`)).body).to.deep.equal(rotated.body);
      expect(rotated.body.webhook_key).not.to.equal(former);
      for (const key of [former, rotated.body.webhook_key])
        expect((await stage.send(rule, body, { key })).status).to.equal(202);
      await stage.services
        .db('plugin_eda.event_rules')
        .where({ id: rule.id })
        .update({ former_key_until: new Date(0).toISOString() });
      expect((await stage.send(rule, body, { key: former })).status).to.equal(403);
    });
  });

  it('keeps the headers that a setting names, and none that may be a credential', async () => {
    const names = ['X-Request-Source', 'Authorization', 'Cookie', 'X-Gitlab-Token', 'X-Svc-Signature', 'X-Api-Key'];
    const before = (await stage.get('settings/events/')).body.EDA_KEPT_HEADERS;
    const set = (kept: string[]) => stage.request('PATCH', 'settings/events/', { body: { EDA_KEPT_HEADERS: kept } });
    await set(names);
    try {
      const signature = hex('sha256', await stage.keyOf(generic), '{}');
      const sent = Object.fromEntries(names.map((name) => [name.toLowerCase(), 'of the sender']));
      const answer = await stage.send(generic, '{}', { headers: { ...sent, 'x-svc-signature': signature } });
      expect(answer.status).to.equal(202);
      const { headers } = await stage.done(answer.body.event_log);
      expect(headers).to.deep.equal({ 'x-request-source': 'of the sender' });
    } finally {
      await set(before);
    }
  });

  it('goes by the settings of the deployment: what duplicates are told, and how long a former key is taken', async () => {
    const set = (body: object) => stage.request('PATCH', 'settings/events/', { body });
    await set({ EDA_DUPLICATE_RESPONSE: 'ack', EDA_KEY_OVERLAP_HOURS: 0 });
    try {
      const rule = await stage.rule();
      const named = { event_guid: 'once more' };
      const { event_log: first } = (await stage.send(rule, named)).body;
      const again = await stage.send(rule, named);
      expect([again.status, again.body.status, again.body.event_log]).to.deep.equal([202, 'duplicate', first]);
      const former = await stage.keyOf(rule);
      await stage.post(`event_rules/${rule.id}/webhook_key/`);
      expect((await stage.send(rule, {}, { key: former })).status).to.equal(403);
    } finally {
      await set({ EDA_DUPLICATE_RESPONSE: 'reject', EDA_KEY_OVERLAP_HOURS: 24 });
    }
  });

  it('keeps the key to itself', async () => {
    const rule = await stage.rule({ webhook_key: 'very-own-secret' });
    expect(rule).not.to.have.property('webhook_key');
    expect(
      (await stage.services.db('plugin_eda.event_rules').where({ id: rule.id }).first()).webhook_key,
    ).not.to.include('very-own');
    expect(await stage.keyOf(rule)).to.equal('very-own-secret');
    expect(await stage.keyOf(generic)).to.match(/^[\w-]{50}$/);
    const { status } = await stage.get(`event_rules/?webhook_key=x`);
    expect(status).to.equal(403);
  });

  it('takes forms whose payload is JSON, names events and knows those that came before', async () => {
    const rule = await stage.rule({ source_type: 'webhook_scm_a' });
    const form = new URLSearchParams({ payload: '{"zen":"Keep it logically awesome."}' }).toString();
    const key = await stage.keyOf(rule);
    const headers = {
      'x-hub-signature-256': hex('sha256', key, form),
      'x-github-event': 'ping',
      'x-github-delivery': '72d3162e',
    };
    const type = 'application/x-www-form-urlencoded';
    const { status, body } = await stage.send(rule, form, { headers, type });
    expect(status).to.equal(202);
    expect(await stage.done(body.event_log)).to.deep.include({
      event_type: 'ping',
      event_guid: '72d3162e',
      payload: { zen: 'Keep it logically awesome.' },
    });
    const again = await stage.send(rule, form, { headers, type });
    expect(again.status).to.equal(409);
    expect(again.body).to.deep.equal({ detail: 'Duplicate event.', event_guid: '72d3162e', event_log: body.event_log });
    await stage.request('PATCH', `event_rules/${rule.id}/`, { body: { duplicate_response: 'ack' } });
    const third = await stage.send(rule, form, { headers, type });
    expect([third.status, third.body.status]).to.deep.equal([202, 'duplicate']);
    expect((await stage.get(`event_logs/${body.event_log}/`)).body.duplicates).to.equal(2);
  });

  it('takes one of many that come with one name at once', async () => {
    const rule = await stage.rule();
    const answers = await Promise.all(Array.from({ length: 30 }, () => stage.send(rule, { event_guid: 'same' })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([
      202,
      ...Array.from({ length: 29 }, () => 409),
    ]);
    const { count, results } = await logs(`event_rule=${rule.id}`);
    expect([count, results[0].duplicates]).to.deep.equal([1, 29]);
  });

  it('answers for a rule that is off, and stores nothing', async () => {
    const rule = await stage.rule({ enabled: false });
    const { status, body } = await stage.send(rule, { a: 1 });
    expect([status, body.status]).to.deep.equal([202, 'ignored']);
    expect((await stage.send(rule, { a: 1 }, { key: 'x' })).status).to.equal(403);
    expect((await logs(`event_rule=${rule.id}&status=received`)).count).to.equal(0);
  });

  it('goes by a rule as it is now, however it was known before', async () => {
    const rule = await stage.rule();
    const path = `event_rules/${rule.id}/`;
    const first = await stage.keyOf(rule);
    expect((await stage.send(rule, {})).status).to.equal(202);
    // changed by another node: nothing tells this one
    const row = () => stage.services.db('plugin_eda.event_rules').where({ id: rule.id });
    await row().update({ enabled: false });
    expect((await stage.send(rule, {})).body.status).to.equal('ignored');
    await row().update({ enabled: true });
    expect((await stage.send(rule, {})).body.status).to.equal('received');
    await stage.request('PATCH', path, { body: { webhook_key: 'another' } });
    expect((await stage.send(rule, {}, { key: first })).status).to.equal(403);
    expect((await stage.send(rule, {}, { key: 'another' })).status).to.equal(202);
    await stage.request('PATCH', path, { body: { source_type: 'webhook_scm_b' } });
    expect((await stage.send(rule, {}, { key: 'another' })).status).to.equal(403);
    expect((await stage.send(rule, {}, { headers: { 'x-gitlab-token': 'another' } })).status).to.equal(202);
    expect(await stage.request('DELETE', path)).to.include({ status: 204 });
    expect((await stage.send(rule, {}, { headers: { 'x-gitlab-token': 'another' } })).status).to.equal(404);
  });

  it('notes what came of an event behind its rule, so that whoever deletes the rule waits for that and nobody for both', async () => {
    const rule = await stage.rule();
    const { db } = stage.services;
    const deleting = await db.transaction();
    try {
      await deleting('plugin_eda.event_rules').where({ id: rule.id }).forNoKeyUpdate().first('id');
      const id = (await stage.send(rule, {})).body.event_log;
      await until(() => waitsForLock(db, 'event_rules'), 60_000, 'the event is to be noted');
      expect(await db('plugin_eda.event_logs').where({ id }).forUpdate().noWait().first('id')).to.deep.equal({ id });
      await deleting.commit();
      await stage.done(id);
    } finally {
      if (!deleting.isCompleted()) await deleting.rollback();
    }
  });

  it('forgets no event whose node died before it gave it to the queue', async () => {
    const rule = await stage.rule();
    const { id } = await stage.event(rule, {});
    const { db } = stage.services;
    await stage.done(id);
    await db('plugin_eda.event_logs').where({ id }).update({ status: 'received', finished: null });
    await db('plugin_eda.inbox').insert({ event_log_id: id });
    expect((await stage.done(id)).status).to.equal('matched');
  });

  describe('refuses', () => {
    const text = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
    it('what nobody waits for', async () => {
      expect((await stage.send({ webhook_path: 'nowhere' }, {}, { key: 'x' })).status).to.equal(404);
    });
    it('more than 1 MB, before it is judged', async () => {
      const count = (await logs(`event_rule=${generic.id}`)).count;
      expect((await stage.send(generic, text(1_048_576))).status).to.equal(202);
      expect((await stage.send(generic, text(1_048_577))).status).to.equal(413);
      expect(await chunked(text(1_048_577))).to.equal(413);
      expect((await logs(`event_rule=${generic.id}`)).count).to.equal(count + 1);
    });
    for (const [what, body, status, type] of [
      ['no JSON', '{"a":', 400],
      ['a number', '5', 400],
      ['nothing', '', 400],
      ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('latin1'), 202],
      ['depth', `${'['.repeat(1000)}${']'.repeat(1000)}`, 400],
      ['a form without payload', 'a=1', 400, 'application/x-www-form-urlencoded'],
      ['XML', '<a/>', 415, 'application/xml'],
      ['a NUL in a text, which is stored as it is', '{"event_type":"a\\u0000b","x":"\\u0000","y":"\\ud800"}', 202],
    ] as const)
      it(what, async () => {
        const answer = await stage.send(generic, body, type ? { type } : {});
        expect(answer.status, answer.text).to.equal(status);
        if (status === 202) expect((await stage.done(answer.body.event_log)).payload).to.deep.equal(JSON.parse(body));
      });
    it('a header that is sent twice, though one of them is right', async () => {
      const count = async () => (await logs(`event_rule=${generic.id}&status=received`)).count;
      const before = await count();
      const right = hex('sha256', await stage.keyOf(generic), '{}');
      for (const both of [
        [right, `sha256=${'0'.repeat(64)}`],
        [`sha256=${'0'.repeat(64)}`, right],
        [right, right],
      ])
        expect(await raw('{}', { 'content-length': '2', 'x-svc-signature': both })).to.equal(403);
      expect(await count()).to.equal(before);
    });
    it('what is compressed', async () => {
      const bomb = gzipSync(Buffer.alloc(5_000_000, 32)).toString('latin1');
      expect((await stage.send(generic, bomb, { headers: { 'content-encoding': 'gzip' } })).status).to.equal(415);
    });
    it('hundreds of wrong signatures, of which few are kept', async () => {
      const rule = await stage.rule();
      for (let at = 0; at < 10; at++) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => stage.send(rule, '{}', { key: 'wrong' })));
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([403]));
      }
      const { count, results } = await logs(`event_rule=${rule.id}&page_size=200`);
      // the minute may have turned
      expect(count).to.be.within(10, 20);
      expect((await stage.get(`event_logs/${results[0].id}/`)).body).to.deep.include({
        status: 'signature_failed',
        payload: {},
      });
    });
  });

  const chunked = (body: string) => raw(body, { 'transfer-encoding': 'chunked' });
  const raw = (body: string, headers: Record<string, string | string[]>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(
        `${stage.url}/api/v2/eda_webhooks/${generic.webhook_path}/`,
        { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
        ({ statusCode }) => resolve(statusCode),
      );
      sent.on('error', reject);
      sent.end(body);
    });

  it('takes so many a minute of a rule, and counts none whose signature is wrong', async () => {
    const rule = await stage.rule();
    const limit = (most: number) =>
      stage.request('PATCH', 'settings/events/', { body: { EDA_RECEIVER_PER_MINUTE: most } });
    await limit(2);
    try {
      const statuses: number[] = [];
      for (const key of ['x', 'x', 'x', undefined, undefined, undefined])
        // one after the other
        // oxlint-disable-next-line no-await-in-loop
        statuses.push((await stage.send(rule, {}, key ? { key } : {})).status);
      expect(statuses).to.deep.equal([403, 403, 403, 202, 202, 429]);
    } finally {
      await limit(0);
    }
  });
});
