import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { workflowsOf } from './workflows.ts';

/** Says what it was given, and hands something on. */
const says = `
- hosts: all
  gather_facts: false
  tasks:
    - debug: { msg: "word={{ word | default('none') }} from={{ made | default('nobody') }}" }
    - set_stats: { data: { made: "{{ word | default('none') }}", count: 3 } }
    - fail: { msg: "as asked" }
      when: breaks | default(false) | bool
`;

describe('workflows', () => {
  let core: Core;
  let play: { id: number };
  let workflows: ReturnType<typeof workflowsOf>;

  before(async () => {
    core = await startCore({ engine: true, env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
    play = await core.makeTemplate({ playbook: says, ask_variables_on_launch: true, allow_simultaneous: true });
  });
  after(() => core?.stop());

  it('launches what follows, hands on what was set, and takes the way for failures', async () => {
    const { must, workflow, node, follow, launch, nodesOf, ended } = workflows;
    const made = await workflow({ ask_variables_on_launch: true });
    const first = await node(made.id, {
      identifier: 'first',
      unified_job_template: play.id,
      extra_data: { word: 'one' },
    });
    const second = await node(made.id, {
      identifier: 'second',
      unified_job_template: play.id,
      extra_data: { word: 'two', breaks: true },
    });
    const mends = await node(made.id, { identifier: 'mends', unified_job_template: play.id });
    const never = await node(made.id, { identifier: 'never', unified_job_template: play.id });
    const both = await node(made.id, {
      identifier: 'both',
      unified_job_template: play.id,
      all_parents_must_converge: true,
    });
    await follow(first.id, 'success', second.id);
    await follow(first.id, 'condition', both.id, { artifact_key: 'count', expected_value: '3' });
    for (const [identifier, expression] of [
      ['counted', `artifacts.count | int == 3 and status == 'successful'`],
      ['uncounted', 'artifacts.count | int > 3'],
      ['unknown', 'artifacts.nothing.of.it'],
    ]) {
      const asked = await node(made.id, { identifier, unified_job_template: play.id });
      await follow(first.id, 'condition', asked.id, { expression, trigger: 'always' });
    }
    await follow(second.id, 'failure', mends.id);
    await follow(second.id, 'success', never.id);
    await follow(mends.id, 'always', both.id);
    const circle = await core.admin.post(`workflow_job_template_nodes/${both.id}/success_nodes/`, { id: first.id });
    expect(circle.status).to.equal(400);
    expect(circle.body.Error).to.match(/cycle/);
    const other = await core.admin.post(`workflow_job_template_nodes/${second.id}/always_nodes/`, { id: mends.id });
    expect(other.status).to.equal(400);

    await must(core.admin.patch('settings/jobs/', { WORKFLOW_STATS_ARTIFACTS: true }), 200);
    const run = await launch(made.id, { extra_vars: { shared: 'yes' } });
    expect(run).to.include({ type: 'workflow_job', workflow_job: run.id, launch_type: 'manual' });
    expect(run).not.to.have.property('event_processing_finished');
    const end = await ended(run.id);
    expect(end).to.include({ status: 'successful', failed: false });
    const nodes = await nodesOf(run.id);
    const of = (name: string) => nodes[name].summary_fields.job;
    expect(of('first').status).to.equal('successful');
    expect(of('second').status).to.equal('failed');
    expect(of('mends').status).to.equal('successful');
    expect(of('both').status).to.equal('successful');
    expect(nodes.never).to.include({ do_not_run: true, job: null });
    expect(of('counted').status).to.equal('successful');
    for (const name of ['uncounted', 'unknown']) expect(nodes[name]).to.include({ do_not_run: true, job: null });
    const job = await must(core.admin.get(`jobs/${nodes.mends.job}/`), 200);
    expect(job.launch_type).to.equal('workflow');
    expect(JSON.parse(job.extra_vars)).to.include({ shared: 'yes', made: 'two' });
    const hosts = JSON.parse(job.extra_vars).svc_stats_failed_hosts as string[];
    expect(hosts).to.have.lengthOf(1);
    expect(JSON.parse(job.extra_vars)).to.deep.include({
      svc_stats_failed: true,
      svc_stats_changed: false,
      svc_stats_hosts_truncated: false,
      svc_stats_non_failed_hosts: [],
      svc_stats_changed_hosts: [],
      svc_stats_non_changed_hosts: hosts,
    });
    expect(job.summary_fields.source_workflow_job?.id).to.equal(run.id);
    const output = await core.admin.get(`jobs/${nodes.both.job}/stdout/?format=txt`);
    expect(output.text).to.include('from=none');
    const shown = await must(core.admin.get(`unified_jobs/?unified_job_node__workflow_job=${run.id}`), 200);
    expect(shown.count).to.equal(5);
  });

  it('waits for people, cancels what it launched, and goes on where it failed', async () => {
    const { must, workflow, node, follow, launch, nodesOf, ended, pending, asksPeople, notes, noted } = workflows;
    const made = await workflow();
    const asks = await node(made.id, { identifier: 'asks' });
    const approval = await asksPeople(asks.id, { required_approvals: 2 });
    await notes(made.id);
    expect((await must(core.admin.get(`workflow_job_template_nodes/${asks.id}/`), 200)).unified_job_template).to.equal(
      approval.id,
    );
    const after = await node(made.id, { identifier: 'after', unified_job_template: play.id });
    await follow(asks.id, 'success', after.id);
    const run = await launch(made.id);
    const waits = await pending(run.id);
    expect(waits).to.include({ approvals_received: 0, required_approvals: 2, can_approve_or_deny: true });
    // as the module workflow_approval looks for it; lists of runs of every kind leave it out
    const named = await must(core.admin.get(`workflow_jobs/${run.id}/workflow_nodes/?job__name=Shall we?`), 200);
    expect(named.results.map((one: any) => one.job)).to.deep.equal([waits.id]);
    expect((await must(core.admin.get('unified_jobs/?name=Shall we?'), 200)).count).to.equal(0);
    await must(core.admin.post(`workflow_approvals/${waits.id}/approve/`, {}), 403);
    // a PATCH, as clients send it
    await must(core.admin.patch('settings/jobs/', { WORKFLOW_ALLOW_SELF_APPROVAL: true }), 200);
    await must(core.admin.post(`workflow_approvals/${waits.id}/approve/`, { comment: 'fine' }), 204);
    await must(core.admin.post(`workflow_approvals/${waits.id}/approve/`, {}), 400);
    await core.makeUser('approver');
    expect((await core.as('approver').post(`workflow_approvals/${waits.id}/approve/`, {})).status).to.equal(404);
    await core.grant('approver', `workflow_job_templates/${made.id}/`, 'approval_role');
    await must(core.as('approver').post(`workflow_approvals/${waits.id}/approve/`, {}), 204);
    expect(await ended(run.id)).to.include({ status: 'successful' });
    const votes = await must(core.admin.get(`workflow_approvals/${waits.id}/votes/`), 200);
    expect(votes.results.map((one: any) => one.user_name)).to.have.members(['admin', 'approver']);
    const decided = await must(core.admin.get(`workflow_approvals/${waits.id}/`), 200);
    expect(await noted(run.id)).to.deep.equal(['running', 'approved']);
    expect(decided.summary_fields.approved_or_denied_by.username).to.equal('approver');
    expect(decided.related.source_workflow_job).to.equal(`/api/v2/workflow_jobs/${run.id}/`);

    const canceled = await launch(made.id);
    const second = await pending(canceled.id);
    await must(core.admin.post(`workflow_jobs/${canceled.id}/cancel/`, {}), 202);
    expect(await ended(canceled.id)).to.include({ status: 'canceled', failed: true });
    expect((await core.admin.get(`workflow_approvals/${second.id}/`)).body.status).to.equal('canceled');
    expect((await nodesOf(canceled.id)).after).to.include({ do_not_run: true });

    const denied = await launch(made.id);
    const third = await pending(denied.id);
    await must(core.admin.post(`workflow_approvals/${third.id}/deny/`, {}), 204);
    const end = await ended(denied.id);
    expect(end.status).to.equal('failed');
    expect(await noted(denied.id)).to.deep.equal(['running', 'denied']);
    expect(end.job_explanation).to.match(/No error handling path/);
    await must(core.admin.post(`workflow_jobs/${run.id}/relaunch/`, { nodes: 'failed' }), 400);
    const again = await must(core.admin.post(`workflow_jobs/${denied.id}/relaunch/`, { nodes: 'failed' }), 201);
    const fourth = await pending(again.id);
    await must(core.as('approver').post(`workflow_approvals/${fourth.id}/approve/`, {}), 204);
    await must(core.admin.post(`workflow_approvals/${fourth.id}/approve/`, {}), 204);
    expect(await ended(again.id)).to.include({ status: 'successful', launch_type: 'relaunch' });
  });

  it('has secret answers of a node count as open ones do: less than artifacts, and these less than what the run was given', async () => {
    const { must, workflow, node, follow, launch, nodesOf, ended } = workflows;
    const tells = `
- hosts: all
  gather_facts: false
  tasks:
    - set_stats: { data: { pw: of the artifacts } }
    - fail: { msg: "another" }
      when: pw != expected`;
    const asks = await core.makeTemplate({ playbook: tells, survey_enabled: true, ask_variables_on_launch: true });
    const question = { question_name: 'pw', variable: 'pw', type: 'password', required: true, default: '' };
    await must(
      core.admin.post(`job_templates/${asks.id}/survey_spec/`, { name: 'a', description: 'b', spec: [question] }),
      200,
    );
    const made = await workflow({ ask_variables_on_launch: true });
    const said = (identifier: string, expected: string) =>
      node(made.id, { identifier, unified_job_template: asks.id, extra_data: { pw: 'of the node', expected } });
    const first = await said('first', 'of the node');
    expect(first.extra_data.pw).to.equal('$encrypted$');
    const second = await said('second', 'of the artifacts');
    await follow(first.id, 'success', second.id);
    const plain = await launch(made.id);
    await ended(plain.id);
    const given = await launch(made.id, { extra_vars: { pw: 'given', expected: 'given' } });
    for (const { id } of [plain, given]) {
      const { status, job_explanation: why } = await ended(id);
      expect(status, why).to.equal('successful');
      const { job } = (await nodesOf(id))['second'];
      expect(JSON.parse((await must(core.admin.get(`jobs/${job}/`), 200)).extra_vars).pw).to.equal('$encrypted$');
    }
  });

  it('cuts a launch into slices of its hosts, and runs workflows within workflows, never within themselves', async () => {
    const { must, workflow, node, launch, nodesOf, ended } = workflows;
    const inventory = await core.makeInventory({ hosts: ['a', 'b', 'c', 'd'] });
    const cut = await core.makeTemplate({
      playbook: says,
      inventory: inventory.id,
      ask_job_slice_count_on_launch: true,
      job_slice_pinned_hosts: 'd',
    });
    const launched = await must(core.admin.post(`job_templates/${cut.id}/launch/`, { job_slice_count: 2 }), 201);
    expect(launched).to.include({ type: 'workflow_job', is_sliced_job: true, job_template: cut.id });
    expect(launched.workflow_job).to.equal(launched.id);
    // each with one of the same run, so the two go on side by side
    const outer = await workflow();
    const inner = await workflow();
    await node(inner.id, { identifier: 'play', unified_job_template: play.id });
    await node(inner.id, { identifier: 'outer', unified_job_template: outer.id });
    await node(outer.id, { identifier: 'inner', unified_job_template: inner.id });
    const nested = await launch(outer.id);

    expect(await ended(launched.id)).to.include({ status: 'successful' });
    const slices = Object.values(await nodesOf(launched.id)) as any[];
    expect(slices.map((one) => one.identifier)).to.deep.equal(['slice 1', 'slice 2']);
    const hosts = [];
    for (const { job } of slices) {
      const { results } = await must(core.admin.get(`jobs/${job}/job_host_summaries/?order_by=host_name`), 200);
      hosts.push(results.map((one: any) => one.host_name));
      expect(await must(core.admin.get(`jobs/${job}/`), 200)).to.include({
        job_slice_count: 2,
        launch_type: 'workflow',
      });
    }
    expect(hosts).to.deep.equal([
      ['a', 'c', 'd'],
      ['b', 'd'],
    ]);
    const listed = await must(core.admin.get(`job_templates/${cut.id}/slice_workflow_jobs/?id=${launched.id}`), 200);
    expect(listed.count).to.equal(1);

    expect(await ended(nested.id)).to.include({ status: 'failed' });
    const within = (await nodesOf(nested.id)).inner.job;
    const nodes = await nodesOf(within);
    expect(nodes.play.summary_fields.job.status).to.equal('successful');
    const refused = await must(core.admin.get(`workflow_jobs/${nodes.outer.job}/`), 200);
    expect(refused.job_explanation).to.match(/within itself/);
    const shown = await must(core.admin.get(`workflow_jobs/${within}/`), 200);
    expect(shown.summary_fields.source_workflow_job.id).to.equal(nested.id);
    // of what is launched further down it is still the first
    const { summary_fields: below } = await must(core.admin.get(`jobs/${nodes.play.job}/`), 200);
    expect(below.source_workflow_job.id).to.equal(within);
    const ancestor = { id: nested.id, name: nested.name, type: 'workflow_job', url: nested.url };
    for (const { ancestor_job } of [below, shown.summary_fields]) expect(ancestor_job).to.deep.equal(ancestor);
    expect((await must(core.admin.get(`workflow_jobs/${nested.id}/`), 200)).summary_fields).not.to.have.property(
      'ancestor_job',
    );

    const copy = await must(core.admin.post(`workflow_job_templates/${outer.id}/copy/`, { name: 'copied' }), 201);
    const copied = await must(core.admin.get(`workflow_job_templates/${copy.id}/workflow_nodes/`), 200);
    expect(copied.results.map((one: any) => [one.identifier, one.unified_job_template])).to.deep.equal([
      ['inner', inner.id],
    ]);
  });
});
