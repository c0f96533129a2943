import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { workflowsOf } from './workflows.ts';

const spec = [
  { question_name: 'pw', variable: 'pw', type: 'password', required: false, default: '' },
  { question_name: 'size', variable: 'size', type: 'text', required: false, default: '' },
];
const asks = {
  ask_credential_on_launch: true,
  ask_inventory_on_launch: true,
  ask_variables_on_launch: true,
  ask_limit_on_launch: true,
  ask_tags_on_launch: true,
  ask_instance_groups_on_launch: true,
};
const rrule = 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1';

/** What nodes and schedules bring was put there by whoever could use it, for the template of then. */
describe('saved prompts, where another template is named', function () {
  let core: Core;
  let workflows: ReturnType<typeof workflowsOf>;
  let theirs: any;
  let own: any;
  let credential: any;
  let group: any;
  let inventory: any;
  let flow: any;

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
    const { must, workflow } = workflows;
    [theirs, own] = [await core.makeTemplate({ ...asks, survey_enabled: true }), await core.makeTemplate(asks)];
    await must(core.admin.patch(`job_templates/${own.id}/`, { ask_tags_on_launch: false }), 200);
    const survey = { name: 'a', description: 'b', spec };
    await must(core.admin.post(`job_templates/${theirs.id}/survey_spec/`, survey), 200);
    const [machine] = (await must(core.admin.get('credential_types/?namespace=ssh'), 200)).results;
    const key = { name: 'a key of others', organization: 1, credential_type: machine.id };
    credential = await must(core.admin.post('credentials/', key), 201);
    group = await must(core.admin.post('instance_groups/', { name: 'theirs' }), 201);
    inventory = await core.makeInventory();
    flow = await workflow();
    const user = await core.makeUser('mover');
    await must(core.admin.post('organizations/1/users/', { id: user.id }), 204);
    await core.grant('mover', `workflow_job_templates/${flow.id}/`, 'admin_role');
    await core.grant('mover', `job_templates/${own.id}/`, 'admin_role');
  });
  after(() => core?.stop());

  const saved = () => ({
    unified_job_template: theirs.id,
    inventory: inventory.id,
    limit: 'web',
    job_tags: 'deploy',
    extra_data: { pw: 'secret', size: 'big' },
  });
  const furnish = async (path: string) => {
    const { must } = workflows;
    await must(core.admin.post(`${path}credentials/`, { id: credential.id }), 204);
    await must(core.admin.post(`${path}instance_groups/`, { id: group.id }), 204);
    return path;
  };
  const node = async () => {
    const made = await workflows.node(flow.id, { identifier: `n${Math.random()}`, ...saved() });
    return furnish(`workflow_job_template_nodes/${made.id}/`);
  };
  const schedule = async () => {
    const body = { name: `s${Math.random()}`, rrule, ...saved() };
    const made = await workflows.must(core.admin.post('schedules/', body), 201);
    return furnish(`schedules/${made.id}/`);
  };
  const brings = async (path: string) => {
    const { must } = workflows;
    const row = await must(core.admin.get(path), 200);
    const ids = async (list: string) =>
      (await must(core.admin.get(`${path}${list}/`), 200)).results.map(({ id }: any) => id);
    const [table, id] = path.split('/');
    const stored = await core
      .db(table === 'schedules' ? 'schedules' : 'workflow_job_template_nodes')
      .where({ id })
      .first();
    const { inventory: named, limit, job_tags, extra_data } = row;
    const lists = { credentials: await ids('credentials'), groups: await ids('instance_groups') };
    return { inventory: named, limit, job_tags, extra_data, ...lists, secret: stored.survey_passwords !== null };
  };
  const nothing = {
    inventory: null,
    limit: null,
    job_tags: null,
    extra_data: {},
    credentials: [],
    groups: [],
    secret: false,
  };

  it('take along what the caller may use and the other asks for, and no secret answer', async () => {
    const { must } = workflows;
    await core.grant('mover', `job_templates/${theirs.id}/`, 'execute_role');
    const path = await node();
    expect((await brings(path)).secret).to.equal(true);
    await must(core.as('mover').patch(path, { unified_job_template: own.id }), 200);
    expect(await brings(path)).to.deep.equal({ ...nothing, limit: 'web', extra_data: { size: 'big' } });

    const whole = await node();
    await must(core.admin.patch(whole, { unified_job_template: own.id }), 200);
    const kept = { inventory: inventory.id, credentials: [credential.id], groups: [group.id] };
    expect(await brings(whole)).to.deep.equal({ ...nothing, ...kept, limit: 'web', extra_data: { size: 'big' } });
  });

  it('ask for the right to use an inventory that is named once more, and for secret answers anew', async () => {
    const path = await node();
    const mover = core.as('mover');
    const again = { unified_job_template: own.id, inventory: inventory.id };
    expect((await mover.patch(path, again)).status).to.equal(403);
    const answers = { unified_job_template: own.id, extra_data: { pw: '$encrypted$' } };
    const refused = await mover.patch(path, answers);
    expect([refused.status, Object.keys(refused.body)]).to.deep.equal([400, ['extra_data']]);
    expect(await brings(path)).to.include({ inventory: inventory.id, secret: true });
  });

  it('are gone where a node becomes an approval, or launches nothing for a while', async () => {
    const { must } = workflows;
    const asked = await node();
    await must(core.as('mover').post(`${asked}create_approval_template/`, { name: 'Shall we?' }), 201);
    expect(await brings(asked)).to.deep.equal(nothing);
    await must(core.as('mover').patch(asked, { unified_job_template: own.id }), 200);
    expect(await brings(asked)).to.deep.equal(nothing);

    const path = await node();
    await must(core.as('mover').patch(path, { unified_job_template: null }), 200);
    expect(await brings(path)).to.deep.equal(nothing);
    // of a template that was deleted it stands there still
    const left = await node();
    await core
      .db('workflow_job_template_nodes')
      .where({ id: left.split('/')[1] })
      .update({ unified_job_template_id: null });
    await must(core.as('mover').patch(left, { unified_job_template: own.id }), 200);
    expect(await brings(left)).to.deep.equal({ ...nothing, limit: 'web', extra_data: { size: 'big' } });
  });

  it('stay behind where a schedule is moved', async () => {
    const { must } = workflows;
    await core.grant('mover', `job_templates/${theirs.id}/`, 'admin_role');
    const path = await schedule();
    await must(core.as('mover').patch(path, { unified_job_template: own.id }), 200);
    expect(await brings(path)).to.deep.equal({ ...nothing, limit: 'web', extra_data: { size: 'big' } });
  });

  it('are left out of a copy with the template that whoever copies may not launch', async () => {
    const { must, workflow } = workflows;
    const other = await workflow();
    const hidden = await workflows.node(other.id, { identifier: 'hidden', ...saved() });
    await furnish(`workflow_job_template_nodes/${hidden.id}/`);
    const user = await core.makeUser('copier');
    await must(core.admin.post('organizations/1/users/', { id: user.id }), 204);
    await core.grant('copier', 'organizations/1/', 'workflow_admin_role');
    const copy = await must(core.as('copier').post(`workflow_job_templates/${other.id}/copy/`, { name: 'mine' }), 201);
    const { results } = await must(core.admin.get(`workflow_job_templates/${copy.id}/workflow_nodes/`), 200);
    expect(results[0].unified_job_template).to.equal(null);
    expect(await brings(`workflow_job_template_nodes/${results[0].id}/`)).to.deep.equal(nothing);
  });
});
