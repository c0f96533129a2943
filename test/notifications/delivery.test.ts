import { points, type NotificationOutcome, type PluginApi, type Task, z } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { noteApproval } from '../../core/notifications/follow.ts';
import { masking } from '../../core/notifications/records.ts';
import { startStage, type Stage } from '../launch/fixture.ts';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';
import { garbageTarget, type HttpTarget, httpTarget } from './servers.ts';

/** Word of runs: who is told what, and what becomes of it when the target is slow, away or talks nonsense. */
describe('word of runs', () => {
  let stage: Stage;
  let http: HttpTarget;
  let organization: number;
  let api: PluginApi;
  let task: Task<NotificationOutcome>;
  const outcomes: NotificationOutcome[] = [];
  const pigeons: { subject: string; body: string; configuration: Record<string, unknown> }[] = [];
  let made = 0;

  before(async () => {
    const loft = testPlugin('loft', (given) => {
      api = given;
      given.offer(points.notificationKind, {
        kind: 'pigeon',
        label: 'Pigeon',
        recipients: 'loft',
        fields: { loft: { label: 'Loft', type: 'string' }, ring: { label: 'Ring', type: 'password' } },
        send: ({ configuration, subject, body }) => void pigeons.push({ configuration, subject, body }),
      });
      given.offer(points.notificationKind, {
        kind: 'wall',
        fields: {},
        send() {
          // oxlint-disable-next-line unicorn/error-message
          throw new Error('');
        },
      });
      task = given.task('told', { schema: z.custom<NotificationOutcome>() }, async (outcome) => {
        outcomes.push(outcome);
      });
    });
    stage = await startStage({}, [loft]);
    http = await httpTarget();
    organization = (await stage.get('organizations/')).body.results[0].id;
    await stage.request('PATCH', '/api/v2/settings/system/', { body: { OUTBOUND_ALLOWED_NETWORKS: ['127.0.0.1'] } });
  });
  after(async () => {
    await stage?.stop();
    await http?.stop();
  });
  beforeEach(() => {
    http.answer = () => ({});
    http.seen.length = 0;
  });

  async function template(path: string, more: object = {}): Promise<number> {
    const body = {
      name: `n${(made += 1)}`,
      organization,
      notification_type: 'webhook',
      notification_configuration: { url: `${http.url}/${path}`, headers: { 'x-key': 'header secret' } },
      ...more,
    };
    const answer = await stage.post('notification_templates/', body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id;
  }

  async function attach(parent: string, event: string, id: number, disassociate = false): Promise<void> {
    const body = { id, ...(disassociate && { disassociate }) };
    const answer = await stage.post(`${parent}/notification_templates_${event}/`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(204);
  }

  const of = async (path: string): Promise<any[]> => (await stage.get(`${path}/notifications/`)).body.results;
  const settled = (path: string, count: number, status?: string): Promise<any[]> =>
    until(
      async () => {
        const all = await of(path);
        const over = all.filter((one) => (status ? one.status === status : one.status !== 'pending'));
        return over.length >= count ? all : undefined;
      },
      60_000,
      `${count} notifications of ${path}`,
    );
  /** What waits for its next try is tried now, where it was tried no more often. */
  const hurry = (tries = 99) =>
    stage.services.db.raw(
      `update tapline_jobs._private_jobs set run_at = now() where locked_at is null and attempts between 1 and ?`,
      [tries],
    );

  it('goes to the template, its project and its organization, once each, with what the run was', async () => {
    const [mine, projects, everybodys] = [await template('mine'), await template('projects'), await template('all')];
    const job = await stage.template({ playbook: 'quick.yml' });
    await attach(`job_templates/${job}`, 'started', mine);
    await attach(`job_templates/${job}`, 'success', mine);
    await attach(`projects/${stage.project}`, 'success', projects);
    await attach(`projects/${stage.project}`, 'success', mine);
    await attach(`organizations/${organization}`, 'success', everybodys);
    await attach(`organizations/${organization}`, 'success', mine);
    await attach(`organizations/${organization}`, 'error', everybodys);
    const run = await stage.launch(job);
    await stage.ended(run.id);
    const all = await settled(`jobs/${run.id}`, 4);
    expect(all).to.have.length(4);
    expect(all.map(({ status, error }) => `${status} ${error}`)).to.deep.equal(Array(4).fill('successful '));
    const told = http.seen.map(({ url, body }) => `${url} ${JSON.parse(body).status}`);
    expect(told.toSorted()).to.deep.equal([
      '/all successful',
      '/mine running',
      '/mine successful',
      '/projects successful',
    ]);
    const last = JSON.parse(http.seen.find(({ url }) => url === '/all')!.body);
    expect(last).to.deep.include({
      id: run.id,
      playbook: 'quick.yml',
      inventory: 'stage',
      project: 'stage',
      created_by: 'admin',
    });
    expect(last.hosts).to.have.all.keys('good', 'bad');
    expect(last.url).to.match(new RegExp(`/#/jobs/playbook/${run.id}$`));
    const { recent_notifications: recent } = (await stage.get(`notification_templates/${mine}/`)).body.summary_fields;
    expect(recent).to.have.length(2);
    await attach(`organizations/${organization}`, 'error', everybodys, true);
    await attach(`organizations/${organization}`, 'success', everybodys, true);
    await attach(`projects/${stage.project}`, 'success', projects, true);
    await attach(`projects/${stage.project}`, 'success', mine, true);
    await attach(`organizations/${organization}`, 'success', mine, true);
  });

  it('tells an organization of updates, ad hoc commands and whatever else runs, and a cleanup of its own templates', async () => {
    const id = await template('everything');
    const events = ['success', 'error'];
    const must = async (path: string, body: object, status = 201) => {
      const answer = await stage.post(path, body);
      expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).to.equal(status);
      return answer.body;
    };
    const [cleanup] = (await stage.get('system_job_templates/?job_type=cleanup_tokens')).body.results;
    const parents = [`organizations/${organization}`, `system_job_templates/${cleanup.id}`];
    for (const parent of parents) for (const event of events) await attach(parent, event, id);
    const away = { name: 'away', organization, scm_type: 'git', scm_url: 'http://127.0.0.1:9/away.git' };
    const script = '#!/bin/sh\necho "{}"\n';
    const source = { name: 'own', inventory: stage.inventory, source: 'custom', source_script: script };
    const credential = await stage.credential({ credential_type: stage.machineType });
    const runs: Record<string, number> = {
      project_updates: (await must('projects/', away)).summary_fields.current_update.id,
      inventory_updates: (
        await must(`inventory_sources/${(await must('inventory_sources/', source)).id}/update/`, {}, 202)
      ).id,
      ad_hoc_commands: (await must('ad_hoc_commands/', { module_name: 'ping', inventory: stage.inventory, credential }))
        .id,
      system_jobs: (await must(`system_job_templates/${cleanup.id}/launch/`, {})).id,
    };
    for (const [kind, run] of Object.entries(runs)) {
      const all = await settled(`${kind}/${run}`, 1);
      expect(
        all.map(({ status, error }) => `${status} ${error}`),
        kind,
      ).to.deep.equal(['successful ']);
      const { status } = (await stage.get(`${kind}/${run}/`)).body;
      const told = http.seen.map(({ body }) => JSON.parse(body)).filter((one) => one.id === run);
      expect(told, kind).to.have.length(1);
      expect(told[0].status, kind).to.equal(status);
    }
    for (const parent of parents) for (const event of events) await attach(parent, event, id, true);
  });

  it('tries again what a target did not take, and delays no run meanwhile', async () => {
    const [slow, away, nonsense] = [
      await template('slow'),
      await template('away'),
      await garbageTarget('nonsense\r\n\r\n'),
    ];
    const other = await template('', {
      notification_type: 'irc',
      notification_configuration: {
        server: '127.0.0.1',
        port: nonsense.port,
        nickname: 'n',
        password: '',
        use_ssl: false,
        targets: ['#a'],
      },
    });
    http.answer = ({ url }) => (url === '/slow' ? 'silence' : 'hang up');
    const job = await stage.template({ playbook: 'failing.yml' });
    for (const id of [slow, away, other]) await attach(`job_templates/${job}`, 'error', id);
    const run = await stage.launch(job);
    expect((await stage.ended(run.id)).status).to.equal('failed');
    // while one of them is not answered, others start and end
    await until(async () => http.seen.some(({ url }) => url === '/slow'), 60_000, 'the slow one was asked');
    const next = await stage.launch(await stage.template());
    expect((await stage.ended(next.id)).status).to.equal('successful');
    const toldOf = async (template: number) =>
      (await of(`jobs/${run.id}`)).find((one) => one.notification_template === template);
    for (const id of [slow, away, other]) {
      const told = await until(
        async () => {
          const found = await toldOf(id);
          return found?.attempts.length ? found : undefined;
        },
        60_000,
        `template ${id} was tried`,
      );
      expect(told.status, `template ${id}`).to.equal('pending');
    }
    // those that are still waited for have kept their places long enough
    http.hangUp();
    await nonsense.stop();
    const origins = { [slow]: `POST ${http.url}`, [away]: `POST ${http.url}`, [other]: `127.0.0.1:${nonsense.port}` };
    for (const [id, origin] of Object.entries(origins)) {
      const { attempts } = await until(
        async () => {
          // the others shall have tries left
          await hurry(1);
          const found = await toldOf(Number(id));
          return found.attempts.length >= 2 ? found : undefined;
        },
        undefined,
        `a second try of template ${id}`,
      );
      expect(attempts[0].outcome, `template ${id}`).to.equal('refused');
      expect(attempts[0].error, `template ${id}`).to.match(/\S/);
      expect(attempts[0].duration_ms, `template ${id}`).to.be.a('number');
      expect(attempts[0].request, `template ${id}`)
        .to.include(origin)
        .and.not.match(/slow|away/);
    }
    // nobody loses what is on its way
    const refused = await stage.request('DELETE', `notification_templates/${away}/`);
    expect([refused.status, Object.keys(refused.body)]).to.deep.equal([405, ['error']]);
    http.answer = () => ({ status: 500, body: 'header secret' });
    http.hangUp();
    const given = await until(
      async () => {
        await hurry();
        const all = await of(`jobs/${run.id}`);
        return all.every(({ status }) => status === 'failed') && toldOf(away);
      },
      undefined,
      'the last try of each',
    );
    for (const id of [slow, away, other]) expect((await toldOf(id)).attempts, `template ${id}`).to.have.length(5);
    for (const id of [slow, away])
      expect((await toldOf(id)).error)
        .to.include('500')
        .and.not.include('header secret');
    expect((await toldOf(other)).error).to.include('ECONNREFUSED');
    http.answer = () => ({ body: 'at last' });
    expect((await stage.post(`notifications/${given.id}/redeliver/`)).status).to.equal(202);
    const again = await until(
      async () => {
        const { body } = await stage.get(`notifications/${given.id}/`);
        return body.status === 'pending' ? undefined : body;
      },
      60_000,
      'delivered once more',
    );
    expect(again).to.include({ status: 'successful', error: '', notifications_sent: 1 });
    expect(again.attempts.at(-1)).to.include({ outcome: 'delivered', answer: '200 at last' });
    expect((await stage.request('DELETE', `notification_templates/${away}/`)).status).to.equal(204);
  });

  it('does not count the tries that broke off with the service', async () => {
    const id = await template('cut');
    const { db } = stage.services;
    const broken = {
      started: new Date().toISOString(),
      finished: null,
      outcome: 'unknown',
      request: '',
      answer: '',
      error: '',
    };
    const row = {
      notification_template_id: id,
      notification_type: 'webhook',
      event: 'message',
      subject: '',
      body: '{}',
    };
    const [{ id: notification }] = await db('notifications')
      .insert({ ...row, attempts: JSON.stringify(Array.from({ length: 6 }, () => broken)) })
      .returning('id');
    // the fifth of these tries is the last one
    let refused = 0;
    http.answer = () => ((refused += 1) <= 4 ? { status: 500 } : { body: 'at last' });
    await db.transaction(async (trx) => {
      await stage.services.queue.addTask(trx, 'core:notify', { notification });
      // as the queue has it after so many processes died
      const task = trx('tapline_jobs._private_jobs').whereRaw(`payload ->> 'notification' = ?`, [String(notification)]);
      await task.update({ attempts: 6 });
    });
    const outcomes = async () => {
      await hurry();
      const [found] = await of(`notification_templates/${id}`);
      return found.attempts.map(({ outcome }: any) => outcome).slice(6);
    };
    await until(async () => (await outcomes()).includes('delivered'), 60_000, 'the one that was taken');
  });

  it('leaves a mark where the service died while it was sending, and sends it again', async () => {
    const id = await template('marked');
    const { db } = stage.services;
    const begun = {
      started: new Date().toISOString(),
      finished: null,
      outcome: 'unknown',
      request: '',
      answer: '',
      error: '',
    };
    const [{ id: notification }] = await db('notifications')
      .insert({
        notification_template_id: id,
        notification_type: 'webhook',
        event: 'message',
        subject: '',
        body: '{"a": 1}',
        attempts: JSON.stringify([begun]),
      })
      .returning('id');
    await stage.services.queue.addTask(db, 'core:notify', { notification });
    const [sent] = await settled(`notification_templates/${id}`, 1);
    expect(sent.attempts.map(({ outcome }: any) => outcome)).to.deep.equal(['unknown', 'delivered']);
    const marked = http.seen.filter(({ url }) => url === '/marked');
    expect(marked.map(({ body }) => body)).to.deep.equal(['{"a":1}']);
  });

  it('says what its templates say, and where one of them cannot be rendered any more', async () => {
    const messages = {
      error: { message: null, body: '{"what": {{ job.name | tojson }}, "hosts": {{ job.hosts | length }}}' },
      started: { body: "{{ 'x' * 999999999 }}" },
    };
    const custom = await template('custom', { messages: { error: messages.error } });
    // as from before it was judged
    await stage.services
      .db('notification_templates')
      .where({ id: custom })
      .update({ messages: JSON.stringify(messages) });
    const job = await stage.template({ playbook: 'failing.yml', name: 'a "quoted" name' });
    await attach(`job_templates/${job}`, 'error', custom);
    await attach(`job_templates/${job}`, 'started', custom);
    const run = await stage.launch(job);
    await stage.ended(run.id);
    const all = await settled(`jobs/${run.id}`, 2);
    expect(all.map(({ status }) => status)).to.deep.equal(['successful', 'successful']);
    const bodies = http.seen.filter(({ url }) => url === '/custom').map(({ body }) => JSON.parse(body));
    expect(bodies.find(({ what }) => what)).to.deep.equal({ what: 'a "quoted" name', hosts: 2 });
    expect(bodies.find(({ body }) => body).body).to.match(/could not be rendered/);
  });

  it('is sent by kinds and messages of plugins, which learn of the end', async () => {
    const configuration = { loft: 'roof', ring: 'pigeon secret' };
    const id = await template('', { notification_type: 'pigeon', notification_configuration: configuration });
    const kept = { alert: 7 };
    const sent = await api.notify.deliver({ template: id, subject: 'Look', body: 'out', told: { task, kept } });
    const broken = await template('broken');
    http.answer = () => ({ status: 404 });
    const unsent = await api.notify.deliver({ template: broken, subject: 'Nobody', told: { task } });
    await until(async () => outcomes.length === 2, 60_000, 'both outcomes');
    expect(outcomes.find(({ notification }) => notification === sent)).to.deep.equal({
      notification: sent,
      status: 'successful',
      error: '',
      kept,
    });
    expect(outcomes.find(({ notification }) => notification === unsent)).to.include({ status: 'failed', kept: null });
    expect(pigeons).to.deep.equal([{ configuration, subject: 'Look', body: 'out' }]);
    const rejected = await api.notify
      .deliver({ template: 999_999, subject: 'x' })
      .catch((error: Error) => error.message);
    expect(rejected).to.include('999999');
    const stored = await stage.services.db('notification_templates').where({ id }).first();
    expect(JSON.stringify(stored)).to.not.include('pigeon secret');
    expect((await stage.get(`notification_templates/${id}/`)).body.notification_configuration).to.deep.equal({
      loft: 'roof',
      ring: '$encrypted$',
    });
  });

  it('has failed where its kind threw, whatever that said', async () => {
    const id = await template('', { notification_type: 'wall', notification_configuration: {} });
    await stage.post(`notification_templates/${id}/test/`);
    const [sent] = await settled(`notification_templates/${id}`, 1);
    expect(sent).to.include({ status: 'failed', notifications_sent: 0 });
    expect(sent.error).to.match(/refused/);
    expect(sent.attempts[0].outcome).to.equal('refused');
  });

  it('of a workflow tells of its nodes, and of an approval with what variables it was launched', async () => {
    const body = '{{ job_metadata }}';
    const id = await template('flow', { messages: { workflow_approval: { running: { body } } } });
    const job = await stage.template({ name: 'a step' });
    const made = await stage.post('workflow_job_templates/', {
      name: 'flow',
      organization,
      extra_vars: '{"who": "me"}',
    });
    const flow = `workflow_job_templates/${made.body.id}`;
    const node = async (columns: object): Promise<number> =>
      (await stage.post(`${flow}/workflow_nodes/`, columns)).body.id;
    const step = await node({ identifier: 'step', unified_job_template: job });
    const never = await node({ identifier: 'never', unified_job_template: job });
    await stage.post(`workflow_job_template_nodes/${step}/failure_nodes/`, { id: never });
    const asks = await node({ identifier: 'asks' });
    await stage.post(`workflow_job_template_nodes/${asks}/create_approval_template/`, { name: 'Go?' });
    for (const event of ['error', 'approvals']) await attach(flow, event, id);
    const run = (await stage.post(`${flow}/launch/`, {})).body.id;
    const told = (test: (body: any) => boolean) =>
      until(
        async () =>
          http.seen
            .filter(({ url }) => url === '/flow')
            .map((one) => JSON.parse(one.body))
            .find(test),
        60_000,
        'word of it',
      );
    const asked = await told(({ name }) => name === 'Go?');
    expect(JSON.parse(asked.extra_vars)).to.deep.equal({ who: 'me' });
    // nobody approves what he launched himself
    expect((await stage.post(`workflow_approvals/${asked.id}/deny/`, {})).status).to.equal(204);
    const done = await told(({ name }) => name === 'flow');
    expect(done).to.deep.include({ id: run, status: 'failed', inventory: null });
    expect(JSON.parse(done.extra_vars)).to.deep.equal({ who: 'me' });
    const { results } = (await stage.get(`workflow_jobs/${run}/workflow_nodes/?order_by=id`)).body;
    const [first, second, third] = results;
    expect(done.body.split('\n')).to.deep.equal([
      'The nodes of this workflow job:',
      '',
      `- node #${first.id}: job #${first.job}, "a step", successful`,
      `- node #${second.id}: no job`,
      `- node #${third.id}: job #${asked.id}, "Go?", failed`,
    ]);
  });

  it('is recorded without half a character, which the record does not take', () => {
    const text = `secret ${'x'.repeat(1987)}\u{1F600}`;
    expect(masking(['secret'])(text)).to.equal(`$encrypted$ ${'x'.repeat(1987)}`);
  });

  it('of an approval goes to its template and its organization', async () => {
    const told = await template('approvals');
    const job = await stage.template();
    await attach(`organizations/${organization}`, 'approvals', told);
    const run = await stage.launch(job);
    await stage.ended(run.id);
    const variables = { approval_node_name: 'Go "now"?', workflow_url: 'http://w/' };
    await stage.services.db.transaction((trx) =>
      noteApproval(trx, {
        run: { id: run.id, organization_id: organization },
        template: job,
        event: 'denied',
        variables,
      }),
    );
    const [sent] = await settled(`jobs/${run.id}`, 1);
    expect(sent.status).to.equal('successful');
    expect(JSON.parse(http.seen.find(({ url }) => url === '/approvals')!.body)).to.deep.equal({
      body: 'The approval node "Go "now"?" was denied. http://w/',
    });
  });
});
