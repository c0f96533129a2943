import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { WebSocket } from 'ws';
import { startCore } from '../../core/testing/start-core.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from './workflows.ts';

/** Says what it is told of the workflow that it is part of. */
const says = `
- hosts: all
  gather_facts: false
  tasks:
    - debug:
        msg: >-
          of={{ svc_workflow_job_id }}/{{ awx_workflow_job_launch_type }}/{{ tower_workflow_job_name }}
          schedule={{ svc_parent_job_schedule_id | default('none') }} size={{ size | default('none') }}
          ref={{ svc_webhook_event_ref | default(awx_webhook_event_ref | default('none')) }}
    - fail: { msg: "as asked" }
      when: breaks | default(false) | bool
`;
const key = 'a key of the workflow';

describe('what happens around workflows', () => {
  let core: Core;
  let play: { id: number };
  let workflows: ReturnType<typeof workflowsOf>;

  before(async () => {
    core = await startCore({ engine: true, env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
    play = await core.makeTemplate({ playbook: says, ask_variables_on_launch: true, allow_simultaneous: true });
  });
  after(() => core?.stop());

  /** As if its time had passed. */
  async function letTimePass({ id }: { id: number }): Promise<void> {
    await core
      .db('runs')
      .where({ id })
      .update({ created: core.db.raw(`now() - interval '2 hours'`) });
    await core
      .db('tapline_jobs._private_jobs')
      .where({ key: `advance-later:${id}` })
      .update({ run_at: core.db.fn.now() });
  }

  it('an approval that nobody answers in time is decided by its template', async () => {
    const { must, workflow, node, follow, launch, pending, ended, asksPeople, notes, noted, nodesOf } = workflows;
    const made = await workflow();
    const first = await node(made.id, { identifier: 'first' });
    const second = await node(made.id, { identifier: 'second' });
    await asksPeople(first.id, { timeout: 3600, on_timeout: 'approve' });
    await asksPeople(second.id, { timeout: 3600 });
    await follow(first.id, 'success', second.id);
    await notes(made.id);
    const run = await launch(made.id);
    const asked = await pending(run.id);
    expect(Date.parse(asked.approval_expiration) - Date.parse(asked.created)).to.equal(3_600_000);
    expect(asked.timed_out).to.equal(false);
    await letTimePass(asked);
    const decided = async () => (await core.admin.get(`workflow_approvals/${asked.id}/`)).body.status !== 'pending';
    await until(decided, undefined, 'that the approval is decided');
    const then = await pending(run.id);
    // what it was launched by still goes by how it ended
    await must(core.admin.delete(`workflow_approvals/${asked.id}/`), 403);
    await letTimePass(then);
    expect((await ended(run.id)).status).to.equal('failed');
    const [approved, denied] = await Promise.all(
      [asked, then].map(({ id }) => must(core.admin.get(`workflow_approvals/${id}/`), 200)),
    );
    expect(approved).to.include({ status: 'successful', timed_out: true, approval_expiration: null });
    expect(denied).to.include({ status: 'failed', timed_out: true, can_approve_or_deny: false });
    expect(denied.job_explanation).to.match(/3600 seconds/);
    expect((await nodesOf(run.id)).second.summary_fields.job.timed_out).to.equal(true);
    await must(core.admin.post(`workflow_approvals/${then.id}/deny/`, {}), 400);
    expect(await noted(run.id)).to.deep.equal(['running', 'timed_out', 'running', 'timed_out']);
    await must(core.admin.delete(`workflow_approvals/${asked.id}/`), 204);
  });

  it('a node that fails is launched again, after a pause, as often as it says', async () => {
    const { must, workflow, node, follow, launch, ended, nodesOf } = workflows;
    const made = await workflow();
    const breaks = { identifier: 'breaks', unified_job_template: play.id, extra_data: { breaks: true } };
    const fails = await node(made.id, { ...breaks, max_retries: 2 });
    const mends = await node(made.id, { identifier: 'mends', unified_job_template: play.id });
    await follow(fails.id, 'failure', mends.id);
    const run = await launch(made.id);
    expect((await ended(run.id)).status).to.equal('successful');
    const nodes = await nodesOf(run.id);
    expect(nodes['breaks']).to.include({ max_retries: 2, retry_attempts: 2 });
    expect(nodes['breaks'].retried_jobs).to.have.lengthOf(2);
    const { results } = await must(core.admin.get(`unified_jobs/?unified_job_node__workflow_job=${run.id}`), 200);
    expect(results.map((one: any) => one.id)).to.have.members([nodes['breaks'].job, nodes['mends'].job]);
    const tries: any[] = await core
      .db('runs')
      .where({ parent_id: run.id, parent_part: nodes['breaks'].id })
      .orderBy('id');
    expect(tries.map(({ id }) => id)).to.deep.equal([...nodes['breaks'].retried_jobs, nodes['breaks'].job]);
    expect(tries.map(({ status }) => status)).to.deep.equal(['failed', 'failed', 'failed']);
    // the second time not before four seconds are over
    expect(Date.parse(tries[2].created) - Date.parse(tries[1].finished)).to.be.at.least(4000);
    const mended = await must(core.admin.get(`jobs/${nodes['mends'].job}/`), 200);
    expect(Date.parse(mended.created)).to.be.at.least(Date.parse(tries[2].finished));
  });

  it('a node whose job could not begin since the update of its project failed is launched again, with a new update', async () => {
    const { workflow, node, launch, ended, nodesOf } = workflows;
    const needing = await core.makeTemplate({ playbook: says });
    const away = { scm_type: 'git', scm_url: 'http://127.0.0.1:9/away.git', scm_update_on_launch: true };
    await core.db('templates').where({ id: needing['project'] }).update(away);
    const made = await workflow();
    await node(made.id, { identifier: 'needs', unified_job_template: needing.id, max_retries: 1 });
    const run = await launch(made.id);
    expect((await ended(run.id)).status).to.equal('failed');
    const { needs } = await nodesOf(run.id);
    expect(needs).to.include({ retry_attempts: 1 });
    const tries = [...needs.retried_jobs, needs.job];
    expect(tries).to.have.lengthOf(2);
    for (const job of tries)
      expect(await core.db('runs').where({ id: job }).first('status', 'started', 'job_explanation'))
        .to.include({ status: 'failed', started: null })
        .and.to.have.property('job_explanation')
        .that.matches(/^Previous Task Failed: /);
    const updates = await core.db('run_dependencies').whereIn('run_id', tries).distinct().pluck('depends_on');
    expect(updates).to.have.lengthOf(2);
  });

  it('a schedule launches one, whose parts are told which', async () => {
    const { must, workflow, node, ended, nodesOf } = workflows;
    const made = await workflow();
    await node(made.id, { identifier: 'says', unified_job_template: play.id });
    const rrule = 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1';
    const schedule = await must(
      core.admin.post(`workflow_job_templates/${made.id}/schedules/`, { name: 'nightly', rrule }),
      201,
    );
    await core
      .db('schedules')
      .where({ id: schedule.id })
      .update({ next_run: core.db.raw(`now() - interval '1 second'`) });
    // as the clock does each minute
    await core.db.raw(`select tapline_jobs.add_job('core:start-schedules', '{}'::json)`);
    const [run] = await until(async () => {
      const { body } = await core.admin.get(`schedules/${schedule.id}/jobs/`);
      return body.count ? body.results : undefined;
    });
    await ended(run.id);
    const { says: said } = await nodesOf(run.id);
    const { decision_record: record } = await must(core.admin.get(`jobs/${said.job}/`), 200);
    expect(record.injected).to.include.members(['svc_parent_job_schedule_id', 'svc_parent_job_schedule_name']);
    const output = await core.admin.get(`jobs/${said.job}/stdout/?format=txt`);
    expect(output.text).to.include(`/scheduled/${made.name}`).and.include(`schedule=${schedule.id}`);
  });

  it('a webhook launches one, a survey is answered, and whoever listens hears of its parts', async () => {
    const { must, workflow, node, follow, launch, pending, ended, asksPeople, nodesOf } = workflows;
    const made = await workflow({ webhook_service: 'github', webhook_key: key, name: 'pushed' });
    await node(made.id, { identifier: 'says', unified_job_template: play.id });
    expect(made.related.webhook_receiver).to.equal(`/api/v2/workflow_job_templates/${made.id}/github/`);
    const text = JSON.stringify({ ref: 'refs/heads/main', head_commit: { id: 'c0ffee' }, repository: {} });
    const push = (secret: string) =>
      core.as(null).request('POST', made.related.webhook_receiver, {
        body: text,
        headers: {
          'content-type': 'application/json',
          'x-github-event': 'push',
          'x-github-delivery': 'guid-1',
          'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
        },
      });
    await must(push('another'), 403);
    expect((await push(key)).status).to.equal(202);
    const { results } = await must(core.admin.get(`workflow_job_templates/${made.id}/workflow_jobs/`), 200);
    expect(results).to.have.lengthOf(1);
    expect(results[0]).to.include({ launch_type: 'webhook', webhook_service: 'github', webhook_guid: 'guid-1' });
    const pushed = await ended(results[0].id);
    expect(pushed.status).to.equal('successful');
    const { says: said } = await nodesOf(pushed.id);
    const output = await core.admin.get(`jobs/${said.job}/stdout/?format=txt`);
    expect(output.text).to.include(`of=${pushed.id}/webhook/pushed schedule=none`);
    expect(output.text).to.include('ref=c0ffee');

    const asking = await workflow({ survey_enabled: true });
    const question = (variable: string, type: string) => ({
      question_name: variable,
      variable,
      type,
      required: true,
      default: '',
    });
    const spec = [question('size', 'integer'), question('secret', 'password')];
    await must(
      core.admin.post(`workflow_job_templates/${asking.id}/survey_spec/`, { name: 'a', description: 'b', spec }),
      200,
    );
    const waits = await node(asking.id, { identifier: 'waits' });
    await asksPeople(waits.id);
    const last = await node(asking.id, { identifier: 'after', unified_job_template: play.id });
    await follow(waits.id, 'success', last.id);
    const refused = await must(core.admin.post(`workflow_job_templates/${asking.id}/launch/`, {}), 400);
    expect(refused.variables_needed_to_start).to.have.lengthOf(2);
    await must(core.admin.post(`workflow_job_templates/${asking.id}/launch/`, { extra_vars: { size: 'big' } }), 400);
    const run = await launch(asking.id, { extra_vars: { size: 7, secret: 'shh-4711' } });
    expect(JSON.parse(run.extra_vars)).to.deep.equal({ size: 7, secret: '$encrypted$' });
    const approval = await pending(run.id);
    const messages = await listen(run.id);
    await must(core.admin.patch('settings/jobs/', { WORKFLOW_ALLOW_SELF_APPROVAL: true }), 200);
    await must(core.admin.post(`workflow_approvals/${approval.id}/approve/`, {}), 204);
    expect((await ended(run.id)).status).to.equal('successful');
    const nodes = await nodesOf(run.id);
    const heard = () => messages.filter(({ group_name: group }) => group === 'workflow_events');
    const { job: lastJob } = nodes['after'];
    await until(() => heard().some(({ unified_job_id: id, status }) => id === lastJob && status === 'successful'));
    for (const [name, statuses] of Object.entries({
      waits: ['successful'],
      after: ['pending', 'waiting', 'running', 'successful'],
    })) {
      const { id, job } = nodes[name];
      const own = heard().filter((one) => one.unified_job_id === job);
      expect(own.map(({ status }) => status)).to.deep.equal(statuses);
      for (const one of own) expect(one).to.include({ workflow_job_id: run.id, workflow_node_id: id });
    }
    const told = await core.admin.get(`jobs/${nodes['after'].job}/stdout/?format=txt`);
    expect(told.text).to.include('size=7');
    const { extra_vars: shown } = await must(core.admin.get(`jobs/${nodes['after'].job}/`), 200);
    expect(shown).not.to.include('shh-4711');
  });

  /** What is sent of a run from now on. */
  async function listen(run: number): Promise<any[]> {
    const { token } = await workflows.must(core.admin.post('tokens/', {}), 201);
    const socket = new WebSocket(`${core.url.replace('http', 'ws')}/websocket/`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const messages: any[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    socket.on('open', () => socket.send(JSON.stringify({ groups: { workflow_events: [run] } })));
    after(() => socket.terminate());
    await until(() => messages.find((one) => one.groups_current?.includes(`workflow_events-${run}`)));
    return messages;
  }
});
