import { expect } from 'chai';
import { until } from '../../../test/support/until.ts';
import { limitProblemOf } from '../remediate/limit.ts';
import { type DriftStage, startDrift } from './stage.ts';

const ann = { auth: 'ann:Ann-has-1-secret' };
const local = 'ansible_connection: local\nansible_python_interpreter: "{{ ansible_playbook_python }}"\n';

describe('what puts drift right', function () {
  this.timeout(600_000);
  let stage: DriftStage;
  let asking: number;
  let user: number;
  let host: number;
  let drift: number;

  before(async () => {
    stage = await startDrift();
    user = (await stage.post('users/', { username: 'ann', password: 'Ann-has-1-secret' })).body.id;
    asking = await stage.template({ ask_limit_on_launch: true });
    ({ host, drift } = await drifted('web-1'));
  });
  after(() => stage?.stop());

  async function drifted(name: string) {
    const made = await stage.post('hosts/', { name, inventory: stage.inventory, variables: local });
    for (const kernel of [1, 2]) await stage.change(made.body.id, { kernel });
    const [{ id }] = await stage.all(`drift_detections/?host=${made.body.id}`);
    return { host: made.body.id as number, drift: id as number };
  }
  const remedy = (id: number, body: object = {}, options = {}) =>
    stage.post(`drift_detections/${id}/remediate/`, body, options);
  const shown = async (id: number) => (await stage.get(`drift_detections/${id}/`)).body;
  const grant = async (path: string, role: string) => {
    const { results } = (await stage.get(`${path}/object_roles/?role_field=${role}`)).body;
    expect((await stage.post(`users/${user}/roles/`, { id: results[0].id })).status).to.equal(204);
  };

  it('is launched for that host alone, once while it runs, and what became of it is noted', async () => {
    expect(await shown(drift)).to.include({ remediation_job: null, remediation_status: '' });
    const body = { job_template: asking };
    const both = await Promise.all([remedy(drift, body), remedy(drift, body)]);
    const run = both.find(({ status }) => status === 201)!.body.job;
    // asked twice by one is asked once
    for (const { status, body: told } of both)
      expect([status, told.job ?? told.detail]).to.be.deep.oneOf([
        [201, run],
        [409, `Run ${run} for it is under way.`],
      ]);
    const { limit, event_processing_finished: _one, ...job } = await stage.ended(run);
    expect([limit, job.status, job.inventory]).to.deep.equal(['web-1', 'successful', stage.inventory]);
    const summaries = await stage.all(`jobs/${run}/job_host_summaries/`);
    expect(summaries.map(({ host: of }) => of)).to.deep.equal([host]);
    await until(async () => (await shown(drift)).remediation_status === 'successful', 30_000);
    expect((await stage.get(`jobs/?job_template=${asking}`)).body.count).to.equal(1);
    expect((await stage.request('DELETE', `jobs/${run}/`)).status).to.equal(204);
    expect(await shown(drift)).to.include({ remediation_job: null, remediation_status: 'successful' });
  });

  it('is refused while a run for it is under way, and launched once under one key', async () => {
    const { db } = stage.services;
    const body = { job_template: asking };
    const key = { headers: { 'Idempotency-Key': 'mend web-1' } };
    const held = await stage.run();
    await db('runs').where({ id: held }).update({ finished: null });
    await db('plugin_drift.detections').where({ id: drift }).update({ remediation_job_id: held });
    const refused = await remedy(drift, body, key);
    expect([refused.status, refused.body.detail]).to.deep.equal([409, `Run ${held} for it is under way.`]);
    await db('runs').where({ id: held }).delete();
    // a key that launched nothing is free
    const again = await remedy(drift, body, key);
    expect(again.status, again.text).to.equal(201);
    const replayed = await remedy(drift, body, key);
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
    expect(replayed.body).to.deep.equal(again.body);
    expect((await remedy(drift, {}, key)).status).to.equal(422);
    await stage.ended(again.body.job);
    expect(await shown(drift)).to.include({ remediation_job: again.body.job });
    expect((await stage.request('DELETE', `jobs/${again.body.job}/`)).status).to.equal(204);
  });

  it('is launched once however many ask at once, and the others are told by which run', async () => {
    const { drift: shared } = await drifted('web-shared');
    const others = await Promise.all(
      ['bob', 'cid', 'dan'].map(async (username) => {
        const password = 'Has-1-secret-too';
        await stage.post('users/', { username, password, is_superuser: true });
        return { auth: `${username}:${password}` };
      }),
    );
    const other = await stage.template({ ask_limit_on_launch: true });
    const answers = await Promise.all([
      ...others.map((who) => remedy(shared, { job_template: asking }, who)),
      remedy(shared, { job_template: other }),
    ]);
    const { remediation_job: run } = await shown(shared);
    const told = answers.map(({ status, body }) => [status, body.job ?? body.detail]);
    expect(told.filter(([status]) => status === 201)).to.deep.equal([[201, run]]);
    for (const one of told)
      expect(one).to.be.deep.oneOf([
        [201, run],
        [409, `Run ${run} for it is under way.`],
      ]);
    await stage.ended(run);
    const count = async (id: number) => (await stage.get(`jobs/?job_template=${id}`)).body.count;
    expect((await count(asking)) + (await count(other))).to.equal(1);
    await stage.request('DELETE', `jobs/${run}/`);
  });

  it('goes on where the process died between the launch and its record', async () => {
    const { drift: lost } = await drifted('web-lost');
    const first = (await remedy(lost, { job_template: asking })).body.job;
    await stage.ended(first);
    const forgotten = { remediation_job_id: null, remediation_status: '', remediations: 0 };
    await stage.services.db('plugin_drift.detections').where({ id: lost }).update(forgotten);
    const { status, body } = await remedy(lost, { job_template: asking });
    expect([status, body.job]).to.deep.equal([201, first]);
    expect(await shown(lost)).to.include({ remediation_job: first, remediation_status: 'successful' });
    const next = await remedy(lost, { job_template: asking });
    expect(next.status).to.equal(201);
    expect(next.body.job).to.be.greaterThan(first);
    await stage.ended(next.body.job);
    for (const run of [first, next.body.job]) await stage.request('DELETE', `jobs/${run}/`);
  });

  it('is what a rule names where nobody names another, and is noted when it fails', async () => {
    const refused = await remedy(drift);
    expect([refused.status, Object.keys(refused.body)]).to.deep.equal([400, ['job_template']]);
    const failing = await stage.template({ ask_limit_on_launch: true, playbook: 'failing.yml' });
    const bad = (await stage.get('hosts/?name=bad')).body.results[0].id;
    for (const kernel of [1, 2]) await stage.change(bad, { kernel });
    const [{ id }] = await stage.all(`drift_detections/?host=${bad}`);
    const nobody = await stage.post('notification_templates/', {
      name: 'nobody',
      organization: 1,
      notification_type: 'webhook',
      notification_configuration: { url: 'https://hooks.example.com/', headers: {}, http_method: 'POST' },
    });
    const common = { organization: 1, notification_template: nobody.body.id };
    for (const [name, more] of Object.entries({
      'of others': { host_filter: 'web*', remediation_template: asking },
      'of packages': { categories: ['packages'], remediation_template: asking },
      off: { enabled: false, remediation_template: asking },
      'without one': {},
      right: { categories: ['kernel'], host_filter: 'ba?', remediation_template: failing },
    }))
      expect((await stage.post('drift_alert_rules/', { ...common, name, ...more })).status).to.equal(201);
    const { status, body, text } = await remedy(id);
    expect(status, text).to.equal(201);
    expect((await stage.ended(body.job)).job_template).to.equal(failing);
    await until(async () => (await shown(id)).remediation_status === 'failed', 30_000);
    // a template that is deleted under its rule is named by it no more
    expect((await stage.request('DELETE', `job_templates/${failing}/`)).status).to.equal(204);
    expect((await remedy(id)).status).to.equal(400);
  });

  it('is refused where it would reach other hosts', async () => {
    const silent = await stage.template();
    const inventory = (await stage.post('inventories/', { name: 'elsewhere', organization: 1 })).body.id;
    const elsewhere = await stage.template({ inventory, ask_limit_on_launch: true });
    for (const job_template of [silent, elsewhere, 999_999, 'x', -1]) {
      const { status, body } = await remedy(drift, { job_template });
      expect([status, Object.keys(body)], String(job_template)).to.deep.equal([400, ['job_template']]);
    }
    for (const name of ['a:b', '*', '!x', '&x', '~x', '@file', 'a,b', 'web[1]', 'a b', '-x', 'all', 'group', ''])
      expect(limitProblemOf(name, new Set(['group'])), name).to.be.a('string');
    for (const name of ['web-1', 'db.example.com', '10.0.0.1', 'größe_2'])
      expect(limitProblemOf(name, new Set(['group'])), name).to.equal(undefined);
    expect((await stage.get(`jobs/?job_template=${asking}`)).body.count).to.equal(0);
  });

  it('takes the rights of who asks for it', async () => {
    const { drift: other, host: of } = await drifted('web-2');
    const ask = async () => (await remedy(other, { job_template: asking }, ann)).status;
    expect(await ask()).to.equal(404);
    await grant(`inventories/${stage.inventory}`, 'read_role');
    // a template that one does not see is none
    expect(await ask()).to.equal(400);
    const { summary_fields: told } = (await stage.get(`drift_detections/${other}/`, ann)).body;
    expect(told.user_capabilities).to.include({ remediate: true, acknowledge: false });
    await grant(`job_templates/${asking}`, 'read_role');
    expect(await ask()).to.equal(403);
    expect(await shown(other)).to.include({ remediation_job: null, remediation_status: '' });
    await grant(`job_templates/${asking}`, 'execute_role');
    await stage.request('PATCH', `hosts/${of}/`, { body: { enabled: false } });
    expect(await ask()).to.equal(400);
    await stage.request('PATCH', `hosts/${of}/`, { body: { enabled: true } });
    expect(await ask()).to.equal(201);
    await stage.ended((await shown(other)).remediation_job);
  });
});
