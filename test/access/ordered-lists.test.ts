import { expect } from 'chai';
import { type AccessStage, openAccessStage } from './stage.ts';

describe('lists in the order in which they were put together', () => {
  let stage: AccessStage;
  let groups: number[];
  before(async () => {
    stage = await openAccessStage();
    groups = [];
    for (const name of ['zebra', 'ape', 'mole']) groups.push((await stage.make.instanceGroup({ name })).id);
  });
  after(() => stage?.stop());

  const ask = (name: string, method: string, path: string, body?: unknown) =>
    stage.as[name]!(method, `/api/v2/${path}`, body);
  const shown = async (path: string, query = '') =>
    (await ask('superuser', 'GET', `${path}${query}`)).body.results.map(({ id }: any) => id);

  for (const [type, path] of [
    ['organization', 'organizations'],
    ['inventory', 'inventories'],
    ['job_template', 'job_templates'],
  ] as const) {
    it(`keeps the instance groups of an ${type.replace('_', ' ')} in their order`, async () => {
      const list = `${path}/${stage.ids[type]}/instance_groups/`;
      const [zebra, ape, mole] = groups;
      const send = async (body: object) => expect((await ask('superuser', 'POST', list, body)).status).to.equal(204);
      for (const id of [mole, zebra, ape, zebra]) await send({ id });
      expect(await shown(list)).to.deep.equal([mole, zebra, ape]);
      expect(await shown(list, '?order_by=name')).to.deep.equal([ape, mole, zebra]);
      expect(await shown(list, '?page=last&page_size=2')).to.deep.equal([ape]);
      await send({ id: mole, disassociate: true });
      await send({ id: mole });
      expect(await shown(list)).to.deep.equal([zebra, ape, mole]);
      expect((await ask('superuser', 'POST', list, { name: 'new' })).body).to.have.property('msg');
      const detail = (await ask('superuser', 'GET', `${path}/${stage.ids[type]}/`)).body;
      expect(detail.related.instance_groups).to.equal(`/api/v2/${list}`);
    });
  }

  it('asks for the right to use a group, to put it in and to take it out', async () => {
    const list = `inventories/${stage.ids.inventory}/instance_groups/`;
    const user = 'inventory.admin_role';
    const [group] = groups;
    const before = await shown(list);
    await stage.make.give('instance_group', { id: group! }, 'read_role', stage.users[user]);
    for (const body of [{ id: group }, { id: group, disassociate: true }])
      expect((await ask(user, 'POST', list, body)).status).to.equal(403);
    expect(await shown(list)).to.deep.equal(before);
    await stage.make.give('instance_group', { id: group! }, 'use_role', stage.users[user]);
    expect((await ask(user, 'POST', list, { id: group, disassociate: true })).status).to.equal(204);
    expect((await ask(user, 'POST', list, { id: group })).status).to.equal(204);
  });

  it('takes only credentials for Ansible Galaxy below an organization', async () => {
    const { api, ids, rows } = stage;
    const type =
      (await api.db('credential_types').where({ kind: 'galaxy' }).first('id')) ??
      (await api.db('credential_types').insert({ name: 'Galaxy', kind: 'galaxy' }).returning('id'))[0];
    const list = `organizations/${ids.organization}/galaxy_credentials/`;
    const made = [];
    for (const name of ['second', 'first'])
      made.push((await stage.make.credential(rows.organization, { name, credential_type_id: type.id })).id);
    for (const id of made) expect((await ask('orgAdmin', 'POST', list, { id })).status).to.equal(204);
    expect(await shown(list)).to.deep.equal(made);
    const other = await ask('orgAdmin', 'POST', list, { id: ids.credential });
    expect([other.status, Object.keys(other.body)]).to.deep.equal([400, ['msg']]);
  });

  it('shows the teams that were given a project or a credential', async () => {
    const { make, rows, ids } = stage;
    const user = await make.team(rows.organization, { name: 'users' });
    const keeper = await make.team(rows.organization, { name: 'keepers' });
    for (const type of ['project', 'credential'] as const) {
      await make.giveTeam(type, rows[type], 'use_role', user);
      await make.giveTeam(type, rows[type], 'admin_role', keeper);
    }
    expect(await shown(`projects/${ids.project}/teams/`)).to.have.members([user.id, keeper.id]);
    expect(await shown(`credentials/${ids.credential}/owner_teams/`)).to.deep.equal([keeper.id]);
  });

  it('goes along with a copied template', async () => {
    const { body } = await ask('superuser', 'POST', `job_templates/${stage.ids.job_template}/copy/`, { name: 'copy' });
    expect(await shown(`job_templates/${body.id}/instance_groups/`)).to.deep.equal(
      await shown(`job_templates/${stage.ids.job_template}/instance_groups/`),
    );
  });

  it('makes a template below the organization of its project only', async () => {
    const { ids, api } = stage;
    await api.db('templates').where({ id: ids.project }).update({ playbook_files: '["site.yml"]' });
    const make = (organization: number) =>
      ask('superuser', 'POST', `organizations/${organization}/job_templates/`, {
        name: `made ${organization}`,
        project: ids.project,
        inventory: ids.inventory,
        playbook: 'site.yml',
      });
    const made = await make(ids.organization!);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect(made.body.organization).to.equal(ids.organization);
    const elsewhere = await make(ids.elsewhere!);
    expect(elsewhere.status).to.equal(400);
    expect(elsewhere.body.project[0]).to.include('another organization');
  });
});
