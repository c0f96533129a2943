import { expect } from 'chai';
import { type Stage, startStage } from '../launch/fixture.ts';
import { until } from '../support/until.ts';

const local = 'ansible_connection: local\nansible_python_interpreter: "{{ ansible_playbook_python }}"\n';

describe('federated inventories', function () {
  let stage: Stage;
  let organization: number;
  let second: any;
  let federated: any;

  before(async () => {
    stage = await startStage();
    ({ organization } = (await stage.get(`inventories/${stage.inventory}/`)).body);
    const variables = 'zone: second\nof: second';
    second = await add('inventories/', { name: 'second', organization, variables });
    for (const [name, more] of [
      ['good', { variables: `${local}from: second\n` }],
      ['third', { variables: local }],
      ['off', { enabled: false }],
    ] as const)
      await add('hosts/', { name, inventory: second.id, ...more });
    for (const [inventory, members, text] of [
      [stage.inventory, ['good', 'bad'], 'port: 1\nolder: yes'],
      [second.id, ['third', 'off'], 'port: 2'],
    ] as const) {
      const group = await add('groups/', { name: 'web', inventory, variables: text });
      for (const name of members) {
        const [host] = (await stage.get(`inventories/${inventory}/hosts/?name=${name}`)).body.results;
        await stage.post(`groups/${group.id}/hosts/`, { id: host.id });
      }
    }
    const below = await add('groups/', { name: 'below', inventory: second.id });
    const [web] = (await stage.get(`inventories/${second.id}/groups/?name=web`)).body.results;
    await stage.post(`groups/${web.id}/children/`, { id: below.id });
    federated = await add('inventories/', { name: 'all of us', organization, kind: 'federated', variables: 'of: own' });
  });
  after(() => stage?.stop());

  const add = async (path: string, body: object): Promise<any> => {
    const answer = await stage.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const at = (path = '') => `inventories/${federated.id}/${path}`;
  const names = async (path: string): Promise<string[]> =>
    (await stage.get(path)).body.results.map(({ name }: { name: string }) => name);

  it('lead to what they have, and are the same records at their own address', async () => {
    const { related } = federated;
    expect(related.federated_url).to.equal(`/api/v2/federated_inventories/${federated.id}/`);
    expect(related.input_inventories).to.equal(`/api/v2/${at('input_inventories/')}`);
    for (const name of ['groups', 'root_groups', 'tree', 'inventory_sources', 'constructed_url'])
      expect(related).to.not.have.property(name);
    const { body } = await stage.get(related.federated_url);
    expect(body).to.include({ type: 'federated_inventory', kind: 'federated', name: 'all of us', total_hosts: 0 });
    expect(body).to.not.have.any.keys('host_filter', 'prevent_instance_group_fallback', 'source_vars');
    const made = await add('federated_inventories/', { name: 'brief', organization });
    const path = `federated_inventories/${made.id}/`;
    expect((await stage.request('PATCH', path, { body: { description: 'x' } })).body.description).to.equal('x');
    expect((await stage.request('PATCH', path, { body: { kind: 'smart' } })).status).to.equal(405);
    const [entry] = (await stage.get(`inventories/${made.id}/activity_stream/?order_by=-id`)).body.results;
    expect(entry).to.deep.include({ operation: 'update', changes: { description: ['', 'x'] } });
    expect((await stage.request('DELETE', path)).status).to.equal(202);
    await until(async () => (await stage.get(path)).status === 404);
    const [gone] = (await stage.get('activity_stream/?operation=delete&order_by=-id')).body.results;
    expect(gone.changes.coalesced_data).to.deep.equal({ hosts_deleted: 0, groups_deleted: 0 });
    const options = (await stage.request('OPTIONS', 'federated_inventories/')).body.actions;
    expect(options.POST)
      .to.include.keys('name', 'organization', 'variables')
      .and.not.include.keys('kind', 'host_filter');
    const refused = { name: 'x', organization, kind: 'federated', host_filter: 'name=x' };
    expect((await stage.post('inventories/', refused)).body).to.have.all.keys('host_filter');
  });

  it('take plain inventories in order, and no hosts, groups and sources of their own', async () => {
    for (const id of [stage.inventory, second.id])
      expect((await stage.post(at('input_inventories/'), { id })).status).to.equal(204);
    expect(await names(at('input_inventories/'))).to.deep.equal(['stage', 'second']);
    const smart = await add('inventories/', { name: 'smart', organization, kind: 'smart', host_filter: 'name=third' });
    const built = await add('inventories/', { name: 'built', organization, kind: 'constructed' });
    for (const id of [smart.id, built.id, federated.id]) {
      const { status, body } = await stage.post(at('input_inventories/'), { id });
      expect([status, Object.keys(body)]).to.deep.equal([400, ['error']]);
    }
    for (const path of ['hosts/', 'groups/', 'root_groups/']) {
      const { status, body } = await stage.post(at(path), { name: 'x' });
      expect([status, Object.keys(body)]).to.deep.equal([400, ['error']]);
    }
    for (const path of ['hosts/', 'groups/'])
      expect((await stage.post(path, { name: 'x', inventory: federated.id })).status).to.equal(400);
    expect((await stage.post(at('inventory_sources/'), { name: 'x', source: 'custom' })).status).to.equal(400);
  });

  it('list and count the hosts and groups of their inputs', async () => {
    expect(await names(at('hosts/'))).to.have.members(['bad', 'good', 'good', 'off', 'third']);
    expect(await names(at('groups/'))).to.have.members(['below', 'web', 'web']);
    expect(await names(at('root_groups/'))).to.have.members(['web', 'web']);
    expect((await stage.get(at())).body).to.include({ total_hosts: 5, total_groups: 3, has_active_failures: false });
    expect((await stage.get('inventories/?total_hosts=5')).body.count).to.equal(1);
    const copy = await add(at('copy/'), { name: 'copied' });
    expect(await names(`inventories/${copy.id}/input_inventories/`)).to.deep.equal(['stage', 'second']);
    expect((await stage.request('DELETE', `inventories/${copy.id}/`)).status).to.equal(202);
  });

  it('leave out what is being deleted, from lists, counts and documents alike', async () => {
    const { db } = stage.services;
    await db('inventories').where({ id: second.id }).update({ pending_deletion: true });
    expect(await names(at('hosts/'))).to.have.members(['bad', 'good']);
    expect((await stage.get(at())).body).to.include({ total_hosts: 2, total_groups: 1 });
    expect((await stage.get(at('script/'))).body.all.children).to.deep.equal(['web']);
    await db('inventories').where({ id: second.id }).update({ pending_deletion: false });
  });

  it('are one document, in which the last input counts and groups of one name are one', async () => {
    const { body } = await stage.get(at('script/?hostvars=1'));
    expect(body.all.vars).to.deep.equal({ zone: 'second', of: 'own' });
    expect(body.all.children.toSorted()).to.deep.equal(['below', 'web']);
    expect(body.web).to.deep.equal({
      hosts: ['bad', 'good', 'third'],
      children: ['below'],
      vars: { port: 2, older: true },
    });
    expect(Object.keys(body._meta.hostvars)).to.deep.equal(['bad', 'good', 'third']);
    expect(body._meta.hostvars.good).to.include({ from: 'second' });
    expect((await stage.get(at('script/?host=good'))).body).to.include({ from: 'second' });
    expect((await stage.get(at('script/?host=off'))).status).to.equal(404);
    expect((await stage.get(at('script/?subset=slice2of2'))).body.web.hosts).to.deep.equal(['good']);
  });

  it('say which groups of their inputs contain each other, where the engine would only end', async () => {
    const { db } = stage.services;
    const idOf = async (inventory: number, name: string) =>
      (await db('groups').insert({ inventory_id: inventory, name, variables: '' }).returning('id'))[0].id as number;
    const of = async (inventory: number) => [await idOf(inventory, 'inner'), await idOf(inventory, 'outer')] as const;
    const [[inner, outer], [otherInner, otherOuter]] = [await of(stage.inventory), await of(second.id)];
    await db('group_children').insert([
      { parent_id: outer, child_id: inner },
      { parent_id: otherInner, child_id: otherOuter },
    ]);
    const { status, body } = await stage.get(at('script/'));
    await db('groups').whereIn('name', ['inner', 'outer']).delete();
    expect(status).to.equal(400);
    expect(JSON.stringify(body)).to.include('inner').and.to.include('of the input inventories contain each other');
    expect((await stage.get(at('script/'))).status).to.equal(200);
  });

  it('are run on: each host once, and what is learnt belongs to it', async () => {
    const template = await stage.template({ inventory: federated.id, playbook: 'failing.yml' });
    const preview = (await stage.post(`job_templates/${template}/launch/?preview=true`, {})).body;
    expect(preview.hosts).to.deep.equal({ count: 3, names: ['bad', 'good', 'third'] });
    const job = await stage.ended((await stage.launch(template)).id);
    expect(job.status, job.job_explanation).to.equal('failed');
    const summaries = (await stage.get(`jobs/${job.id}/job_host_summaries/`)).body.results;
    const idOf = async (inventory: number, name: string) =>
      (await stage.get(`inventories/${inventory}/hosts/?name=${name}`)).body.results[0].id;
    expect(summaries.map((one: any) => [one.host_name, one.host])).to.have.deep.members([
      ['bad', await idOf(stage.inventory, 'bad')],
      ['good', await idOf(second.id, 'good')],
      ['third', await idOf(second.id, 'third')],
    ]);
    expect((await stage.get(at())).body).to.include({ has_active_failures: true, hosts_with_active_failures: 1 });
    const sent = { inventory: federated.id, module_name: 'command', module_args: 'echo here', limit: 'third' };
    const command = await add('ad_hoc_commands/', sent);
    const ended: any = await until(async () => {
      const { body } = await stage.get(`ad_hoc_commands/${command.id}/`);
      return body.finished ? body : undefined;
    }, 60_000);
    expect(ended.status, ended.job_explanation).to.equal('successful');
  });

  it('have a job wait for the sources of their inputs', async () => {
    const script = '#!/bin/sh\necho \'{"_meta": {"hostvars": {}}, "found": {"hosts": []}}\'\n';
    const source = await add('inventory_sources/', {
      name: 'first',
      inventory: second.id,
      source: 'custom',
      source_script: script,
      update_on_launch: true,
    });
    const job = await stage.launch(await stage.template({ inventory: federated.id }));
    const ended = await stage.ended(job.id);
    expect(ended.status, ended.job_explanation).to.equal('successful');
    const [update] = (await stage.get(`inventory_sources/${source.id}/inventory_updates/`)).body.results;
    expect(update.launch_type).to.equal('dependency');
    expect(Date.parse(update.finished)).to.be.at.most(Date.parse(ended.started));
  });
});
