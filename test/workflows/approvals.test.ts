import { expect } from 'chai';
import { type Core, until } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { workflowsOf } from './workflows.ts';

describe('an approval that waits', function () {
  this.timeout(120_000);
  let core: Core;
  let workflows: ReturnType<typeof workflowsOf>;

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
  });
  after(() => core?.stop());

  /** A workflow whose run waits for an approval, and takes the way for failures after it. */
  async function waiting() {
    const { workflow, node, asksPeople, follow, launch, pending, notes } = workflows;
    const made = await workflow();
    const asks = await node(made.id, { identifier: 'asks' });
    const template = await asksPeople(asks.id, { required_approvals: 2, timeout: 3600 });
    const after = await node(made.id, { identifier: 'after' });
    await asksPeople(after.id, { name: 'Really?' });
    await follow(asks.id, 'failure', after.id);
    await notes(made.id);
    const run = await launch(made.id);
    return { run, node: asks, template, approval: await pending(run.id) };
  }

  for (const [what, pathOf] of Object.entries({
    'its template': ({ template }: Awaited<ReturnType<typeof waiting>>) =>
      `workflow_approval_templates/${template.id}/`,
    'its node': ({ node }: Awaited<ReturnType<typeof waiting>>) => `workflow_job_template_nodes/${node.id}/`,
  }))
    it(`is denied when ${what} is deleted, and its workflow goes on`, async () => {
      const { must, pending, noted } = workflows;
      const waits = await waiting();
      const { run, template, approval } = waits;
      await must(core.admin.delete(pathOf(waits)), 204);
      await must(core.admin.get(`workflow_approval_templates/${template.id}/`), 404);
      const denied = await must(core.admin.get(`workflow_approvals/${approval.id}/`), 200);
      expect(denied).to.include({ status: 'failed', timed_out: false, can_approve_or_deny: false });
      expect(denied.job_explanation).to.match(/removed from its workflow/);
      const next = await pending(run.id);
      expect(next.name).to.equal('Really?');
      expect(await noted(run.id)).to.deep.equal(['running', 'denied', 'running']);
      await must(core.admin.post(`workflow_approvals/${next.id}/deny/`, {}), 204);
      expect((await workflows.ended(run.id)).status).to.equal('failed');
    });

  it('is denied as well when somebody votes at that very moment', async () => {
    const { must } = workflows;
    const { template, approval } = await waiting();
    const vote = await core.db.transaction();
    await vote('runs').where({ id: approval.id }).forNoKeyUpdate().first();
    const deleted = core.admin.delete(`workflow_approval_templates/${template.id}/`);
    const blocked = async () =>
      (await core.db('pg_locks').where({ granted: false, locktype: 'transactionid' }).first()) !== undefined;
    await until(blocked, 90_000, 'that the vote is waited for');
    await vote.commit();
    await must(deleted, 204);
    expect((await must(core.admin.get(`workflow_approvals/${approval.id}/`), 200)).status).to.equal('failed');
  });

  it('is made of the defaults where little is said, and keeps what is not changed', async () => {
    const { must, workflow, node, asksPeople } = workflows;
    const made = await workflow();
    const asks = await node(made.id, { identifier: 'asks' });
    const told = { required_approvals: 1, on_timeout: 'deny', context_template: '', timeout: 0, description: '' };
    const template = await asksPeople(asks.id);
    expect(template).to.include(told);
    const path = `workflow_approval_templates/${template.id}/`;
    await must(core.admin.patch(path, { on_timeout: 'approve', timeout: 5 }), 200);
    expect(await must(core.admin.patch(path, { context_template: 'see' }), 200)).to.include({
      ...told,
      on_timeout: 'approve',
      timeout: 5,
      context_template: 'see',
    });
    const { actions } = await must(
      core.admin.request('OPTIONS', `workflow_job_template_nodes/${asks.id}/create_approval_template/`),
      200,
    );
    expect(Object.keys(actions.POST)).to.deep.equal([
      'name',
      'description',
      'timeout',
      ...Object.keys(told).slice(0, 3),
    ]);
  });
});
