import type { PluginApi } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { httpTarget, type MailTarget, mailTarget } from '../../../test/notifications/servers.ts';
import { until } from '../../../test/support/until.ts';
import { adminPassword } from '../../../test/support/service.ts';
import { testPlugin } from '../../../test/support/plugins.ts';
import { type DriftStage, startDrift } from './stage.ts';

const ann = { auth: 'ann:Ann-has-1-secret' };

describe('drift over the API', function () {
  this.timeout(600_000);
  let stage: DriftStage;
  let mail: MailTarget;
  let template: number;
  let made = 0;
  const insights: PluginApi[] = [];
  const reader = testPlugin('reader', (api) => void insights.push(api));

  before(async () => {
    mail = await mailTarget();
    stage = await startDrift(
      {
        TAPLINE_DRIFT_ALERT_GROUP_SECONDS: '0',
        TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '["127.0.0.1"]',
      },
      [reader],
    );
    expect((await stage.post('users/', { username: 'ann', password: 'Ann-has-1-secret' })).status).to.equal(201);
    template = await stage.mailTemplate(mail.port, `mail ${++made}`);
  });
  after(async () => {
    await stage?.stop();
    await mail?.stop();
  });

  const drifted: DriftStage['drifted'] = (...given) => stage.drifted(...given);
  const grant = async (role: string) => {
    const { results } = (await stage.get(`inventories/${stage.inventory}/object_roles/?role_field=${role}`)).body;
    const user = (await stage.get('users/?username=ann')).body.results[0].id;
    expect((await stage.post(`users/${user}/roles/`, { id: results[0].id })).status).to.equal(204);
  };
  const rule = async (body: object = {}, options = {}) =>
    stage.post(
      'drift_alert_rules/',
      { name: `rule ${++made}`, organization: 1, notification_template: template, ...body },
      options,
    );
  const alertsOf = (id: number) => stage.all(`drift_alerts/?alert_rule=${id}&order_by=id`);

  async function cleaned(): Promise<void> {
    const { db, queue } = stage.services;
    await queue.addTasks(db, [{ name: 'drift:clean-up', payload: {} }]);
    await until(async () => !(await db('tapline_jobs.jobs').where({ task_identifier: 'drift:clean-up' }).first()));
  }

  describe('as lists', () => {
    let host: number;

    before(async () => {
      host = await drifted(
        'listed',
        { kernel: '6.1.0-18', services: { ssh: 'on' }, plain: 1 },
        { kernel: '6.1.0-21', services: { ssh: 'off' }, '=2+5': '@SUM(1)' },
      );
    });

    it('are filtered by host, inventory, category, severity and acknowledged, by day and by job', async () => {
      const paths = async (query: string) =>
        (await stage.all(`drift_detections/?host=${host}&${query}`))
          .map(({ fact_path: path }): string => path)
          .toSorted();
      expect(await paths('')).to.deep.equal(['=2+5', 'kernel', 'plain', 'services']);
      expect(await paths('category=kernel')).to.deep.equal(['kernel']);
      expect(await paths('severity=medium')).to.deep.equal(['services']);
      expect(await paths('severity__gte=medium')).to.deep.equal(['kernel', 'services']);
      expect(await paths('severity__lt=critical&severity__gt=low')).to.deep.equal(['services']);
      const ordered = await stage.all(`drift_detections/?host=${host}&order_by=-severity`);
      expect(ordered.map(({ severity }) => severity)).to.deep.equal(['critical', 'medium', 'low', 'low']);
      expect(await paths('acknowledged=true')).to.deep.equal([]);
      expect(await paths(`inventory=${stage.inventory}&diff_type=removed`)).to.deep.equal(['plain']);
      expect(await paths('attribution=out_of_band&search=21')).to.deep.equal(['kernel']);
      const today = new Date().toISOString().slice(0, 10);
      expect(await paths(`date_from=2020-01-01&date_to=${today}`)).to.have.length(4);
      expect(await paths('date_to=2020-01-01')).to.deep.equal([]);
      const [newest] = await stage.all(`fact_snapshots/?host=${host}`);
      const all = await stage.all(`fact_snapshots/?host=${host}&inventory=${stage.inventory}`);
      expect(all).to.have.length(2);
      expect(await stage.all(`fact_snapshots/?job=${newest.job}`)).to.deep.equal([newest]);
    });

    for (const query of ['date_from=soon', 'nothing=1', 'host=x', 'severity__gte=worst'])
      it(`refuse ?${query}`, async () => {
        for (const path of ['', 'summary/', 'breakdown/', 'export/'])
          expect((await stage.get(`drift_detections/${path}?${query}`)).status).to.equal(400);
        expect((await stage.post(`drift_detections/acknowledge/?${query}`)).status).to.equal(400);
      });

    it('are counted, with the same filters', async () => {
      const { body } = await stage.get(`drift_detections/summary/?host=${host}`);
      expect(body).to.deep.equal({
        total: 4,
        unacknowledged: 4,
        newest: (await stage.all(`drift_detections/?host=${host}`))[0].id,
        by_category: { packages: 0, services: 1, users_groups: 0, network: 0, mounts: 0, kernel: 1, other: 2 },
        by_severity: { low: 2, medium: 1, high: 0, critical: 1 },
      });
      expect((await stage.get('drift_detections/summary/?category=kernel&host=0')).body).to.include({
        total: 0,
        newest: null,
      });
    });

    it('are counted by host and by day, with the same filters', async () => {
      const counted = { count: 2, unacknowledged: 2 };
      const { body } = await stage.get(`drift_detections/breakdown/?host=${host}&severity=low`);
      expect(body).to.deep.equal({
        by_host: [{ host, host_name: 'listed', ...counted }],
        by_day: [{ day: new Date().toISOString().slice(0, 10), ...counted }],
      });
      const none = await stage.get('drift_detections/breakdown/?date_to=2020-01-01');
      expect(none.body).to.deep.equal({ by_host: [], by_day: [] });
    });

    it('are exported with the columns of the specification, and no cell that a spreadsheet would run', async () => {
      const { text, headers, status } = await stage.get(`drift_detections/export/?host=${host}&order_by=fact_path`);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.match(/^text\/csv/);
      const [titles, ...lines] = text.trim().split('\r\n');
      expect(titles).to.equal('ID,Host,Detected At,Category,Severity,Fact Path,Summary,Diff Type,Acknowledged');
      expect(lines).to.have.length(4);
      const formula = lines.find((line) => line.includes('2+5'))!;
      expect(formula).to.match(
        /^\d+,"listed","20[\d-]+T[\d:.]+Z","other","low","'=2\+5","'=2\+5 added: @SUM\(1\)","added","False"$/,
      );
      expect((await stage.get(`drift_detections/export/?host=${host}&date_to=2020-01-01`)).text.trim()).to.equal(
        titles,
      );
    });
  });

  it('is told at once to who listens to an inventory that they may read', async () => {
    const listen = async (auth: string, item = stage.inventory) => {
      const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/websocket/`, {
        headers: { authorization: `Basic ${Buffer.from(auth).toString('base64')}` },
      });
      const messages: any[] = [];
      socket.on('message', (data) => messages.push(JSON.parse(String(data))));
      await until(() => messages.some(({ accept }) => accept));
      socket.send(JSON.stringify({ groups: { drift: [item] } }));
      await until(() => messages.some(({ groups_current: joined, error }) => joined ?? error));
      return { messages, close: () => socket.close() };
    };
    const [admin, other] = [await listen(`admin:${adminPassword}`), await listen(ann.auth)];
    const anybody = await listen(ann.auth, 0);
    const host = await drifted('live', { kernel: 1 }, { kernel: 2 });
    await until(() => admin.messages.some(({ group_name: group }) => group === 'drift'));
    const told = admin.messages.find(({ group_name: group }) => group === 'drift');
    expect(told).to.deep.include({ type: 'drift_detection', inventory: stage.inventory, hosts: [host] });
    expect(other.messages.some(({ error }) => /denied/.test(error))).to.equal(true);
    expect(other.messages.some(({ group_name: group }) => group === 'drift')).to.equal(false);
    // of any inventory, without a word of which: more than anybody can listen to one by one
    await until(() => anybody.messages.some(({ group_name: group }) => group === 'drift'));
    const { group_name: _group, ...hint } = anybody.messages.find(({ group_name: group }) => group === 'drift');
    expect(hint).to.deep.equal({ type: 'drift_detection' });
    const { db } = stage.services;
    let asked = 0;
    const count = ({ sql }: { sql: string }) => void (sql.includes('inventories') && asked++);
    db.on('query', count);
    for (const item of ['x', '1.5', '-1', '9'.repeat(20)]) {
      const nobody = await listen(`admin:${adminPassword}`, item as never);
      expect(
        nobody.messages.some(({ error }) => /denied/.test(error)),
        item,
      ).to.equal(true);
      nobody.close();
    }
    db.off('query', count);
    expect(asked, 'the database is not asked about what is no number').to.equal(0);
    for (const { close } of [admin, other, anybody]) close();
  });

  it('is counted for other plugins', async () => {
    const { count } = (await stage.get('drift_detections/')).body;
    expect(count).to.be.greaterThan(0);
    expect(await insights[0]!.insights.read('drift.detections', 0)).to.equal(count);
  });

  describe('compared', () => {
    it('tell what differs between any two snapshots, of one host or of two, and store nothing', async () => {
      const [a, b] = [
        await drifted('compared', { kernel: 1, ansible_date_time: 1 }, { kernel: 2, ansible_date_time: 2 }),
        await drifted('golden', { kernel: 1, ansible_date_time: 3 }),
      ];
      const [second, first] = await stage.all(`fact_snapshots/?host=${a}`);
      const [golden] = await stage.all(`fact_snapshots/?host=${b}`);
      const compare = (snapshotA: unknown, snapshotB: unknown, more = {}, options = {}) =>
        stage.post('drift_detections/compare/', { snapshot_a: snapshotA, snapshot_b: snapshotB, ...more }, options);
      const { body, status } = await compare(first.id, second.id);
      expect(status).to.equal(200);
      expect(body).to.deep.include({ same_host: true, identical: false, count: 1 });
      expect(body.snapshot_a).to.deep.equal({
        id: first.id,
        host: a,
        host_name: 'compared',
        captured_at: first.captured_at,
        facts_hash: first.facts_hash,
      });
      expect(body.differences).to.deep.equal([
        {
          fact_path: 'kernel',
          category: 'kernel',
          severity: 'critical',
          diff_type: 'changed',
          before: 1,
          after: 2,
          summary: 'kernel changed from 1 to 2',
          paths: [{ op: 'replace', path: '', before: 1, value: 2 }],
        },
      ]);
      expect(body.by_category.kernel).to.equal(1);
      expect((await compare(first.id, golden.id)).body).to.include({ same_host: false, identical: false, count: 0 });
      expect((await compare(first.id, second.id, { include_volatile: true })).body.count).to.equal(2);
      const byQuery = await stage.post('drift_detections/compare/?include_volatile=true', {
        snapshot_a: first.id,
        snapshot_b: first.id,
      });
      expect(byQuery.body).to.include({ identical: true, count: 0 });
      expect((await compare(first.id, 999_999)).status).to.equal(404);
      expect((await compare(first.id, undefined)).status).to.equal(400);
      expect((await compare(first.id, 'x')).status).to.equal(400);
      expect((await compare(first.id, second.id, {}, ann)).status).to.equal(404);
    });
  });

  describe('for who reads the inventory', () => {
    it('are seen by readers, acknowledged by those who administer or update it, once and by filter', async () => {
      const host = await drifted('seen', { kernel: 1, a: 1 }, { kernel: 2, a: 2 });
      const [one, other] = await stage.all(`drift_detections/?host=${host}`);
      const path = `drift_detections/${one.id}/`;
      expect((await stage.get(path, ann)).status).to.equal(404);
      expect((await stage.get('drift_detections/summary/', ann)).body.total).to.equal(0);
      expect((await stage.get(path, { auth: null })).status).to.equal(401);
      await grant('read_role');
      expect((await stage.get(path, ann)).status).to.equal(200);
      expect((await stage.get(`fact_snapshots/${one.snapshot_after}/`, ann)).status).to.equal(200);
      expect((await stage.post(`${path}acknowledge/`, {}, ann)).status).to.equal(403);
      expect(
        (await stage.post(`drift_detections/acknowledge/?host=${host}`, { up_to: one.id }, ann)).body,
      ).to.deep.equal({
        acknowledged: 0,
      });
      await grant('update_role');
      const { status, body } = await stage.post(`${path}acknowledge/`, {}, ann);
      expect(status).to.equal(200);
      expect(body).to.include({ id: one.id, acknowledged: true });
      expect(body.summary_fields.acknowledged_by.username).to.equal('ann');
      const again = await stage.post(`${path}acknowledge/`);
      expect(again.status).to.equal(200);
      expect(again.body.acknowledged_at).to.equal(body.acknowledged_at);
      expect((await stage.post('drift_detections/acknowledge/')).status).to.equal(400);
      for (const [wrong, named] of [
        [{ ids: ['x'] }, 'ids'],
        [{ ids: 5 }, 'ids'],
        [{ ids: [0] }, 'ids'],
        [{}, 'all'],
        [{ all: true }, 'up_to'],
        [{ all: true, up_to: 'x' }, 'up_to'],
        [{ all: true, up_to: 0 }, 'up_to'],
        [{ all: true, up_to: one.id, count: -1 }, 'count'],
      ] as const) {
        const refused = await stage.post('drift_detections/acknowledge/', wrong);
        expect(refused.status, JSON.stringify(wrong)).to.equal(400);
        expect(refused.body).to.have.property(named);
      }
      expect((await stage.post(`drift_detections/acknowledge/?host=${host}`)).body).to.have.property('up_to');
      // the list takes them, and leaves nothing out
      for (const query of ['limit=10', 'order=id', 'count_disabled=1', 'include=x', 'type=x', 'search=', 'search=%20'])
        expect(
          (await stage.post(`drift_detections/acknowledge/?${query}`, { up_to: one.id })).body,
          query,
        ).to.have.property('all');
      expect((await stage.post('drift_detections/acknowledge/', { ids: [one.id, other.id] }, ann)).body).to.deep.equal({
        acknowledged: 1,
      });
      expect((await stage.get(`drift_detections/summary/?host=${host}`)).body.unacknowledged).to.equal(0);
      expect((await stage.get(`drift_detections/${other.id}/`)).body.acknowledged).to.equal(true);
      for (const [method, target] of [
        ['DELETE', path],
        ['PATCH', path],
        ['POST', 'fact_snapshots/'],
        ['POST', 'drift_alerts/'],
      ] as const)
        expect((await stage.request(method, target, { body: {} })).status).to.equal(405);
    });
  });

  it('is acknowledged together as far as somebody has seen it, and the audit log says who did', async () => {
    const host = await drifted('moving', { kernel: 1, a: 1 }, { kernel: 2, a: 2 });
    const path = `drift_detections/acknowledge/?host=${host}`;
    const { newest, unacknowledged: count } = (await stage.get(`drift_detections/summary/?host=${host}`)).body;
    await stage.change(host, { kernel: 3, a: 2 });
    expect((await stage.post(path, { up_to: newest, count: count - 1 })).status).to.equal(409);
    expect((await stage.post(path, { up_to: newest, count })).body).to.deep.equal({ acknowledged: 2 });
    const left = await stage.all(`drift_detections/?host=${host}&acknowledged=false`);
    expect(left.map(({ detail }) => detail.after)).to.deep.equal([3]);
    const [entry] = await stage.all('audit_events/?action=drift.acknowledge&order_by=-id');
    expect(entry.details).to.include({ up_to: newest, acknowledged: 2 });
  });

  describe('with rules', () => {
    it('have the defaults, and say what is wrong with them', async () => {
      const { body, status } = await rule();
      expect(status).to.equal(201);
      expect(body).to.deep.include({
        enabled: true,
        inventory: null,
        host_filter: '*',
        categories: [],
        severity_min: 'low',
        threshold_count: 1,
        threshold_window_minutes: 60,
        cooldown_minutes: 60,
      });
      expect((await stage.request('DELETE', `drift_alert_rules/${body.id}/`)).status).to.equal(204);
      const elsewhere = (await stage.post('organizations/', { name: 'Elsewhere' })).body.id;
      for (const [wrong, named] of [
        [{ categories: ['kernel', 'colour'] }, 'categories'],
        [{ categories: 'kernel' }, 'categories'],
        [{ severity_min: 'worst' }, 'severity_min'],
        [{ threshold_count: 0 }, 'threshold_count'],
        [{ threshold_window_minutes: 0 }, 'threshold_window_minutes'],
        [{ cooldown_minutes: -1 }, 'cooldown_minutes'],
        [{ cooldown_minutes: 1e12 }, 'cooldown_minutes'],
        [{ host_filter: 'x'.repeat(513) }, 'host_filter'],
        [{ notification_template: 999_999 }, 'notification_template'],
        [{ notification_template: undefined }, 'notification_template'],
        [{ notification_template: null }, 'notification_template'],
        [{ inventory: 999_999 }, 'inventory'],
        [{ organization: elsewhere, inventory: stage.inventory }, 'inventory'],
        [{ name: '' }, 'name'],
      ] as const) {
        const answer = await rule(wrong);
        expect(answer.status, JSON.stringify(wrong)).to.equal(400);
        expect(answer.body).to.have.property(named);
      }
      expect((await rule({}, ann)).status).to.equal(403);
    });

    it('are switched on and off, as often as somebody asks', async () => {
      const { id } = (await rule({ name: 'switched' })).body;
      for (const [what, enabled] of [
        ['disable', false],
        ['disable', false],
        ['enable', true],
      ] as const) {
        const { status, body } = await stage.post(`drift_alert_rules/${id}/${what}/`);
        expect(status).to.equal(200);
        expect(body).to.include({ id, enabled });
      }
      expect((await rule({ name: 'switched' })).status).to.equal(400);
      await stage.request('DELETE', `drift_alert_rules/${id}/`);
    });

    it('send a mail when the threshold is reached, and are silent while they cool down', async () => {
      const { id } = (await rule({ name: 'Kernels', categories: ['kernel'], threshold_count: 2, host_filter: 'db?' }))
        .body;
      const host = await drifted('db1', { kernel: 1, other: 1 }, { kernel: 2, other: 2 });
      await drifted('web1', { kernel: 1 }, { kernel: 2 }, { kernel: 3 });
      expect(await alertsOf(id)).to.deep.equal([]);
      await stage.change(host, { kernel: 3, other: 3 });
      const [alert] = await alertsOf(id);
      expect(alert).to.include({ host, alert_rule: id, drift_count: 2 });
      expect(alert.summary).to.equal('Kernels: 2 changes on db1, critical at worst (kernel)');
      await until(async () => (await alertsOf(id))[0].notification_status === 'sent');
      const told = mail.mails.find(({ text }) => text.includes('Kernels'))!;
      expect(told.to).to.deep.equal(['ops@example.com']);
      expect(told.text.replaceAll('=\r\n', '')).to.include('2 changes on db1');
      await stage.change(host, { kernel: 4, other: 4 });
      expect(await alertsOf(id)).to.have.length(1);
      // the hour is over; what changed in it still counts, but not alone
      await stage.services.db('plugin_drift.alerts').update({ created: new Date(Date.now() - 3_700_000) });
      await stage.change(host, { kernel: 4, other: 5 });
      expect(await alertsOf(id)).to.have.length(1);
      await stage.change(host, { kernel: 5, other: 5 });
      expect((await alertsOf(id)).map(({ drift_count: count }) => count)).to.deep.equal([2, 4]);
      await stage.request('DELETE', `drift_alert_rules/${id}/`);
      expect((await stage.all(`drift_alerts/?host=${host}`)).map(({ alert_rule: of }) => of)).to.deep.equal([
        null,
        null,
      ]);
    });

    it('tell of all hosts that drifted together in one message', async () => {
      const { id } = (await rule({ name: 'Together', host_filter: 'many*' })).body;
      const hosts = [await drifted('many1', { kernel: 1 }), await drifted('many2', { kernel: 1 })];
      const run = await stage.run();
      const found = [];
      for (const host of hosts) found.push({ host_id: host, ...(await stage.learn(run, host, { kernel: 2 })) });
      await stage.tell(run, found);
      await until(async () => {
        const alerts = await alertsOf(id);
        return alerts.length === 2 && alerts.every((alert) => alert.notification_status === 'sent');
      });
      const mails = mail.mails.filter(({ text }) => text.includes('Together'));
      expect(mails).to.have.length(1);
      expect(mails[0]!.text).to.include('many1').and.to.include('many2').and.to.include('alerts of 2 hosts');
      await stage.request('DELETE', `drift_alert_rules/${id}/`);
    });

    it('tell what they would have done, on or off, and send nothing', async () => {
      const { id } = (await rule({ enabled: false, threshold_count: 2, host_filter: 'before*', cooldown_minutes: 0 }))
        .body;
      const host = await drifted('before1', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 3, b: 1 }, { a: 4, b: 4 });
      const mails = mail.mails.length;
      const { body, status } = await stage.get(`drift_alert_rules/${id}/preview/`);
      expect(status).to.equal(200);
      expect(body).to.include({ days: 7, count: 2, complete: true });
      expect(body.results.map((one: any) => [one.host, one.host_name, one.drift_count])).to.deep.equal([
        [host, 'before1', 2],
        [host, 'before1', 4],
      ]);
      for (const days of ['91', '0', '-1', '1.5', 'x', ''])
        expect((await stage.get(`drift_alert_rules/${id}/preview/?days=${days}`)).body, days).to.have.property('days');
      // more than is looked at, all of it on a host that the rule is not about
      const noise = await stage.host('noise');
      const { db } = stage.services;
      await db.raw(
        `insert into plugin_drift.detections (host_id, inventory_id, organization_id, category, severity, fact_path, diff_type, attribution, summary, detail, created)
         select ?, ?, 1, 'other', 'low', 'a', 'changed', 'expected', '', '{}', now() - make_interval(hours => 1, secs => n) from generate_series(1, 50001) n`,
        [noise, stage.inventory],
      );
      const cut = (await stage.get(`drift_alert_rules/${id}/preview/`)).body;
      expect(cut).to.include({ complete: false, count: 2 });
      await db('plugin_drift.detections').where({ host_id: noise }).delete();
      expect((await stage.get(`drift_alert_rules/${id}/preview/`, ann)).status).to.equal(404);
      expect(mail.mails.length).to.equal(mails);
      await stage.request('DELETE', `drift_alert_rules/${id}/`);
    });

    it('count what lies in the window, is severe enough, and of their inventory', async () => {
      const inventory = (await stage.post('inventories/', { name: 'apart', organization: 1 })).body.id;
      const apart = (await rule({ inventory, cooldown_minutes: 0 })).body.id;
      const severe = (await rule({ severity_min: 'high', threshold_count: 2, cooldown_minutes: 0 })).body.id;
      const off = (await rule({ enabled: false })).body.id;
      const host = await drifted('counted', { kernel: 1, a: 1 }, { kernel: 2, a: 2 });
      await stage.services.db('plugin_drift.detections').update({ created: new Date(Date.now() - 3_700_000) });
      await stage.change(host, { kernel: 3, a: 3 });
      expect(await alertsOf(severe)).to.deep.equal([]);
      await stage.change(host, { kernel: 4, a: 4 });
      expect((await alertsOf(severe)).map(({ drift_count: count }) => count)).to.deep.equal([2]);
      expect([...(await alertsOf(apart)), ...(await alertsOf(off))]).to.deep.equal([]);
      for (const id of [apart, severe, off]) await stage.request('DELETE', `drift_alert_rules/${id}/`);
    });

    it('say why nobody was told: no server, no template', async () => {
      const there = await httpTarget();
      there.answer = () => ({ status: 404 });
      const nobody = (
        await stage.post('notification_templates/', {
          name: 'nobody',
          organization: 1,
          notification_type: 'webhook',
          notification_configuration: { url: there.url, headers: {}, http_method: 'POST' },
        })
      ).body.id;
      const { id } = (await rule({ host_filter: 'unheard', notification_template: nobody, cooldown_minutes: 0 })).body;
      const host = await drifted('unheard', { kernel: 1 }, { kernel: 2 });
      const [failed] = await until(async () => {
        const alerts = await alertsOf(id);
        return alerts[0]?.notification_status === 'failed' ? alerts : undefined;
      }, 60_000);
      expect(failed.notification_error).to.include('404');
      await there.stop();
      expect((await stage.request('DELETE', `notification_templates/${nobody}/`)).status).to.equal(204);
      await stage.change(host, { kernel: 3 });
      const [, gone] = await until(async () => {
        const alerts = await alertsOf(id);
        return alerts[1]?.notification_status === 'failed' ? alerts : undefined;
      });
      expect(gone.notification_error).to.equal('The notification template of the rule is gone.');
    });
  });

  describe('cleaned up', () => {
    it('keep the newest snapshot of each host and those of drift that nobody acknowledged', async () => {
      const host = await drifted('old', { kernel: 1 }, { kernel: 2 }, { kernel: 3 }, { kernel: 4 });
      const { db } = stage.services;
      const ids = (await stage.all(`fact_snapshots/?host=${host}&order_by=id`)).map(({ id }) => id);
      const left = async () => (await stage.all(`fact_snapshots/?host=${host}&order_by=id`)).map(({ id }) => id);
      await db('plugin_drift.snapshots')
        .where({ host_id: host })
        .update({ captured_at: new Date(Date.now() - 91 * 86_400_000) });
      await cleaned();
      expect(await left()).to.deep.equal(ids);
      const [last] = await stage.all(`drift_detections/?host=${host}`);
      await stage.post(`drift_detections/acknowledge/?host=${host}&not__id=${last.id}`, { up_to: last.id });
      await cleaned();
      expect(await left()).to.deep.equal(ids.slice(2));
      const oldest = (await stage.all(`drift_detections/?host=${host}&order_by=id`))[0];
      expect([oldest.snapshot_before, oldest.detail.before]).to.deep.equal([null, 1]);
      await stage.post(`drift_detections/${last.id}/acknowledge/`);
      expect(
        (await stage.request('PATCH', 'settings/drift/', { body: { FACT_SNAPSHOT_RETENTION_DAYS: 0 } })).status,
      ).to.equal(200);
      await cleaned();
      expect(await left()).to.deep.equal(ids.slice(2));
      await stage.request('PATCH', 'settings/drift/', { body: { FACT_SNAPSHOT_RETENTION_DAYS: 1 } });
      await cleaned();
      expect(await left()).to.deep.equal(ids.slice(3));
      expect(await db('plugin_drift.bases').where({ host_id: host })).to.have.length(1);
    });

    it('go in portions, past many that stay', async () => {
      const { db } = stage.services;
      const host = await stage.host('portions');
      await db.raw(
        `insert into plugin_drift.bases (id, host_id, content) select 1000000 + n, :host, '' from generate_series(1, 2100) n`,
        { host },
      );
      // half of them at one time, the others microseconds apart; the last is the newest
      await db.raw(
        `insert into plugin_drift.snapshots (host_id, inventory_id, organization_id, captured_at, facts_hash, source_hash, size, content, base_id)
         select :host, :inventory, 1, '2020-01-01'::timestamptz + greatest(n - 1050, 0) * interval '1 microsecond', '', '', 1, '', 1000000 + n
         from generate_series(1, 2100) n`,
        { host, inventory: stage.inventory },
      );
      const old = await db('plugin_drift.snapshots').where({ host_id: host }).orderBy('id').pluck('id');
      const stay = old.filter((_, at) => at % 7 !== 3 || at === old.length - 1);
      await db.raw(
        `insert into plugin_drift.detections (host_id, inventory_id, organization_id, snapshot_after_id, category, severity, fact_path, diff_type, attribution, summary, detail)
         select :host, :inventory, 1, id, 'other', 'low', 'a', 'changed', 'expected', '', '{}' from unnest(:stay::bigint[]) id`,
        { host, inventory: stage.inventory, stay },
      );
      let portions = 0;
      const count = ({ sql }: { sql: string }) => void (sql.includes('portion as materialized') && portions++);
      db.on('query', count);
      await cleaned();
      db.off('query', count);
      // three thousands or less of each, and an end; a portion that began where the one before began would take hundreds
      expect(portions).to.be.within(8, 10);
      const left = await db('plugin_drift.snapshots').where({ host_id: host }).orderBy('id').pluck('id');
      expect(left).to.deep.equal(stay);
      expect(await db('plugin_drift.bases').where({ host_id: host })).to.have.length(stay.length);
      expect((await stage.request('DELETE', `hosts/${host}/`)).status).to.equal(204);
    });

    it('end with drift that was acknowledged and with alerts, where a setting says so and no rule looks back', async () => {
      const { db } = stage.services;
      const { id } = (await rule({ name: 'old', host_filter: 'ended', cooldown_minutes: 525_600 })).body;
      const host = await drifted('ended', { kernel: 1 }, { kernel: 2 }, { kernel: 3 });
      const [last, first] = await stage.all(`drift_detections/?host=${host}`);
      await stage.post(`drift_detections/${first.id}/acknowledge/`);
      const ago = (days: number) => ({ created: new Date(Date.now() - days * 86_400_000) });
      const aged = async (days: number) => {
        await db('plugin_drift.detections').where({ host_id: host }).update(ago(days));
        await db('plugin_drift.alerts').where({ alert_rule_id: id }).update(ago(days));
      };
      const left = async () => [
        (await stage.all(`drift_detections/?host=${host}`)).map((one) => one.id),
        (await alertsOf(id)).length,
      ];
      const keep = (days: number) =>
        stage.request('PATCH', 'settings/drift/', { body: { DRIFT_RETENTION_DAYS: days } });
      await aged(300);
      await cleaned();
      expect(await left(), 'nothing says so').to.deep.equal([[last.id, first.id], 1]);
      expect((await keep(30)).status).to.equal(200);
      await cleaned();
      expect(await left(), 'the rule is still silent').to.deep.equal([[last.id, first.id], 1]);
      await aged(366);
      await cleaned();
      expect(await left()).to.deep.equal([[last.id], 0]);
      await keep(0);
      await stage.request('DELETE', `drift_alert_rules/${id}/`);
    });
  });

  describe('against a baseline', () => {
    it('tell how a host differs from the snapshot that is pinned to it, or to its group', async () => {
      const golden = await drifted('pinned-golden', { kernel: 1, a: 1 });
      const host = await drifted('pinned', { kernel: 1, a: 1 }, { kernel: 2, a: 1 });
      const [, first] = await stage.all(`fact_snapshots/?host=${host}`);
      const [ofGolden] = await stage.all(`fact_snapshots/?host=${golden}`);
      const path = `hosts/${host}/`;
      const differs = async () => (await stage.get(`${path}baseline_drift/`)).body;
      expect((await stage.get(`${path}baseline_drift/`)).status).to.equal(404);
      const { body: group } = await stage.post('groups/', { name: 'pinned-group', inventory: stage.inventory });
      await stage.post(`groups/${group.id}/hosts/`, { id: host });
      const pin = (where: string, id: number | null) => stage.request('PATCH', where, { body: { drift_baseline: id } });
      const pinned = await pin(`groups/${group.id}/`, ofGolden.id);
      expect(pinned.body.drift_baseline, pinned.text).to.equal(ofGolden.id);
      expect(await differs()).to.include({ same_host: false, count: 1 });
      // a group above counts as well, and less than a nearer one
      const { body: parent } = await stage.post('groups/', { name: 'a-pinned-parent', inventory: stage.inventory });
      await stage.post(`groups/${parent.id}/children/`, { id: group.id });
      await pin(`groups/${parent.id}/`, first.id);
      expect(await differs()).to.include({ same_host: false });
      await pin(`groups/${group.id}/`, null);
      expect(await differs()).to.include({ same_host: true, count: 1 });
      expect((await pin(path, first.id)).body.drift_baseline).to.equal(first.id);
      expect((await differs()).differences[0].summary).to.equal('kernel changed from 1 to 2');
      expect((await differs()).snapshot_a.id).to.equal(first.id);
      expect((await pin(path, 999_999)).status).to.equal(400);
      const { db } = stage.services;
      const { newest } = (await stage.get(`drift_detections/summary/?host=${host}`)).body;
      await stage.post(`drift_detections/acknowledge/?host=${host}`, { up_to: newest });
      await db('plugin_drift.snapshots').update({ captured_at: new Date(Date.now() - 91 * 86_400_000) });
      await cleaned();
      expect(await stage.all(`fact_snapshots/?host=${host}`)).to.have.length(2);
    });

    it('list hosts that differ from what most of their group have', async () => {
      const { body: group } = await stage.post('groups/', { name: 'alike', inventory: stage.inventory });
      const hosts = [];
      for (const [n, kernel] of [1, 1, 1, 2].entries())
        hosts.push(
          await drifted(`alike${n}`, {
            kernel,
            ansible_hostname: n,
            ansible_date_time: n,
            ...(n === 0 && { motd: 1 }),
          }),
        );
      for (const id of hosts) await stage.post(`groups/${group.id}/hosts/`, { id });
      const { body: parent } = await stage.post('groups/', { name: 'all-alike', inventory: stage.inventory });
      await stage.post(`groups/${parent.id}/children/`, { id: group.id });
      const { body } = await stage.get(`groups/${parent.id}/drift_outliers/`);
      expect((await stage.get(`groups/${group.id}/drift_outliers/`)).body).to.deep.equal(body);
      expect(body).to.include({ count: 2, hosts: 4, complete: true });
      const other = { category: 'other', severity: 'low', alike: 3 };
      expect(body.results.map(({ host, facts }: any) => [host, facts])).to.deep.equal([
        [hosts[0], [{ fact_path: 'motd', ...other }]],
        [hosts[3], [{ fact_path: 'kernel', category: 'kernel', severity: 'critical', alike: 3 }]],
      ]);
    });

    it('list them out of all hosts of a large group, as many as one can read', async () => {
      const { body: group } = await stage.post('groups/', { name: 'large', inventory: stage.inventory });
      const { db } = stage.services;
      for (const [kernel, times] of [
        [1, 600],
        [2, 510],
      ] as const) {
        const like = await drifted(`large-${kernel}`, { kernel });
        await db.raw(
          `with made as (
             insert into hosts (name, inventory_id) select 'large-' || :like || '-' || n, :inventory from generate_series(1, :times::int) n returning id
           ), members as (insert into group_hosts (group_id, host_id) select :group, id from made)
           insert into plugin_drift.snapshots (host_id, inventory_id, facts_hash, source_hash, size, content, base_id)
           select made.id, s.inventory_id, s.facts_hash, s.source_hash, s.size, s.content, s.base_id
           from made, plugin_drift.snapshots s where s.host_id = :like`,
          { like, times, group: group.id, inventory: stage.inventory },
        );
      }
      const { body } = await stage.get(`groups/${group.id}/drift_outliers/`);
      expect(body).to.include({ count: 510, hosts: 1110, complete: false });
      expect(body.results).to.have.length(500);
      expect(body.results.every(({ facts }: any) => facts[0].alike === 600)).to.equal(true);
    });
  });

  describe('by settings', () => {
    it('leave facts out that somebody does not want to hear of, and weigh others', async () => {
      for (const [key, value] of [
        ['DRIFT_SEVERITIES', { kernel: 'worst' }],
        ['DRIFT_IGNORED_FACTS', [1]],
      ] as const)
        expect((await stage.request('PATCH', 'settings/drift/', { body: { [key]: value } })).status).to.equal(400);
      const body = { DRIFT_SEVERITIES: { load: 'high' }, DRIFT_IGNORED_FACTS: ['noise'] };
      expect((await stage.request('PATCH', 'settings/drift/', { body })).status).to.equal(200);
      const host = await drifted('set', { load: 1, noise: 1 }, { load: 2, noise: 2 });
      const found = await stage.all(`drift_detections/?host=${host}`);
      expect(found.map(({ fact_path: path, severity }) => [path, severity])).to.deep.equal([['load', 'high']]);
    });
  });
});
