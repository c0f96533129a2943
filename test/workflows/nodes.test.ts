import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { workflowsOf } from './workflows.ts';

const question = (variable: string, type = 'text', more = {}) => ({
  question_name: variable,
  variable,
  type,
  required: true,
  default: '',
  ...more,
});

describe('a node of a workflow, when it is saved', function () {
  this.timeout(120_000);
  let core: Core;
  let workflows: ReturnType<typeof workflowsOf>;

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
  });
  after(() => core?.stop());

  it('is not taken for a run that has its number', async () => {
    const { must, workflow, node, launch } = workflows;
    const inner = await workflow({ ask_limit_on_launch: true });
    const outer = await workflow();
    const run = await launch(inner.id);
    const made = await node(outer.id, { identifier: 'inner', unified_job_template: inner.id });
    await core.db('workflow_job_template_nodes').where({ id: made.id }).update({ id: run.id });
    const path = `workflow_job_template_nodes/${run.id}/`;
    expect((await must(core.admin.patch(path, { limit: 'web' }), 200)).limit).to.equal('web');
    await must(core.admin.put(path, { identifier: 'inner', unified_job_template: inner.id, limit: 'db' }), 200);
  });

  it('needs no answers that a launch or artifacts may bring, and judges those that it has', async () => {
    const { must, workflow, node, launch, ended, nodesOf } = workflows;
    const inner = await workflow({ survey_enabled: true });
    const spec = [question('size', 'integer')];
    await must(
      core.admin.post(`workflow_job_templates/${inner.id}/survey_spec/`, { name: 'a', description: 'b', spec }),
      200,
    );
    const outer = await workflow({ ask_variables_on_launch: true });
    await node(outer.id, { identifier: 'inner', unified_job_template: inner.id });
    const wrong = { unified_job_template: inner.id, extra_data: { size: 'big' } };
    const refused = await core.admin.post(`workflow_job_templates/${outer.id}/workflow_nodes/`, wrong);
    expect(refused.status).to.equal(400);
    expect(refused.body.variables_needed_to_start).to.have.lengthOf(1);
    const answered = await ended((await launch(outer.id, { extra_vars: { size: 3 } })).id);
    expect(answered.status).to.equal('successful');
    const { inner: within } = await nodesOf(answered.id);
    const { extra_vars: given } = await must(core.admin.get(`workflow_jobs/${within.job}/`), 200);
    expect(JSON.parse(given)).to.deep.equal({ size: 3 });
    // nobody answered: told by the run
    const silent = await ended((await launch(outer.id)).id);
    expect(silent.status).to.equal('failed');
    const { inner: failed } = await nodesOf(silent.id);
    const { job_explanation: why } = await must(core.admin.get(`workflow_jobs/${failed.job}/`), 200);
    expect(why).to.match(/'size' value missing/);
  });

  it('needs the right to launch its template of whoever says what that is launched with', async () => {
    const { must, workflow, node } = workflows;
    const [inner, outer] = [
      await workflow({ ask_limit_on_launch: true, ask_labels_on_launch: true }),
      await workflow(),
    ];
    const made = await node(outer.id, { identifier: 'inner', unified_job_template: inner.id, limit: 'web' });
    const path = `workflow_job_template_nodes/${made.id}/`;
    const user = await core.makeUser('weaver');
    await must(core.admin.post('organizations/1/users/', { id: user.id }), 204);
    await core.grant('weaver', `workflow_job_templates/${outer.id}/`, 'admin_role');
    const label = await must(core.admin.post(`${path}labels/`, { name: 'mine', organization: 1 }), 201);
    const weaver = core.as('weaver');
    const changes = [
      () => weaver.patch(path, { limit: 'all' }),
      () => weaver.patch(path, { extra_data: { a: 1 } }),
      () => weaver.post(`${path}labels/`, { name: 'other', organization: 1 }),
      () => weaver.post(`${path}labels/`, { id: label.id, disassociate: true }),
    ];
    for (const change of changes) expect((await change()).status, String(change)).to.equal(403);
    // what stays as it is says nothing of the launch
    const { extra_data, limit, unified_job_template } = await must(core.admin.get(path), 200);
    await must(weaver.put(path, { identifier: 'renamed', extra_data, limit, unified_job_template }), 200);
    await must(weaver.patch(path, { extra_data: '---', max_retries: 2 }), 200);
    await core.grant('weaver', `workflow_job_templates/${inner.id}/`, 'execute_role');
    for (const change of [changes[0]!, changes[3]!]) expect((await change()).status).to.be.within(200, 204);
  });
});

describe('a launch of a workflow', function () {
  this.timeout(120_000);
  let core: Core;
  let workflows: ReturnType<typeof workflowsOf>;

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
    await core.makeUser('operator');
  });
  after(() => core?.stop());

  it('refuses an inventory that is being deleted or is none, whoever names it', async () => {
    const { must, workflow } = workflows;
    const made = await workflow({ ask_inventory_on_launch: true });
    const going = await core.makeInventory();
    await core.db('inventories').where({ id: going.id }).update({ pending_deletion: true });
    const path = `workflow_job_templates/${made.id}/launch/`;
    expect((await must(core.admin.post(path, { inventory: going.id }), 400)).inventory[0]).to.match(/being deleted/);
    await core.grant('operator', made.url, 'execute_role');
    const nothing = { inventory: 999_999, limit: 'web' };
    expect((await must(core.as('operator').post(path, nothing), 400)).inventory[0]).to.match(/Invalid pk/);
    const own = await workflow({ inventory: (await core.makeInventory()).id });
    await core.db('inventories').where({ id: own.inventory }).update({ pending_deletion: true });
    expect((await must(core.admin.post(`workflow_job_templates/${own.id}/launch/`), 400)).inventory[0]).to.match(
      /being deleted/,
    );
  });
});
