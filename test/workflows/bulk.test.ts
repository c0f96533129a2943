import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from './workflows.ts';

const path = 'bulk/job_launch/';

describe('a bulk launch', () => {
  let core: Core;
  let asks: { id: number };
  let fixed: { id: number };
  let workflows: ReturnType<typeof workflowsOf>;
  const runs = async () => Number((await core.db('runs').where({ kind: 'workflow_job' }).count())[0]!['count']);

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
    asks = await core.makeTemplate({ ask_variables_on_launch: true, ask_limit_on_launch: true });
    fixed = await core.makeTemplate({});
    await core.makeUser('operator');
    await core.makeUser('stranger');
  });
  after(() => core?.stop());

  it('is one workflow job with a node for each of them, with what their templates ask for', async () => {
    const { must, nodesOf } = workflows;
    expect((await must(core.admin.get('bulk/'), 200)).job_launch).to.equal(`/api/v2/${path}`);
    expect(await must(core.admin.get(path), 200)).to.have.property('detail');
    const run = await must(
      core.admin.post(path, {
        name: 'all of them',
        limit: 'all',
        extra_vars: { shared: 1 },
        jobs: [
          { unified_job_template: asks.id, identifier: 'one', extra_data: { own: 2 }, limit: 'web' },
          { unified_job_template: fixed.id, identifier: 'two', limit: 'web', extra_data: { own: 2 }, forks: 7 },
          { unified_job_template: fixed.id },
        ],
      }),
      201,
    );
    expect(run).to.include({ type: 'workflow_job', name: 'all of them', unified_job_template: null });
    expect(run.url).to.equal(`/api/v2/workflow_jobs/${run.id}/`);
    const nodes = await until(async () => {
      const found = await nodesOf(run.id);
      return Object.values(found).every(({ job }) => job !== null) ? found : undefined;
    });
    expect(Object.keys(nodes)).to.have.lengthOf(3);
    expect(nodes['one']).to.include({ limit: 'web', unified_job_template: asks.id });
    expect(nodes['one'].extra_data).to.deep.equal({ own: 2, shared: 1 });
    // what is not asked for is dropped
    expect(nodes['two']).to.include({ limit: null, forks: null });
    expect(nodes['two'].extra_data).to.deep.equal({});
    const jobs = await Promise.all(['one', 'two'].map((name) => must(core.admin.get(`jobs/${nodes[name].job}/`), 200)));
    expect(jobs.map(({ limit }) => limit)).to.deep.equal(['all', '']);
    expect(jobs.map(({ extra_vars: text }) => JSON.parse(text))).to.deep.equal([{ own: 2, shared: 1 }, {}]);
    const unnamed = await must(core.admin.post(path, { jobs: [{ unified_job_template: fixed.id }] }), 201);
    expect(unnamed.name).to.equal('Bulk Job Launch');
  });

  it('is refused whole, and tells what is wrong with which of them', async () => {
    const { must } = workflows;
    const before = await runs();
    const good = { unified_job_template: asks.id };
    const refused = async (body: object) => (await must(core.admin.post(path, body), 400)) as Record<string, any>;
    expect(await refused({})).to.have.property('jobs');
    expect(await refused({ jobs: [] })).to.have.property('jobs');
    const { jobs } = await refused({
      jobs: [good, 7, {}, { unified_job_template: 'x' }, { ...good, identifier: '' }, { ...good, extra_data: 'a' }],
    });
    expect(jobs.map((errors: object) => Object.keys(errors).join())).to.deep.equal([
      '',
      'non_field_errors',
      'unified_job_template',
      'unified_job_template',
      'identifier',
      'extra_data',
    ]);
    const wrong = await refused({
      jobs: [{ ...good, limit: ['x'] }, good, { ...good, extra_data: { x: '$encrypted$' } }],
    });
    expect(wrong['jobs'].map((errors: object) => Object.keys(errors).join())).to.deep.equal([
      'limit',
      '',
      'extra_data',
    ]);
    const twice = { ...good, identifier: 'same' };
    expect((await refused({ jobs: [twice, twice] }))['__all__'][0]).to.include('same');
    const { results: upkeep } = await must(core.admin.get('system_job_templates/'), 200);
    for (const id of [999_999, upkeep[0].id])
      expect((await refused({ jobs: [good, { unified_job_template: id }] }))['jobs'][1]).to.have.property(
        'unified_job_template',
      );
    for (const [key, value] of Object.entries({ inventory: 999_999, extra_vars: '[1', organization: 999_999 }))
      expect(await refused({ jobs: [good], [key]: value })).to.have.property(key);
    // a PATCH, as clients send it
    await must(core.admin.patch('settings/bulk/', { BULK_JOB_MAX_LAUNCH: 1 }), 200);
    expect((await refused({ jobs: [good, good] }))['__all__'][0]).to.include('BULK_JOB_MAX_LAUNCH');
    await must(core.admin.patch('settings/bulk/', { BULK_JOB_MAX_LAUNCH: 100 }), 200);
    expect(await runs()).to.equal(before);
  });

  it('needs the right to launch each of them, and one organization to belong to', async () => {
    const { must } = workflows;
    const operator = core.as('operator');
    const jobs = [{ unified_job_template: asks.id }];
    const homeless = await must(operator.post(path, { jobs }), 400);
    expect(homeless['__all__'][0]).to.match(/no organization/);
    await core.grant('operator', 'organizations/1/', 'member_role');
    const before = await runs();
    expect((await must(operator.post(path, { jobs }), 400)).jobs[0]).to.have.property('unified_job_template');
    await core.grant('operator', `job_templates/${asks.id}/`, 'execute_role');
    const two = [...jobs, { unified_job_template: fixed.id }];
    const partly = await must(operator.post(path, { jobs: two }), 400);
    expect(partly.jobs.map((errors: object) => Object.keys(errors).length)).to.deep.equal([0, 1]);
    const inventory = await core.makeInventory({ hosts: ['a'] });
    const foreign = await operator.post(path, { jobs, inventory: inventory.id });
    expect(foreign.status, foreign.text).to.equal(400);
    expect(await runs()).to.equal(before);
    const run = await must(operator.post(path, { jobs }), 201);
    expect((await must(operator.get(`workflow_jobs/${run.id}/`), 200)).summary_fields.organization.id).to.equal(1);
    expect((await core.as('stranger').get(`workflow_jobs/${run.id}/`)).status).to.equal(404);
    expect((await core.as(null).post(path, { jobs })).status).to.equal(401);
    const { body } = await core.admin.post('organizations/', { name: 'another' });
    await core.grant('operator', `organizations/${body.id}/`, 'member_role');
    expect((await must(operator.post(path, { jobs }), 400))['__all__'][0]).to.match(/several/);
    await must(operator.post(path, { jobs, organization: body.id }), 201);
  });
});
