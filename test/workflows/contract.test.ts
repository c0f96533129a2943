import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { WebSocket } from 'ws';
import { startCore } from '../../core/testing/start-core.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from './workflows.ts';

const many = 10_000;

describe('what clients are told of workflows', function () {
  this.timeout(240_000);
  let core: Core;
  let workflows: ReturnType<typeof workflowsOf>;

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
  });
  after(() => core?.stop());

  it('before a launch: which nodes launch nothing, and which keep what their templates do not take any more', async () => {
    const { must, workflow, node } = workflows;
    const asks = await core.makeTemplate({ ask_limit_on_launch: true });
    const made = await workflow({ limit: 'web' });
    const info = () => must(core.admin.get(`workflow_job_templates/${made.id}/launch/`), 200);
    const fits = await node(made.id, { identifier: 'fits', unified_job_template: asks.id, limit: 'here' });
    const empty = await node(made.id, { identifier: 'empty' });
    expect(await info()).to.deep.include({ node_templates_missing: [empty.id], node_prompts_rejected: [] });
    await must(core.admin.patch(`job_templates/${asks.id}/`, { ask_limit_on_launch: false }), 200);
    const told = await info();
    expect(told).to.deep.include({
      node_templates_missing: [empty.id],
      node_prompts_rejected: [fits.id],
      can_start_without_user_input: true,
      variables_needed_to_start: [],
      workflow_job_template_data: { id: made.id, name: made.name, description: '' },
    });
    expect(told.defaults).to.deep.include({ limit: 'web', inventory: { id: null, name: null } });
    const refused = await must(core.admin.post(`workflow_job_templates/${made.id}/launch/`, { limit: 'db' }), 400);
    expect(refused).to.have.all.keys('limit');
  });

  it('of links: none leads to another workflow or back, and a condition says what is wrong with it', async () => {
    const { must, workflow, node, follow } = workflows;
    const [one, other] = [await workflow(), await workflow()];
    const [a, b, c] = [await node(one.id, {}), await node(one.id, {}), await node(one.id, {})];
    const foreign = await node(other.id, {});
    const link = (from: number, kind: string, body: object, status: number) =>
      must(core.admin.post(`workflow_job_template_nodes/${from}/${kind}_nodes/`, body), status);
    await link(a.id, 'success', { id: foreign.id }, 403);
    await follow(a.id, 'success', b.id);
    await follow(b.id, 'always', c.id);
    expect((await link(c.id, 'failure', { id: a.id }, 400)).Error).to.match(/cycle/);
    expect((await link(a.id, 'always', { id: a.id }, 400)).Error).to.match(/cycle/);
    expect((await link(a.id, 'failure', { id: b.id }, 400)).Error).to.match(/linked already/);
    const after = async () => {
      const shown = await must(core.admin.get(`workflow_job_template_nodes/${a.id}/`), 200);
      return [shown.success_nodes, shown.failure_nodes, shown.condition_nodes];
    };
    await link(a.id, 'failure', { id: b.id, replaces: 'always' }, 400);
    await link(a.id, 'condition', { id: b.id, replaces: 'success', artifact_key: '' }, 400);
    expect(await after()).to.deep.equal([[b.id], [], []]);
    await link(a.id, 'failure', { id: b.id, replaces: 'success' }, 204);
    expect(await after()).to.deep.equal([[], [b.id], []]);
    await link(a.id, 'success', { id: b.id, replaces: 'failure' }, 204);
    const wrong = { id: c.id, trigger: 'perhaps', operator: 'gt', artifact_key: ' ' };
    expect(await link(a.id, 'condition', wrong, 400)).to.have.all.keys('trigger', 'operator', 'artifact_key');
    await follow(a.id, 'condition', c.id, { artifact_key: 'count', expected_value: 3 });
    await follow(a.id, 'condition', c.id, { artifact_key: 'count', operator: 'ne' });
    const { condition_edges: edges } = await must(core.admin.get(`workflow_job_template_nodes/${a.id}/`), 200);
    expect(edges).to.deep.equal([
      { id: c.id, trigger: 'success', artifact_key: 'count', operator: 'ne', expected_value: '', expression: '' },
    ]);
    const asks = (expression: unknown, more = {}) => link(a.id, 'condition', { id: c.id, expression, ...more }, 400);
    expect(await asks('artifacts.count >')).to.have.all.keys('expression');
    expect(await asks('1 }} {{ 2')).to.have.all.keys('expression');
    expect(await asks(7)).to.have.all.keys('expression');
    expect(await asks('true', { artifact_key: 'count' })).to.have.all.keys('artifact_key');
    await follow(a.id, 'condition', c.id, { expression: 'artifacts.count > 3', trigger: 'always' });
    const { condition_edges: asked } = await must(core.admin.get(`workflow_job_template_nodes/${a.id}/`), 200);
    expect(asked).to.deep.equal([
      {
        id: c.id,
        trigger: 'always',
        artifact_key: '',
        operator: 'eq',
        expected_value: '',
        expression: 'artifacts.count > 3',
      },
    ]);
    await must(core.admin.post('workflow_job_template_nodes/', { identifier: 'nowhere' }), 400);
    await link(a.id, 'success', { id: b.id, disassociate: true }, 204);
  });

  it('of a copy: what whoever copies may not use is named first, and left out', async () => {
    const { must, workflow, node, follow, asksPeople } = workflows;
    const [theirs, secret] = [
      await core.makeTemplate({ ask_credential_on_launch: true, ask_inventory_on_launch: true }),
      await core.makeTemplate(),
    ];
    const [machine] = (await must(core.admin.get('credential_types/?namespace=ssh'), 200)).results;
    const key = { name: 'a key of others', organization: 1, credential_type: machine.id };
    const credential = await must(core.admin.post('credentials/', key), 201);
    const inventory = await core.makeInventory();
    const made = await workflow({ inventory: inventory.id });
    const uses = await node(made.id, { identifier: 'uses', unified_job_template: theirs.id, inventory: inventory.id });
    await must(core.admin.post(`workflow_job_template_nodes/${uses.id}/credentials/`, { id: credential.id }), 204);
    const hidden = await node(made.id, { identifier: 'hidden', unified_job_template: secret.id });
    const asked = await node(made.id, { identifier: 'asked' });
    const approval = await asksPeople(asked.id);
    await follow(uses.id, 'success', hidden.id);
    await follow(hidden.id, 'always', asked.id);

    const user = await core.makeUser('copier');
    await must(core.admin.post('organizations/1/users/', { id: user.id }), 204);
    await core.grant('copier', 'organizations/1/', 'workflow_admin_role');
    await core.grant('copier', `job_templates/${theirs.id}/`, 'execute_role');
    const path = `workflow_job_templates/${made.id}/copy/`;
    expect(await must(core.as('copier').get(path), 200)).to.deep.equal({
      can_copy: true,
      can_copy_without_user_input: false,
      templates_unable_to_copy: [secret['name']],
      credentials_unable_to_copy: ['a key of others'],
      inventories_unable_to_copy: [inventory['name']],
    });
    expect((await must(core.admin.get(path), 200)).can_copy_without_user_input).to.equal(true);
    const copy = await must(core.as('copier').post(path, { name: 'a copy' }), 201);
    expect(copy.inventory).to.equal(null);
    const { results } = await must(core.admin.get(`workflow_job_templates/${copy.id}/workflow_nodes/`), 200);
    const nodes = Object.fromEntries(results.map((one: any) => [one.identifier, one]));
    expect(nodes.uses).to.deep.include({
      unified_job_template: theirs.id,
      inventory: null,
      success_nodes: [nodes.hidden.id],
    });
    expect((await core.admin.get(`workflow_job_template_nodes/${nodes.uses.id}/credentials/`)).body.count).to.equal(0);
    expect(nodes.hidden).to.deep.include({ unified_job_template: null, always_nodes: [nodes.asked.id] });
    // an approval is its workflow's own
    expect(nodes.asked.summary_fields.unified_job_template).to.include({ name: 'Shall we?' });
    expect(nodes.asked.unified_job_template).not.to.equal(approval.id);
    expect((await must(core.as('copier').get(`workflow_job_templates/${copy.id}/`), 200)).name).to.equal('a copy');

    await core.makeUser('reader');
    await core.grant('reader', `workflow_job_templates/${made.id}/`, 'read_role');
    expect((await must(core.as('reader').get(path), 200)).templates_unable_to_copy).to.deep.equal(['all']);
    await must(core.as('reader').post(path, { name: 'none' }), 403);
  });

  it('of a copy: it names no environment, instance group, label or credential that whoever copies may not use', async () => {
    const { must, workflow, node } = workflows;
    const other = await must(core.admin.post('organizations/', { name: 'elsewhere' }), 201);
    const environment = { name: 'theirs', organization: other.id, image: 'quay.io/theirs/one' };
    const { id: execution_environment } = await must(core.admin.post('execution_environments/', environment), 201);
    const group = await must(core.admin.post('instance_groups/', { name: 'theirs' }), 201);
    const label = { name: 'theirs', organization: other.id };
    const asks = Object.fromEntries(
      ['execution_environment', 'labels', 'instance_groups'].map((name) => [`ask_${name}_on_launch`, true]),
    );
    const template = await core.makeTemplate({ ...asks, execution_environment });
    const made = await workflow();
    const uses = await node(made.id, { identifier: 'uses', unified_job_template: template.id, execution_environment });
    const path = `workflow_job_template_nodes/${uses.id}/`;
    await must(core.admin.post(`${path}labels/`, label), 201);
    for (const at of [path, `job_templates/${template.id}/`])
      await must(core.admin.post(`${at}instance_groups/`, { id: group.id }), 204);

    const user = await core.makeUser('keeper');
    await must(core.admin.post('organizations/1/users/', { id: user.id }), 204);
    await core.grant('keeper', 'organizations/1/', 'admin_role');
    const copied = async (from: string, by = core.as('keeper')) =>
      must(by.post(`${from}copy/`, { name: `copy ${Math.random()}` }), 201);
    const count = async (at: string, list: string) => (await must(core.admin.get(`${at}${list}/`), 200)).count;
    for (const [by, left] of [
      [core.as('keeper'), 0],
      [core.admin, 1],
    ] as const) {
      const kept = left ? execution_environment : null;
      const job = await copied(`job_templates/${template.id}/`, by);
      expect(job.execution_environment).to.equal(kept);
      expect(await count(`job_templates/${job.id}/`, 'instance_groups')).to.equal(left);
      const flow = await copied(`workflow_job_templates/${made.id}/`, by);
      const [only] = (await must(core.admin.get(`workflow_job_templates/${flow.id}/workflow_nodes/`), 200)).results;
      expect(only).to.include({ execution_environment: kept, unified_job_template: template.id });
      for (const list of ['labels', 'instance_groups'])
        expect(await count(`workflow_job_template_nodes/${only.id}/`, list), list).to.equal(left);
    }
  });

  it('of a cycle also where it closes behind ten thousand nodes in a row', async () => {
    const made = await workflows.workflow();
    const { rows } = await core.db.raw(
      `insert into workflow_job_template_nodes (workflow_job_template_id, identifier)
       select ?, 'node ' || n from generate_series(1, ?::integer) n returning id`,
      [made.id, many],
    );
    const ids: number[] = rows.map(({ id }: { id: number }) => id).toSorted((x: number, y: number) => x - y);
    await core.db.raw(
      `insert into workflow_node_links (parent_id, child_id, kind)
       select ids[n], ids[n + 1], 'always' from (select ?::bigint[] as ids) i, generate_series(1, ?::integer) n`,
      [ids, many - 1],
    );
    const back = await core.admin.post(`workflow_job_template_nodes/${ids.at(-1)}/success_nodes/`, { id: ids[0] });
    expect([back.status, back.body.Error]).to.deep.equal([
      400,
      'A cycle was found: the node comes before the one that it should follow.',
    ]);
  });

  it('of schedules: whoever listens hears which changed', async () => {
    const { must, workflow } = workflows;
    const { token } = await must(core.admin.post('tokens/', {}), 201);
    const socket = new WebSocket(`${core.url.replace('http', 'ws')}/websocket/`, {
      headers: { authorization: `Bearer ${token}` },
    });
    try {
      const messages: any[] = [];
      socket.on('message', (data) => messages.push(JSON.parse(String(data))));
      socket.on('open', () => socket.send(JSON.stringify({ groups: { schedules: ['changed'] } })));
      await until(() => messages.find((one) => one.groups_current?.includes('schedules-changed')));
      const made = await workflow();
      const rrule = 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1';
      const { id } = await must(
        core.admin.post(`workflow_job_templates/${made.id}/schedules/`, { name: 'told', rrule }),
        201,
      );
      await until(() => messages.some((one) => one.group_name === 'schedules' && one.id === id));
    } finally {
      socket.terminate();
    }
  });
});
