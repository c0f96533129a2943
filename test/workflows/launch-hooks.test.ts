import { expect } from 'chai';
import type { Launch, LaunchNode } from '@tapline/plugin-sdk';
import { type Core, until } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { testPlugin } from '../support/plugins.ts';
import { workflowsOf } from './workflows.ts';

interface Seen {
  kind: string;
  name: string;
  nodes: readonly LaunchNode[] | undefined;
  content: unknown;
  /** runs that it had launched by then */
  launched: number;
}

describe('taps that decide about workflows', function () {
  this.timeout(120_000);
  let core: Core;
  let seen: Seen[];
  let workflows: ReturnType<typeof workflowsOf>;

  async function look({ run, template, content }: Launch) {
    if (run.kind === 'workflow_approval' && run.name === 'No question')
      return { status: 403, body: { detail: 'Nobody is to be asked now.' } };
    if (run.kind !== 'workflow_job') return undefined;
    const [{ count }] = (await core.db('runs').where({ parent_id: run.id }).count()) as [{ count: string }];
    seen.push({
      kind: run.kind,
      name: run.name,
      nodes: template?.nodes,
      content: await content(),
      launched: Number(count),
    });
    const risky = template?.nodes?.some(({ playbook }) => playbook === 'risky.yml');
    return risky ? { status: 403, body: { detail: 'A node of it runs risky.yml.' } } : undefined;
  }

  before(async () => {
    const gate = testPlugin('gate', (api) => api.hooks.beforeStart({ name: 'gate', failMode: 'deny' }, look));
    core = await startCore({ plugins: [gate], env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
  });
  after(() => core?.stop());
  beforeEach(() => (seen = []));

  it('see its nodes before any is launched, and those within it when that is reached', async () => {
    const { workflow, node, launch, ended } = workflows;
    const [inner, outer] = [await workflow({ name: 'inner' }), await workflow({ name: 'outer' })];
    await node(outer.id, { identifier: 'within', unified_job_template: inner.id });
    await node(inner.id, { identifier: 'nothing' });
    const run = await ended((await launch(outer.id)).id);
    expect(run.status).to.equal('failed');
    const nothing = { playbook: null, inventory_id: null, project_id: null, project_name: null };
    expect(seen).to.have.lengthOf(2);
    expect(seen[0]).to.include({ name: 'outer', content: null, launched: 0 });
    expect(seen[0]!.nodes).to.deep.equal([
      {
        ...nothing,
        identifier: 'within',
        unified_job_template: inner.id,
        kind: 'workflow_job_template',
        name: 'inner',
        playbook: '',
      },
    ]);
    expect(seen[1]).to.include({ name: 'inner' });
    expect(seen[1]!.nodes).to.deep.equal([
      { ...nothing, identifier: 'nothing', unified_job_template: null, kind: null, name: null },
    ]);
  });

  it('are told of the nodes that run again, and by a denial keep all of them from beginning', async () => {
    const { must, workflow, node, launch, ended } = workflows;
    const project = await core.makeProject({ 'risky.yml': '- hosts: all\n' });
    const template = await core.makeTemplate({ project: project.id, playbook: 'risky.yml' });
    const made = await workflow();
    const fails = await node(made.id, { identifier: 'fails' });
    const failed = await ended((await launch(made.id)).id);
    await must(
      core.admin.patch(`workflow_job_template_nodes/${fails.id}/`, { unified_job_template: template.id }),
      200,
    );
    const before = await core.db('runs').count();
    const denied = await must(core.admin.post(`workflow_job_templates/${made.id}/launch/`, {}), 403);
    expect(denied.detail).to.match(/risky/);
    expect(seen.at(-1)!.nodes![0]).to.include({ playbook: 'risky.yml', project_name: project['name'] });
    expect(await core.db('runs').count()).to.deep.equal(before);
    // from where it failed the nodes are those of then
    const again = await must(core.admin.post(`workflow_jobs/${failed.id}/relaunch/`, { nodes: 'failed' }), 201);
    expect(seen.at(-1)!.nodes).to.deep.include({ ...seen[0]!.nodes![0]! });
    await until(async () => (await core.admin.get(`workflow_jobs/${again.id}/`)).body.finished, 90_000);
  });

  it('keep people from being told of an approval that they deny, and have them told once of any other', async () => {
    const { must, workflow, node, follow, asksPeople, launch, pending, notes, noted } = workflows;
    const made = await workflow();
    const [denied, asked] = [
      await node(made.id, { identifier: 'denied' }),
      await node(made.id, { identifier: 'asked' }),
    ];
    await asksPeople(denied.id, { name: 'No question' });
    await asksPeople(asked.id);
    await follow(denied.id, 'failure', asked.id);
    await notes(made.id);
    const run = await launch(made.id);
    const waits = await pending(run.id);
    expect(waits.name).to.equal('Shall we?');
    expect(await noted(run.id)).to.deep.equal(['running']);
    await must(core.admin.post(`workflow_approvals/${waits.id}/deny/`, {}), 204);
  });

  it('go on past a node that cannot be launched or decided about, whatever the reason', async () => {
    const { must, workflow, node, follow, launch, nodesOf, ended } = workflows;
    const names = ['refused', 'undecided', 'sound'];
    const [refused, undecided, sound] = await Promise.all(names.map((name) => workflow({ name })));
    await core.db.raw(`
      create function refuse_run() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$;
      create trigger refused before insert on runs for each row when (new.name = 'refused') execute function refuse_run();
      create trigger undecided before update on runs for each row
        when (new.name = 'undecided' and new.status = 'pending') execute function refuse_run();`);
    const made = await workflow();
    for (const [index, { id }] of [refused, undecided, sound].entries()) {
      const first = await node(made.id, { identifier: names[index], unified_job_template: id });
      const then = await node(made.id, { identifier: `after ${names[index]}`, unified_job_template: sound.id });
      await follow(first.id, 'failure', then.id);
    }
    await node(made.id, { identifier: 'last', unified_job_template: refused.id });
    const told = {
      name: 'told',
      organization: 1,
      notification_type: 'webhook',
      notification_configuration: { url: 'http://127.0.0.1:9/', headers: {} },
    };
    await must(core.admin.post(`workflow_job_templates/${undecided.id}/notification_templates_error/`, told), 201);
    const run = await ended((await launch(made.id)).id);
    const nodes = await nodesOf(run.id);
    const { job } = nodes['undecided'];
    expect((await must(core.admin.get(`workflow_jobs/${job}/notifications/`), 200)).count, 'word of it').to.equal(1);
    expect(nodes['refused']).to.include({ job: null, do_not_run: false }).and.have.property('explanation').match(/log/);
    expect(nodes['undecided'].summary_fields.job.status).to.equal('error');
    expect(nodes['sound']).to.have.property('explanation', '');
    for (const name of ['sound', 'after refused', 'after undecided'])
      expect(nodes[name].summary_fields.job?.status, name).to.equal('successful');
    expect(nodes['after sound']).to.include({ do_not_run: true });
    expect(run).to.include({ status: 'failed' });
    expect(run.job_explanation).to.match(/for workflow node \d+ \(error: The service could not launch it/);
  });
});
