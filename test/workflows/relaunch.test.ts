import { expect } from 'chai';
import { type Core, until } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { workflowsOf } from './workflows.ts';

describe('a relaunch of a workflow job', function () {
  this.timeout(120_000);
  let core: Core;
  let workflows: ReturnType<typeof workflowsOf>;

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
    await core.makeUser('operator');
    await core.makeUser('decider', { is_superuser: true });
  });
  after(() => core?.stop());

  const again = (run: { id: number }, as = core.admin) => as.post(`workflow_jobs/${run.id}/relaunch/`, {});
  const cancel = async (run: { id: number }) => {
    await workflows.must(core.admin.post(`workflow_jobs/${run.id}/cancel/`, {}), 202);
    return workflows.ended(run.id);
  };
  const secretsOf = async ({ id }: { id: number }): Promise<string[]> =>
    Object.keys((await core.db('runs').where({ id }).first()).survey_passwords ?? {}).toSorted();

  it('keeps secret answers and defaults where the template is gone', async () => {
    const { must, workflow, launch, ended } = workflows;
    const made = await workflow({ survey_enabled: true });
    const question = (variable: string, more = {}) => ({
      question_name: variable,
      variable,
      type: 'password',
      required: false,
      default: '',
      ...more,
    });
    const spec = [question('given'), question('stands', { default: 'by itself' })];
    await must(
      core.admin.post(`workflow_job_templates/${made.id}/survey_spec/`, { name: 'a', description: 'b', spec }),
      200,
    );
    const run = await launch(made.id, { extra_vars: { given: 'shh-4711' } });
    await ended(run.id);
    await must(core.admin.delete(`workflow_job_templates/${made.id}/`), 204);
    const repeated = await must(again(run), 201);
    expect(await secretsOf(repeated)).to.deep.equal(['given', 'stands']);
    expect(JSON.parse(repeated.extra_vars)).to.deep.equal({ given: '$encrypted$', stands: '$encrypted$' });
    await ended(repeated.id);
    expect(await secretsOf(await must(again(repeated), 201))).to.deep.equal(['given', 'stands']);
  });

  it('repeats a prompt that was switched off only for who runs everything of the organization', async () => {
    const { must, workflow } = workflows;
    const operator = core.as('operator');
    const inventory = await core.makeInventory({ hosts: ['a', 'b', 'c'] });
    const cut = await core.makeTemplate({ inventory: inventory.id, ask_job_slice_count_on_launch: true });
    const made = await workflow({ ask_limit_on_launch: true });
    const bodies = { job_templates: { job_slice_count: 2 }, workflow_job_templates: { limit: 'web' } };
    for (const [path, template] of Object.entries({ job_templates: cut, workflow_job_templates: made })) {
      await core.grant('operator', template.url, 'execute_role');
      const run = await must(operator.post(`${path}/${template.id}/launch/`, bodies[path as keyof typeof bodies]), 201);
      const first = await must(again(run, operator), 201);
      expect(first.type).to.equal('workflow_job');
      const offered = async () =>
        (await must(operator.get(`workflow_jobs/${run.id}/`), 200)).summary_fields.user_capabilities.start;
      expect(await offered()).to.equal(true);
      const off = { ask_job_slice_count_on_launch: false, ask_limit_on_launch: false };
      await must(core.admin.patch(`${path}/${template.id}/`, off), 200);
      const refused = await must(again(run, operator), 403);
      expect(refused.detail).to.match(/does not ask for (job_slice_count|limit) any more/);
      expect(await offered()).to.equal(false);
      await must(again(run), 201);
    }
  });

  it('is offered to who may use the inventory that was given along, and refused where a label is hidden', async () => {
    const { must, workflow } = workflows;
    const operator = core.as('operator');
    const inventory = await core.makeInventory({ hosts: ['a'] });
    const made = await workflow({ ask_inventory_on_launch: true, ask_labels_on_launch: true });
    await core.grant('operator', made.url, 'execute_role');
    const { id: organization } = await must(core.admin.post('organizations/', { name: 'elsewhere' }), 201);
    const label = await must(core.admin.post('labels/', { name: 'theirs', organization }), 201);
    const path = `workflow_job_templates/${made.id}/launch/`;
    const given = await must(core.admin.post(path, { inventory: inventory.id }), 201);
    const labelled = await must(core.admin.post(path, { labels: [label.id] }), 201);
    const offered = async () =>
      (await must(operator.get(`workflow_jobs/?id=${given.id}`), 200)).results[0].summary_fields.user_capabilities
        .start;
    expect(await offered()).to.equal(false);
    expect((await must(again(given, operator), 403)).detail).to.match(/use right on inventory/);
    expect((await must(again(labelled, operator), 403)).detail).to.match(/read right on label/);
    await core.grant('operator', inventory.url, 'use_role');
    expect(await offered()).to.equal(true);
    await must(again(given, operator), 201);
  });

  it('of slices is refused where there would be others, or nothing is left to cut', async () => {
    const { must } = workflows;
    const inventory = await core.makeInventory({ hosts: ['a', 'b', 'c'] });
    const cut = await core.makeTemplate({ inventory: inventory.id, job_slice_count: 3 });
    const run = await must(core.admin.post(`job_templates/${cut.id}/launch/`, {}), 201);
    expect(run).to.include({ type: 'workflow_job', is_sliced_job: true });
    const slices = async ({ id }: { id: number }) =>
      (await must(core.admin.get(`workflow_jobs/${id}/workflow_nodes/`), 200)).count;
    const same = await must(again(run), 201);
    expect([await slices(run), await slices(same)]).to.deep.equal([3, 3]);
    for (const count of [2, 1]) {
      await must(core.admin.patch(`job_templates/${cut.id}/`, { job_slice_count: count }), 200);
      expect((await must(again(run), 400)).detail).to.match(new RegExp(`into 3 slices.*into ${count} now`));
    }
    await Promise.all([run, same].map(cancel));
    await must(core.admin.delete(`job_templates/${cut.id}/`), 204);
    expect((await must(again(run), 400)).detail).to.match(/is gone/);
  });

  it('goes on from what failed, a node with nothing to launch included, and from nothing that went well', async () => {
    const { must, workflow, node, follow, launch, ended, nodesOf } = workflows;
    const [inner, outer, simple] = [await workflow(), await workflow(), await workflow()];
    const well = await node(outer.id, { identifier: 'well', unified_job_template: inner.id });
    const empty = await node(outer.id, { identifier: 'empty' });
    await follow(well.id, 'success', empty.id);
    const failed = await ended((await launch(outer.id)).id);
    expect(failed.status).to.equal('failed');
    expect(failed.job_explanation).to.match(/nothing to launch/);
    const rerun = ({ id }: { id: number }) => core.admin.post(`workflow_jobs/${id}/relaunch/`, { nodes: 'failed' });
    const repeated = await ended((await must(rerun(failed), 201)).id);
    const [before, now] = [await nodesOf(failed.id), await nodesOf(repeated.id)];
    expect(repeated.job_explanation).to.include(`${now['empty'].id} (nothing to launch)`);
    expect(now['well']).to.include({ prior_run_succeeded: true, job: before['well'].job });

    // what is gone since says nothing of how the run of then went
    await node(simple.id, { identifier: 'well', unified_job_template: inner.id });
    const fine = await ended((await launch(simple.id)).id);
    expect(fine.status).to.equal('successful');
    await must(core.admin.delete(`workflow_job_templates/${inner.id}/`), 204);
    expect((await must(rerun(fine), 400)).nodes[0]).to.match(/No node/);
  });

  it('keeps what it took over from being deleted under it, and what that set although it is deleted later', async () => {
    const { must, workflow, node, follow, launch, ended, nodesOf, asksPeople, pending } = workflows;
    const [inner, outer] = [await workflow(), await workflow()];
    const well = await node(outer.id, { identifier: 'well', unified_job_template: inner.id });
    const asks = await node(outer.id, { identifier: 'asks' });
    await asksPeople(asks.id);
    await follow(well.id, 'success', asks.id);
    const decided = async (run: { id: number }, how: 'deny' | 'approve') => {
      const { id } = await pending(run.id);
      await must(core.as('decider').post(`workflow_approvals/${id}/${how}/`, {}), 204);
      return ended(run.id);
    };
    const first = await launch(outer.id);
    await pending(first.id);
    const { job } = (await nodesOf(first.id))['well'];
    await core.db('workflow_job_nodes').where({ job_id: job }).update({ artifacts: '{"color":"red"}' });
    expect((await decided(first, 'deny')).status).to.equal('failed');

    const again = await must(core.admin.post(`workflow_jobs/${first.id}/relaunch/`, { nodes: 'failed' }), 201);
    await pending(again.id);
    const refused = await must(core.admin.delete(`workflow_jobs/${job}/`), 403);
    expect(refused.detail).to.match(/associated workflow job is running/);
    const cleanup = (await core.admin.get('system_job_templates/?job_type=cleanup_jobs')).body.results[0];
    const { id } = await must(
      core.admin.post(`system_job_templates/${cleanup.id}/launch/`, { extra_vars: { days: 0 } }),
      201,
    );
    await until(async () => (await core.admin.get(`system_jobs/${id}/`)).body.finished, 60_000);
    await must(core.admin.get(`workflow_jobs/${job}/`), 200);
    await must(core.admin.get(`workflow_jobs/${first.id}/`), 404);

    expect((await decided(again, 'approve')).status).to.equal('successful');
    await must(core.admin.delete(`workflow_jobs/${job}/`), 204);
    expect((await nodesOf(again.id))['well']).to.include({ job: null, prior_run_succeeded: true, do_not_run: false });
    const { artifacts } = await core.db('runs').where({ id: again.id }).first('artifacts');
    expect(artifacts).to.deep.equal({ color: 'red' });
  });

  it('goes on where it was canceled while no node was under way', async () => {
    const { must, workflow, node, follow, asksPeople, launch, pending, ended, nodesOf } = workflows;
    const made = await workflow();
    const [first, second] = [
      await node(made.id, { identifier: 'first' }),
      await node(made.id, { identifier: 'second' }),
    ];
    for (const one of [first, second]) await asksPeople(one.id);
    await follow(first.id, 'success', second.id);
    const run = await launch(made.id);
    await must(core.as('decider').post(`workflow_approvals/${(await pending(run.id)).id}/approve/`, {}), 204);
    await pending(run.id);
    await cancel(run);
    // as if it had been canceled in a pause before the second one
    await core
      .db('workflow_job_nodes')
      .where({ run_id: run.id, identifier: 'second' })
      .update({ outcome: null, job_id: null, do_not_run: true });
    const resumed = await must(core.admin.post(`workflow_jobs/${run.id}/relaunch/`, { nodes: 'failed' }), 201);
    const waits = await pending(resumed.id);
    expect((await nodesOf(resumed.id))['first']).to.include({ prior_run_succeeded: true });
    await must(core.as('decider').post(`workflow_approvals/${waits.id}/approve/`, {}), 204);
    expect((await ended(resumed.id)).status).to.equal('successful');
    const none = await core.admin.post(`workflow_jobs/${resumed.id}/relaunch/`, { nodes: 'failed' });
    expect(none.status).to.equal(400);
  });
});
