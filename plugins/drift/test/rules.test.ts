import { expect } from 'chai';
import { type MailTarget, mailTarget } from '../../../test/notifications/servers.ts';
import { until } from '../../../test/support/until.ts';
import { type DriftStage, startDrift } from './stage.ts';

const groupSeconds = 6;

describe('rules about drift', function () {
  this.timeout(600_000);
  let stage: DriftStage;
  let mail: MailTarget;
  let template: number;

  before(async () => {
    mail = await mailTarget();
    stage = await startDrift({
      TAPLINE_DRIFT_ALERT_GROUP_SECONDS: String(groupSeconds),
      TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '["127.0.0.1"]',
    });
    template = await stage.mailTemplate(mail.port);
  });
  after(async () => {
    await stage?.stop();
    await mail?.stop();
  });

  async function made(path: string, body: object): Promise<number> {
    const answer = await stage.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id;
  }
  const rule = (name: string, more: object = {}) =>
    made('drift_alert_rules/', { name, organization: 1, notification_template: template, ...more });
  const drop = (id: number) => stage.request('DELETE', `drift_alert_rules/${id}/`);
  const alertsOf = (id: number) => stage.all(`drift_alerts/?alert_rule=${id}&order_by=id`);
  const drifted: DriftStage['drifted'] = (...given) => stage.drifted(...given);

  it('gather their alerts for a while, and tell of them in one message', async () => {
    const id = await rule('Gathered', { host_filter: 'gathered-*' });
    const hosts = [await stage.host('gathered-1'), await stage.host('gathered-2')];
    for (const host of hosts) await stage.change(host, { kernel: 1 });
    for (const host of hosts) await stage.change(host, { kernel: 2 });
    const alerts = await alertsOf(id);
    expect(alerts.map((one) => [one.host, one.notification_status])).to.deep.equal(
      hosts.map((one) => [one, 'pending']),
    );
    expect(Date.parse(alerts[1].created), 'two tasks').to.be.greaterThan(Date.parse(alerts[0].created));
    const sent = await until(async () => {
      const found = await alertsOf(id);
      return found.every((one) => one.notification_status === 'sent') ? found : undefined;
    }, 60_000);
    expect(sent[0].notification).to.equal(sent[1].notification);
    const told = mail.mails.filter(({ text }) => text.includes('Gathered'));
    expect(told).to.have.length(1);
    const { created } = (await stage.get(`notifications/${sent[0].notification}/`)).body;
    expect(Date.parse(created) - Date.parse(alerts[0].created)).to.be.at.least(groupSeconds * 1000);
    await drop(id);
  });

  it('are silent about the host alone of which they told', async () => {
    const id = await rule('Cooling', { host_filter: 'cooling-*' });
    const one = await drifted('cooling-1', { kernel: 1 }, { kernel: 2 });
    const other = await drifted('cooling-2', { kernel: 1 }, { kernel: 2 });
    for (const host of [one, other]) await stage.change(host, { kernel: 3 });
    expect((await alertsOf(id)).map(({ host }) => host)).to.deep.equal([one, other]);
    await drop(id);
  });

  it('are about hosts that are in their inventory, of whatever kind it is, and would have been', async () => {
    const inventory = (body: object) => made('inventories/', { organization: 1, ...body });
    const [smart, none] = [
      await inventory({ name: 'smart', kind: 'smart', host_filter: 'name__startswith=kind-' }),
      await inventory({ name: 'none', kind: 'smart', host_filter: 'name=nobody' }),
    ];
    const [constructed, federated, empty] = [
      await inventory({ name: 'constructed', kind: 'constructed' }),
      await inventory({ name: 'federated', kind: 'federated' }),
      await inventory({ name: 'empty', kind: 'federated' }),
    ];
    const host = await stage.host('kind-1');
    for (const maker of [constructed, federated])
      expect((await stage.post(`inventories/${maker}/input_inventories/`, { id: stage.inventory })).status).to.equal(
        204,
      );
    // as its update would make it
    await stage.services.db('hosts').insert({ name: 'kind-1', inventory_id: constructed, instance_id: String(host) });
    const remedy = await stage.template({ ask_limit_on_launch: true });
    const rules: Record<string, number> = {};
    for (const [name, of] of Object.entries({ none, empty, smart, constructed, federated, plain: stage.inventory }))
      rules[name] = await rule(name, { inventory: of, host_filter: 'kind-*', remediation_template: remedy });
    for (const kernel of [1, 2]) await stage.change(host, { kernel });
    const fired = async (name: string) => (await alertsOf(rules[name]!)).map((one) => one.host);
    const would = async (name: string) =>
      (await stage.get(`drift_alert_rules/${rules[name]}/preview/`)).body.results.map((one: any) => one.host);
    for (const name of ['smart', 'constructed', 'federated', 'plain']) {
      expect(await fired(name), name).to.deep.equal([host]);
      expect(await would(name), name).to.deep.equal([host]);
    }
    for (const name of ['none', 'empty']) {
      expect(await fired(name), name).to.deep.equal([]);
      expect(await would(name), name).to.deep.equal([]);
    }
    const [{ id }] = await stage.all(`drift_detections/?host=${host}`);
    const put = async () => (await stage.post(`drift_detections/${id}/remediate/`, {})).status;
    for (const name of ['federated', 'plain', 'constructed']) await drop(rules[name]!);
    await stage.request('PATCH', `inventories/${smart}/`, { body: { host_filter: 'name=nobody' } });
    expect(await put(), 'no rule is about it any more').to.equal(400);
    await stage.request('PATCH', `inventories/${smart}/`, { body: { host_filter: 'name=kind-1' } });
    expect(await put()).to.equal(201);
    for (const name of ['smart', 'none', 'empty']) await drop(rules[name]!);
  });

  it('are changed in part, and what is wrong with that is said', async () => {
    const id = await rule('Changed', { categories: ['kernel'], threshold_count: 2, host_filter: 'changed' });
    const patch = (body: object) => stage.request('PATCH', `drift_alert_rules/${id}/`, { body });
    const { status, body } = await patch({ threshold_count: 1, severity_min: 'high' });
    expect([status, body.threshold_count, body.severity_min, body.categories, body.host_filter]).to.deep.equal([
      200,
      1,
      'high',
      ['kernel'],
      'changed',
    ]);
    const foreign = await made('organizations/', { name: 'Elsewhere' });
    for (const [wrong, named] of [
      [{ categories: ['colour'] }, 'categories'],
      [{ severity_min: 'worst' }, 'severity_min'],
      [{ notification_template: null }, 'notification_template'],
      [{ organization: null }, 'organization'],
      [{ inventory: await made('inventories/', { name: 'foreign', organization: foreign }) }, 'inventory'],
    ] as const) {
      const refused = await patch(wrong);
      expect([refused.status, Object.keys(refused.body)], JSON.stringify(wrong)).to.deep.equal([400, [named]]);
    }
    await drifted('changed', { kernel: 1, services: 1 }, { kernel: 2, services: 2 });
    expect((await alertsOf(id)).map((one) => one.drift_count)).to.deep.equal([1]);
    await drop(id);
  });

  it('that are deleted tell nobody of what is pending, and their alerts say so', async () => {
    const id = await rule('Deleted', { host_filter: 'deleted' });
    const host = await drifted('deleted', { kernel: 1 }, { kernel: 2 });
    expect((await alertsOf(id)).map((one) => one.notification_status)).to.deep.equal(['pending']);
    expect((await drop(id)).status).to.equal(204);
    const [alert] = await stage.all(`drift_alerts/?host=${host}`);
    expect([alert.alert_rule, alert.notification_status, alert.notification_error]).to.deep.equal([
      null,
      'failed',
      'The rule was deleted before anybody was told.',
    ]);
  });

  describe('have alerts', () => {
    let id: number;
    let alert: any;

    before(async () => {
      id = await rule('Kept', { host_filter: 'kept' });
      await drifted('kept', { kernel: 1 }, { kernel: 2 });
      [alert] = await alertsOf(id);
    });

    it('which nobody changes', async () => {
      const path = `drift_alerts/${alert.id}/`;
      for (const [method, target] of [
        ['PATCH', path],
        ['PUT', path],
        ['DELETE', path],
        ['POST', path],
        ['POST', 'drift_alerts/'],
      ] as const) {
        const { status } = await stage.request(method, target, {
          body: { summary: 'other', notification_status: 'sent' },
        });
        expect(status, `${method} ${target}`).to.equal(405);
      }
      expect((await alertsOf(id)).map(({ summary }) => summary)).to.deep.equal([alert.summary]);
    });

    it('which are found by what became of their message, and fail where nothing is heard of it for a day', async () => {
      const found = async (status: string) =>
        (await stage.all(`drift_alerts/?alert_rule=${id}&notification_status=${status}`)).map((one) => one.id);
      await until(async () => (await found('sent')).length === 1, 60_000);
      expect([await found('pending'), await found('failed')]).to.deep.equal([[], []]);
      const { db, queue } = stage.services;
      const cleaned = async () => {
        await queue.addTasks(db, [{ name: 'drift:clean-up', payload: {} }]);
        await until(async () => !(await db('tapline_jobs.jobs').where({ task_identifier: 'drift:clean-up' }).first()));
      };
      const unheard = (hours: number) =>
        db('plugin_drift.alerts')
          .where({ id: alert.id })
          .update({ notification_status: 'pending', created: new Date(Date.now() - hours * 3_600_000) });
      await unheard(23);
      await cleaned();
      expect(await found('pending')).to.deep.equal([alert.id]);
      await unheard(25);
      await cleaned();
      expect(await found('failed')).to.deep.equal([alert.id]);
      const [{ notification_error: error }] = await alertsOf(id);
      expect(error).to.equal('Nothing was heard of its notification.');
    });
  });
});
