import { expect } from 'chai';
import { sealEvents } from '../../core/audit/seal.ts';
import { verifyChain } from '../../core/audit/verify.ts';
import { auditFor } from '../../core/plugins/services/audit.ts';
import { createAuditStream } from '../../core/accounts/audit-stream.ts';
import { createSettings } from '../../core/settings/settings.ts';
import { adminPassword, type Api, basic, startApi } from '../support/api.ts';
import { silentLog } from '../support/log.ts';
import { until } from '../support/until.ts';

describe('audit events', () => {
  let api: Api;
  let organization: number;
  before(async () => {
    api = await startApi();
    const { id } = (await api.admin('POST', '/api/v2/organizations/', { name: 'Audited' })).body;
    organization = id;
  });
  after(() => api?.stop());

  const count = async () => (await api.admin('GET', '/api/v2/audit_events/')).body.count;
  const newest = async (query = '') =>
    (await api.admin('GET', `/api/v2/audit_events/?order_by=-id&page_size=1&${query}`)).body.results[0];
  /** Lines of JSON are no JSON that the test's client could read. */
  const siem = async (query: string) =>
    (
      await fetch(`${api.url}/api/v2/audit_events/?format=siem&${query}`, {
        headers: { authorization: basic('admin', adminPassword) },
      })
    ).text();
  const settings = (text = 'true') => createSettings({ config: { settings: { ACTIVITY_STREAM_ENABLED: text } } });

  it('tell who did what, from where and in which request', async () => {
    const made = await api.admin(
      'POST',
      '/api/v2/inventories/',
      { name: 'told', organization, variables: 'a: 1' },
      { 'x-request-id': 'request-of-this-test' },
    );
    const event = await newest();
    expect(event).to.deep.include({
      type: 'audit_event',
      action: 'create',
      actor_name: 'admin',
      ip: '127.0.0.1',
      request_id: 'request-of-this-test',
      node: 'test',
      organization,
      object_type: 'inventory',
      object_id: made.body.id,
      object_name: 'told',
      before: null,
      details: null,
      seal: null,
    });
    expect(event.after).to.include({ name: 'told', variables: 'a: 1', organization: `Audited-${organization}` });
    expect(event.summary_fields.actor.username).to.equal('admin');
    expect(event.related.organization).to.equal(`/api/v2/organizations/${organization}/`);
  });

  it('have the values before and after a change, and what was deleted', async () => {
    const { body } = await api.admin('POST', '/api/v2/organizations/', { name: 'Short-lived' });
    await api.admin('PATCH', body.url, { description: 'changed', max_hosts: 5 });
    expect(await newest()).to.deep.include({
      action: 'update',
      before: { description: '', max_hosts: 0 },
      after: { description: 'changed', max_hosts: 5 },
    });
    await api.admin('DELETE', body.url);
    const event = await newest();
    expect(event).to.deep.include({ action: 'delete', object_name: 'Short-lived', after: null });
    expect(event.before).to.include({ name: 'Short-lived', description: 'changed' });
  });

  it('tell of roles, settings and tokens, and of no secret', async () => {
    const { body: user } = await api.admin('POST', '/api/v2/users/', { username: 'reader', password: 'a secret word' });
    expect((await newest()).after.password).to.equal('hidden');
    const roles = (await api.admin('GET', `/api/v2/organizations/${organization}/`)).body.summary_fields.object_roles;
    await api.admin('POST', `/api/v2/users/${user.id}/roles/`, { id: roles.read_role.id });
    expect(await newest()).to.include({ action: 'associate' });
    await api.admin('PATCH', '/api/v2/settings/ui/', { CUSTOM_TITLE: 'Mine' });
    expect(await newest()).to.deep.include({
      action: 'update',
      object_type: 'setting',
      object_name: 'CUSTOM_TITLE',
      before: { value: '' },
      after: { value: 'Mine' },
      details: { key: 'CUSTOM_TITLE' },
    });
    await api.admin('POST', '/api/v2/tokens/', {});
    expect(await newest()).to.include({ action: 'create', object_type: 'o_auth2_access_token' });
    expect(await siem('')).to.not.include('a secret word');
  });

  it('tell of logins and failed ones, also what the activity stream leaves out', async () => {
    const record = createAuditStream({ db: api.db, settings: settings(), node: 'test' });
    await record({ action: 'login', user_id: 1, username: 'admin', ip: '10.0.0.1', session_id: 7 });
    expect(await newest()).to.include({ action: 'login', actor_name: 'admin', ip: '10.0.0.1', object_type: 'session' });
    await record({ action: 'login_failed', user_id: null, username: '=evil\0', ip: '10.0.0.2' });
    expect(await newest()).to.deep.include({ action: 'login_failed', actor: null, actor_name: '=evil\u{fffd}' });
    const entries = Number((await api.db('activity_stream').count('* as n'))[0]!.n);
    await record({ action: 'authorization_denied', user_id: 1, username: 'admin', ip: '10.0.0.3' });
    expect((await newest()).action).to.equal('authorization_denied');
    expect(Number((await api.db('activity_stream').count('* as n'))[0]!.n)).to.equal(entries);
  });

  it('go on while the activity stream is off', async () => {
    const core = { db: api.db, log: silentLog as never, settings: settings('false'), config: { nodeName: 'test' } };
    await auditFor(core as never, 'drift').record({
      action: 'rule_fired',
      actor: null,
      object: { type: 'event_rule', id: 5, name: 'disk full' },
      organization,
      changes: { throttled: false },
    });
    expect(await newest()).to.deep.include({
      action: 'drift.rule_fired',
      object_type: 'event_rule',
      object_id: 5,
      object_name: 'disk full',
      organization,
      details: { action: 'rule_fired', throttled: false },
    });
    expect((await api.admin('GET', '/api/v2/activity_stream/?object1=event_rule')).body.count).to.equal(0);
  });

  it('are read by superusers, auditors and administrators of their organization', async () => {
    const client = async (username: string, role?: string) => {
      const { body } = await api.admin('POST', '/api/v2/users/', { username, password: 'pw' });
      if (role) {
        const path = `/api/v2/organizations/${organization}/`;
        const roles = (await api.admin('GET', path)).body.summary_fields.object_roles;
        await api.admin('POST', `/api/v2/users/${body.id}/roles/`, { id: roles[role].id });
      }
      return api.as(basic(username, 'pw'));
    };
    const boss = await client('boss', 'admin_role');
    const { body } = await boss('GET', '/api/v2/audit_events/?page_size=200');
    expect(body.count).to.be.greaterThan(0);
    expect(body.results.every((event: any) => event.organization === organization)).to.equal(true);
    expect((await (await client('org-auditor', 'auditor_role'))('GET', '/api/v2/audit_events/')).body.count).to.equal(
      0,
    );
    expect((await boss('GET', '/api/v2/audit_events/1/?format=json')).status).to.equal(
      body.results.some(({ id }: any) => id === 1) ? 200 : 404,
    );
    expect((await api.admin('DELETE', '/api/v2/audit_events/1/')).status).to.equal(405);
  });

  it('are filtered, searched and narrowed by time', async () => {
    const counted = async (query: string) => (await api.admin('GET', `/api/v2/audit_events/?${query}`)).body.count;
    expect(await counted('action=login_failed')).to.equal(1);
    expect(await counted('search=rule_fired')).to.equal(1);
    expect(await counted('since=2999-01-01')).to.equal(0);
    expect(await counted('since=2020-01-01&object_type=inventory&organization__name=Audited')).to.equal(1);
  });

  it('are exported whole as CSV, in which nothing is a formula', async () => {
    const { text, headers } = await api.admin('GET', '/api/v2/audit_events/?format=csv&actor_name__startswith==');
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    const [titles, row, end] = text.split('\r\n');
    expect(titles).to.equal(
      'id,created,action,actor,actor_name,ip,request_id,node,organization,object_type,object_id,object_name,before,after,details',
    );
    expect(row).to.include(`,"login_failed",,"'=evil\u{fffd}","10.0.0.2",`);
    expect(row).to.match(/^\d+,"\d{4}-\d\d-\d\dT[\d:.]+Z",.*,"","","\{""id"": 0,/);
    expect(end).to.equal('');
    const all = (await api.admin('GET', '/api/v2/audit_events/?format=csv')).text.trimEnd().split('\r\n');
    expect(all.length - 1).to.equal(await count());
    expect((await api.admin('GET', '/api/v2/audit_events/?format=csv&action=nothing')).text).to.equal(`${titles}\r\n`);
  });

  it('are exported as flat JSON for collectors', async () => {
    const event = JSON.parse(await siem('object_name=CUSTOM_TITLE'));
    expect((await siem('')).trimEnd().split('\n')).to.have.length(await count());
    expect(event).to.include({ action: 'update', object_type: 'setting', before: '{"value": ""}', organization: null });
    expect(Object.values(event).every((value) => typeof value !== 'object' || value === null)).to.equal(true);
  });

  it('show their seal once they are sealed', async () => {
    await sealEvents(api.db);
    expect((await newest()).seal).to.match(/^[0-9a-f]{64}$/);
    expect((await verifyChain(api.db)).problem).to.equal(undefined);
  });

  it('are exported as they are: whatever is in their texts, and whatever is asked for', async () => {
    const name = `it's "so"\r\n\\N \\' $1 ?, \u0002é\n`;
    await api.db('audit_events').insert({ action: 'odd', object_name: name, object_id: 9 });
    const query = `object_name=${encodeURIComponent(name)}`;
    const { text } = await api.admin('GET', `/api/v2/audit_events/?format=csv&${query}`);
    const row = text.slice(text.indexOf('\r\n') + 2);
    expect(row).to.match(/^\d+,"[^"]+","odd",,"","","","",,"",9,"/);
    expect(row.endsWith(`"${name.replaceAll('"', '""')}","","",""\r\n`), JSON.stringify(row)).to.equal(true);
    expect(JSON.parse(await siem(query)).object_name).to.equal(name);
    expect(await siem(`object_name=${encodeURIComponent(`${name}' or true --`)}`)).to.equal('');
  });

  it('do not keep the database busy for who goes away while they are exported', async () => {
    await api.db.raw(
      `insert into audit_events (action, object_name) select 'many', repeat('x', 5000) from generate_series(1, 4000)`,
    );
    for (let round = 0; round < 2; round += 1) {
      const gone = new AbortController();
      const answer = await fetch(`${api.url}/api/v2/audit_events/?format=csv`, {
        headers: { authorization: basic('admin', adminPassword) },
        signal: gone.signal,
      });
      await answer.body!.getReader().read();
      gone.abort();
      const writing = `select 1 from pg_stat_activity where datname = current_database() and query like 'copy (%' and state <> 'idle'`;
      await until(async () => (await api.db.raw(writing)).rows.length === 0);
    }
    const all = (await api.admin('GET', '/api/v2/audit_events/?format=csv&action=many')).text.trimEnd().split('\r\n');
    expect(all).to.have.length(4001);
  });
});
