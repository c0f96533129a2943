import { expect } from 'chai';
import { hostsForRun } from '../../core/inventory/host-ids.ts';
import { type Stage, startStage } from '../launch/fixture.ts';
import { until } from '../support/until.ts';

const factual = '- hosts: all\n  gather_facts: false\n  tasks:\n    - set_fact: {learnt: 5, cacheable: true}\n';

describe('constructed inventories', function () {
  let stage: Stage;
  let organization: number;
  let constructed: any;
  let second: any;

  before(async () => {
    stage = await startStage();
    ({ organization } = (await stage.get(`inventories/${stage.inventory}/`)).body);
    second = await add('inventories/', { name: 'second', organization });
    await add('hosts/', { name: 'third', inventory: second.id, variables: 'ansible_connection: local\nrole: db\n' });
    constructed = await add('inventories/', { name: 'made of others', organization, kind: 'constructed' });
  });
  after(() => stage?.stop());

  const add = async (path: string, body: object): Promise<any> => {
    const answer = await stage.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const inputs = () => `inventories/${constructed.id}/input_inventories/`;
  const names = async (path: string): Promise<string[]> =>
    (await stage.get(path)).body.results.map(({ name }: { name: string }) => name);
  const source = async () => (await stage.get(`inventories/${constructed.id}/inventory_sources/`)).body.results[0];
  const shadow = async (name: string): Promise<any> =>
    (await stage.get(`inventories/${constructed.id}/hosts/?name=${name}`)).body.results[0];
  const updated = async (): Promise<any> => {
    const update = (await stage.post(`${(await source()).url}update/`, {})).body;
    return until(async () => {
      const { body } = await stage.get(`inventory_updates/${update.id}/`);
      return body.finished ? body : undefined;
    }, 90_000);
  };

  it('have one source, of which four things may be changed', async () => {
    expect(constructed.related.input_inventories).to.equal(`/api/v2/${inputs()}`);
    const sources = (await stage.get(`inventories/${constructed.id}/inventory_sources/`)).body;
    expect(sources.count).to.equal(1);
    const [one] = sources.results;
    expect(one).to.include({ source: 'constructed', overwrite: true, overwrite_vars: true, update_on_launch: true });
    const body = { source_vars: 'strict: true\ngroups:\n  databases: role is defined', update_cache_timeout: 60 };
    expect((await stage.request('PATCH', one.url, { body })).status).to.equal(200);
    expect((await stage.request('PATCH', one.url, { body: { overwrite: false } })).status).to.equal(400);
  });

  it('are the same records at their own address, with what the source says', async () => {
    expect(constructed.related.constructed_url).to.equal(`/api/v2/constructed_inventories/${constructed.id}/`);
    const { body } = await stage.get(constructed.related.constructed_url);
    expect(body).to.include({ kind: 'constructed', update_cache_timeout: 60, limit: '', verbosity: 1 });
    expect(body).to.not.have.property('host_filter');
    expect(body.related.hosts).to.equal(`/api/v2/inventories/${constructed.id}/hosts/`);
    const sent = { name: 'whole', organization, source_vars: 'strict: true', limit: 'all', verbosity: null };
    const made = await add('constructed_inventories/', sent);
    expect(made).to.include({ kind: 'constructed', source_vars: 'strict: true', limit: 'all', verbosity: 1 });
    const path = `constructed_inventories/${made.id}/`;
    const changed = await stage.request('PATCH', path, { body: { verbosity: 2, description: 'changed' } });
    expect([changed.status, changed.body.verbosity, changed.body.source_vars]).to.deep.equal([200, 2, 'strict: true']);
    expect((await stage.request('PATCH', path, { body: { verbosity: 3 } })).status).to.equal(400);
    for (const limit of ['@/etc/passwd', '{{ x }}']) {
      const refused = await stage.request('PATCH', path, { body: { limit } });
      expect([refused.status, Object.keys(refused.body)]).to.deep.equal([400, ['limit']]);
      const unmade = await stage.post('constructed_inventories/', { ...sent, name: 'unmade', limit });
      expect([unmade.status, Object.keys(unmade.body)]).to.deep.equal([400, ['limit']]);
    }
    const [entry] = (await stage.get(`inventories/${made.id}/activity_stream/?order_by=-id`)).body.results;
    expect(entry).to.deep.include({ operation: 'update', changes: { description: ['', 'changed'] } });
    expect((await stage.request('DELETE', path)).status).to.equal(202);
    await until(async () => (await stage.get(path)).status === 404);
    expect((await stage.get('constructed_inventories/')).body.results.map(({ name }: any) => name)).to.deep.equal([
      'made of others',
    ]);
  });

  it('keep their inputs in order, and take plain and smart ones only', async () => {
    const smart = await add('inventories/', { name: 'smart', organization, kind: 'smart', host_filter: 'name=third' });
    for (const id of [second.id, stage.inventory, smart.id])
      expect((await stage.post(inputs(), { id })).status).to.equal(204);
    expect(await names(inputs())).to.deep.equal(['second', 'stage', 'smart']);
    expect((await stage.post(inputs(), { id: smart.id, disassociate: true })).status).to.equal(204);
    expect(await names(inputs())).to.deep.equal(['second', 'stage']);
    const other = await add('inventories/', { name: 'another', organization, kind: 'constructed' });
    for (const [path, id] of [
      [inputs(), other.id],
      [inputs(), constructed.id],
      [`inventories/${second.id}/input_inventories/`, stage.inventory],
    ]) {
      const { status, body } = await stage.post(String(path), { id });
      expect([status, Object.keys(body)]).to.deep.equal([400, ['error']]);
    }
  });

  it('take no hosts and groups of their own', async () => {
    for (const path of ['hosts', 'groups'])
      expect((await stage.post(`inventories/${constructed.id}/${path}/`, { name: 'x' })).status).to.equal(400);
  });

  it('hold the hosts of their inputs once they are updated, each with its original', async () => {
    const ended = await updated();
    expect(ended.status, ended.job_explanation).to.equal('successful');
    expect(await names(`inventories/${constructed.id}/hosts/`)).to.deep.equal(['bad', 'good', 'third']);
    expect(await names(`inventories/${constructed.id}/groups/`)).to.deep.equal(['databases']);
    const third = await shadow('third');
    const [original] = (await stage.get(`inventories/${second.id}/hosts/`)).body.results;
    expect(third.related.original_host).to.equal(original.url);
    expect(third.related.ansible_facts).to.equal(`${original.url}ansible_facts/`);
    const facts = await stage.get(`hosts/${third.id}/ansible_facts/`);
    expect([facts.status, facts.headers.get('location')]).to.deep.equal([302, `${original.url}ansible_facts/`]);
    const { status, body } = await stage.request('DELETE', third.url);
    expect([status, Object.keys(body)]).to.deep.equal([400, ['error']]);
  });

  it('are left as they were by a configuration that fails, and say what is wrong with it', async () => {
    const before = await names(`inventories/${constructed.id}/hosts/?order_by=name`);
    const { url, source_vars: good } = await source();
    const wrong = [
      'groups:\n  gg: nosuch\nuse_vars_plugins: false',
      'keyed_groups:\n  - {key: nosuch.thing, prefix: x}',
    ];
    for (const source_vars of wrong) {
      const body = { source_vars: `strict: true\n${source_vars}` };
      expect((await stage.request('PATCH', url, { body })).status).to.equal(200);
      const { status, job_explanation: said } = await updated();
      expect(status, said).to.equal('failed');
      expect(said).to.match(/nosuch/);
      expect(await names(`inventories/${constructed.id}/hosts/?order_by=name`)).to.deep.equal(before);
    }
    await stage.request('PATCH', url, { body: { source_vars: good } });
    expect((await updated()).status).to.equal('successful');
  });

  it('are run on, what is learnt belonging to the originals', async () => {
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${stage.dataDir}/projects/stage/factual.yml`, factual);
    const template = await stage.template({
      inventory: constructed.id,
      playbook: 'factual.yml',
      limit: 'databases',
      use_fact_cache: true,
    });
    const job = await stage.ended((await stage.launch(template)).id);
    expect(job.status, job.job_explanation).to.equal('successful');
    const [original] = (await stage.get(`inventories/${second.id}/hosts/`)).body.results;
    const third = await shadow('third');
    const summaries = (await stage.get(`jobs/${job.id}/job_host_summaries/`)).body.results;
    expect(summaries.map((one: any) => [one.host_name, one.host, one.constructed_host])).to.deep.equal([
      ['third', original.id, third.id],
    ]);
    for (const host of [original, third]) {
      expect((await stage.get(host.url)).body).to.include({
        last_job: job.id,
        last_job_host_summary: summaries[0].id,
      });
      expect((await stage.get(`${host.url}job_host_summaries/`)).body.count).to.equal(1);
    }
    expect((await stage.get(`hosts/${original.id}/ansible_facts/`)).body).to.deep.include({ learnt: 5 });
  });

  it('have originals in their inputs only, whatever the source says', async () => {
    const foreign = await add('organizations/', { name: 'foreign' });
    const others = await add('inventories/', { name: 'others', organization: foreign.id });
    const secret = await add('hosts/', { name: 'third', inventory: others.id });
    const [original] = (await stage.get(`inventories/${second.id}/hosts/`)).body.results;
    const body = { source_vars: `compose: {remote_tower_id: "${secret.id}"}` };
    expect((await stage.request('PATCH', constructed.related.constructed_url, { body })).status).to.equal(200);
    expect((await updated()).status).to.equal('successful');
    const third = await shadow('third');
    expect(third.variables).to.include(`"remote_tower_id": ${secret.id}`);
    expect([third.instance_id, third.related.original_host]).to.deep.equal([String(original.id), original.url]);
    const patched = await stage.request('PATCH', third.url, { body: { instance_id: String(secret.id) } });
    expect([patched.status, Object.keys(patched.body)]).to.deep.equal([400, ['instance_id']]);
    const put = await stage.request('PUT', third.url, { body: { name: 'third', inventory: constructed.id } });
    expect([put.status, put.body.instance_id]).to.deep.equal([200, String(original.id)]);
    // noted before updates were judged
    for (const named of [secret.id, (await shadow('good')).instance_id]) {
      await stage.services.db('hosts').where({ id: third.id }).update({ instance_id: named });
      expect((await shadow('third')).related).to.not.have.property('original_host');
      const { id } = await stage.services.db('runs').where({ kind: 'job' }).first('id');
      const { owners } = await hostsForRun({ db: stage.services.db }, { id, inventory: constructed });
      expect(owners).to.have.length(2).and.not.include(secret.id);
    }
  });

  it('are copied with what their source says and the inputs that the copier sees, whose hosts come with an update', async () => {
    const person = { username: 'copier', password: 'copier-password-1' };
    const { id: user } = (await stage.post('users/', person)).body;
    const rolesOf = async (path: string) => (await stage.get(path)).body.summary_fields.object_roles;
    const gets = async (role: { id: number }) => stage.post(`users/${user}/roles/`, { id: role.id });
    await gets((await rolesOf(`organizations/${organization}/`)).inventory_admin_role);
    const foreign = await add('organizations/', { name: 'of the third' });
    await stage.services.db('inventories').where({ id: second.id }).update({ organization_id: foreign.id });
    const body = { source_vars: 'strict: false', limit: 'all', update_cache_timeout: 7, verbosity: 2 };
    await stage.request('PATCH', constructed.related.constructed_url, { body });
    const group = await add('instance_groups/', { name: 'not for the copier' });
    const linked = [`inventories/${constructed.id}/instance_groups/`, `inventories/${constructed.id}/labels/`];
    expect((await stage.post(linked[0]!, { id: group.id })).status).to.equal(204);
    expect((await stage.post(linked[1]!, { name: 'not theirs', organization: foreign.id })).status).to.equal(201);
    const linksOf = async ({ related }: any) => [
      ...(await names(related.instance_groups)),
      ...(await names(related.labels)),
    ];
    const auth = `${person.username}:${person.password}`;
    const copied = await stage.post(`inventories/${constructed.id}/copy/`, { name: 'copied' }, { auth });
    expect(copied.status, JSON.stringify(copied.body)).to.equal(201);
    expect(copied.body).to.include({ total_hosts: 0, total_groups: 0 });
    expect((await stage.get(copied.body.related.constructed_url)).body).to.include(body);
    expect(await names(copied.body.related.input_inventories)).to.deep.equal(['stage']);
    expect(await linksOf(copied.body)).to.deep.equal([]);
    const all = await stage.post(`inventories/${constructed.id}/copy/`, { name: 'copied whole' });
    expect(await names(all.body.related.input_inventories)).to.deep.equal(['second', 'stage']);
    expect(await linksOf(all.body)).to.deep.equal(['not for the copier', 'not theirs']);
  });

  it('get another source when theirs was deleted', async () => {
    const made = await add('constructed_inventories/', { name: 'without', organization });
    const sources = `inventories/${made.id}/inventory_sources/`;
    const lose = async () => {
      const [one] = (await stage.get(sources)).body.results;
      expect((await stage.request('DELETE', one.url)).status).to.equal(204);
      expect((await stage.get(made.url)).body).to.include({ source_vars: '', limit: '', verbosity: 1 });
    };
    for (const [path, body] of [
      [made.url, { verbosity: 2 }],
      [`inventories/${made.id}/`, { description: 'saved' }],
    ] as const) {
      await lose();
      expect((await stage.request('PATCH', path, { body })).status).to.equal(200);
      const [one] = (await stage.get(sources)).body.results;
      expect(one).to.include({ source: 'constructed', overwrite: true, update_on_launch: true });
      const told = (await stage.get(`${one.url}activity_stream/?operation=create`)).body;
      expect([told.count, told.results[0]?.summary_fields.actor?.username]).to.deep.equal([1, 'admin']);
    }
    await lose();
    const copied = await stage.post(`inventories/${made.id}/copy/`, { name: 'copy of without' });
    expect(copied.status, JSON.stringify(copied.body)).to.equal(201);
    expect((await stage.get(sources)).body.count).to.equal(0);
    expect((await stage.get(copied.body.related.constructed_url)).body).to.include({ limit: '', verbosity: 1 });
  });
});
