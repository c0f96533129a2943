import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { workflowsOf } from './workflows.ts';

const asksAll = Object.fromEntries(
  ['credential', 'inventory', 'limit', 'labels'].map((name) => [`ask_${name}_on_launch`, true]),
);
const spec = [{ question_name: 'pw', variable: 'pw', type: 'password', required: true, default: '' }];
const rrule = 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1';

describe('what was saved, when it goes to another template', function () {
  this.timeout(120_000);
  let core: Core;
  let workflows: ReturnType<typeof workflowsOf>;
  let ids: Record<'theirs' | 'own' | 'bare' | 'inventory' | 'credential' | 'flow', number>;

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
    const { must, workflow } = workflows;
    const [machine] = (await must(core.admin.get('credential_types/?namespace=ssh'), 200)).results;
    const key = { name: 'a key of others', organization: 1, credential_type: machine.id };
    ids = {
      theirs: await asking(),
      own: await asking(),
      bare: (await core.makeTemplate()).id,
      inventory: (await core.makeInventory()).id,
      credential: (await must(core.admin.post('credentials/', key), 201)).id,
      flow: (await workflow()).id,
    };
    for (const name of ['weaver', 'trusted']) {
      const user = await core.makeUser(name);
      await must(core.admin.post('organizations/1/users/', { id: user.id }), 204);
      await core.grant(name, `workflow_job_templates/${ids.flow}/`, 'admin_role');
      for (const template of [ids.own, ids.bare]) await core.grant(name, `job_templates/${template}/`, 'admin_role');
    }
    await core.grant('trusted', `job_templates/${ids.theirs}/`, 'admin_role');
    await core.grant('trusted', `inventories/${ids.inventory}/`, 'use_role');
    await core.grant('trusted', `credentials/${ids.credential}/`, 'use_role');
  });
  after(() => core?.stop());

  /** A template with a question for a password that asks for much. */
  async function asking(): Promise<number> {
    const { id } = await core.makeTemplate({ ...asksAll, survey_enabled: true });
    await workflows.must(
      core.admin.post(`job_templates/${id}/survey_spec/`, { name: 'a', description: 'b', spec }),
      200,
    );
    return id;
  }

  const saved = () => ({ inventory: ids.inventory, limit: 'web', extra_data: { pw: 'of others' } });
  const withKey = async (path: string) => {
    await workflows.must(core.admin.post(`${path}credentials/`, { id: ids.credential }), 204);
    await workflows.must(core.admin.post(`${path}labels/`, { name: `label ${path}`, organization: 1 }), 201);
    return path;
  };
  let count = 0;
  const makers = {
    node: async (template: number) => {
      const columns = { identifier: `n${++count}`, unified_job_template: template, ...saved() };
      return withKey(`workflow_job_template_nodes/${(await workflows.node(ids.flow, columns)).id}/`);
    },
    schedule: async (template: number) => {
      const columns = { name: `s${++count}`, rrule, unified_job_template: template, ...saved() };
      const { id } = await workflows.must(core.admin.post('schedules/', columns), 201);
      return withKey(`schedules/${id}/`);
    },
  };
  const left = async (path: string) => {
    const { must } = workflows;
    const { inventory, limit, extra_data } = await must(core.admin.get(path), 200);
    const [table, id] = path.split('/') as [string, string];
    const { survey_passwords: sealed } = await core.db(table).where({ id }).first('survey_passwords');
    return {
      inventory,
      limit,
      extra_data,
      secret: Object.keys(sealed ?? {}),
      credentials: (await must(core.admin.get(`${path}credentials/`), 200)).count,
      labels: (await must(core.admin.get(`${path}labels/`), 200)).count,
    };
  };
  const nothing = { inventory: null, limit: null, extra_data: {}, secret: [], credentials: 0, labels: 0 };
  const all = () => ({
    inventory: ids.inventory,
    limit: 'web',
    extra_data: { pw: '$encrypted$' },
    secret: ['pw'],
    credentials: 1,
    labels: 1,
  });
  const mine = { unified_job_template: 0, extra_data: { pw: 'mine' } };
  const to = (template: number) => ({ ...mine, unified_job_template: template });

  it('takes along what its mover may use, and no secret answers but those of superusers', async () => {
    const { must } = workflows;
    for (const make of Object.values(makers)) {
      const path = await make(ids.theirs);
      const weavers = await core.as('weaver').patch(path, to(ids.own));
      expect([403, 404], 'without a right to what it launches').to.include(weavers.status);
      const again = { ...to(ids.own), extra_data: { pw: '$encrypted$' } };
      const { extra_data: why } = await must(core.as('trusted').patch(path, again), 400);
      expect(why).to.deep.equal(['There is no answer to keep for: pw.']);
      expect(await left(path)).to.deep.equal(all());
      await must(core.as('trusted').patch(path, to(ids.own)), 200);
      expect(await left(path), path).to.deep.equal(all());
      await must(core.admin.patch(path, { unified_job_template: ids.theirs }), 200);
      expect(await left(path), path).to.deep.equal(all());
    }
    const path = await makers.node(ids.theirs);
    await must(core.as('trusted').patch(path, { unified_job_template: ids.own }), 200);
    expect(await left(path)).to.deep.equal({ ...all(), extra_data: {}, secret: [] });
  });

  it('leaves behind what its mover may not use, and refuses it where it is sent along', async () => {
    const { must } = workflows;
    await core.grant('weaver', `job_templates/${ids.theirs}/`, 'admin_role');
    for (const make of Object.values(makers)) {
      const path = await make(ids.theirs);
      await must(core.as('weaver').patch(path, { ...to(ids.own), inventory: ids.inventory }), 403);
      await must(core.as('weaver').patch(path, to(ids.own)), 200);
      // the answer is its own
      expect(await left(path), path).to.deep.equal({ ...all(), inventory: null, credentials: 0 });
    }
  });

  it('leaves behind what the other template does not ask for', async () => {
    const { must } = workflows;
    for (const make of Object.values(makers)) {
      const path = await make(ids.theirs);
      await must(core.admin.patch(path, { unified_job_template: ids.bare, limit: 'web' }), 400);
      expect(await left(path), path).to.deep.equal(all());
      await must(core.admin.patch(path, { unified_job_template: ids.bare }), 200);
      expect(await left(path), path).to.deep.equal(nothing);
    }
  });

  it('is forgotten where a node becomes an approval, or has no template any more', async () => {
    const { must } = workflows;
    const approval = await makers.node(ids.theirs);
    const made = await must(core.as('weaver').post(`${approval}create_approval_template/`, { name: 'Shall we?' }), 201);
    expect(await left(approval)).to.deep.equal(nothing);
    await must(core.as('weaver').patch(approval, { unified_job_template: ids.own }), 200);
    expect(await left(approval)).to.deep.equal(nothing);
    await must(core.admin.get(`workflow_approval_templates/${made.id}/`), 404);

    const emptied = await makers.node(ids.theirs);
    await must(core.admin.patch(emptied, { unified_job_template: null }), 200);
    expect(await left(emptied)).to.deep.equal(nothing);

    const going = await asking();
    const orphan = await makers.node(going);
    await must(core.admin.delete(`job_templates/${going}/`), 204);
    await must(core.as('weaver').patch(orphan, to(ids.own)), 200);
    expect(await left(orphan)).to.deep.equal({ ...all(), inventory: null, credentials: 0 });
  });

  it('is not copied to a node whose template is left out', async () => {
    const { must, workflow, node } = workflows;
    const made = await workflow();
    const [hidden, going] = [await asking(), await asking()];
    for (const [identifier, template] of Object.entries({ hidden, going })) {
      const columns = { identifier, unified_job_template: template, ...saved() };
      await withKey(`workflow_job_template_nodes/${(await node(made.id, columns)).id}/`);
    }
    await must(core.admin.delete(`job_templates/${going}/`), 204);
    await core.grant('trusted', 'organizations/1/', 'workflow_admin_role');
    for (const by of ['trusted', 'admin']) {
      const client = by === 'admin' ? core.admin : core.as(by);
      const path = `workflow_job_templates/${made.id}/copy/`;
      const copy = await must(client.post(path, { name: `a copy by ${by}` }), 201);
      const { results } = await must(core.admin.get(`workflow_job_templates/${copy.id}/workflow_nodes/`), 200);
      for (const { id, identifier } of results) {
        const kept = by === 'admin' && identifier === 'hidden' ? all() : nothing;
        expect(await left(`workflow_job_template_nodes/${id}/`), `${identifier} by ${by}`).to.deep.equal(kept);
      }
    }
  });

  it('is not asked for where a node would take the approval of another', async () => {
    const { must, node, asksPeople } = workflows;
    const theirs = await node(ids.flow, { identifier: 'theirs' });
    const approval = await asksPeople(theirs.id);
    const other = await node(ids.flow, { identifier: 'other' });
    await must(
      core.admin.patch(`workflow_job_template_nodes/${other.id}/`, { unified_job_template: approval.id }),
      400,
    );
    await must(
      core.admin.patch(`workflow_job_template_nodes/${theirs.id}/`, { unified_job_template: approval.id }),
      200,
    );
  });
});
