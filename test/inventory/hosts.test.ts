import { expect } from 'chai';
import { type Api, startApi } from '../support/api.ts';
import { add, names, seedInventory } from './seed.ts';

describe('hosts', () => {
  let api: Api;
  let inventory: any;
  before(async () => {
    api = await startApi();
    inventory = await seedInventory(api, 'inv');
  });
  after(() => api?.stop());
  const host = (name: string, extra: object = {}) =>
    add(api, '/api/v2/hosts/', { name, inventory: inventory.id, ...extra });

  it('are created with defaults and a summary of their inventory', async () => {
    const body = await host('h1', { variables: 'a: 1' });
    expect(body).to.include({
      type: 'host',
      name: 'h1',
      enabled: true,
      instance_id: '',
      variables: 'a: 1',
      has_active_failures: false,
      last_job: null,
      ansible_facts_modified: null,
    });
    expect(body.summary_fields.inventory).to.include({
      id: inventory.id,
      name: 'inv',
      kind: '',
      total_hosts: 1,
      organization_id: inventory.organization,
    });
    expect(body.summary_fields.groups).to.deep.equal({ count: 0, results: [] });
    expect(body.summary_fields.recent_jobs).to.deep.equal([]);
  });

  it('take a port from the name into the variables, whatever form these have', async () => {
    expect(await host('p1:2222')).to.include({ name: 'p1', variables: '{"ansible_ssh_port":2222}' });
    expect((await host('p2:22', { variables: '{"a": 1}' })).variables).to.equal('{"a":1,"ansible_ssh_port":22}');
    expect((await host('p3:22', { variables: '# note\na: 1' })).variables).to.equal(
      '# note\na: 1\nansible_ssh_port: 22',
    );
    expect(await host('fe80::1')).to.include({ name: 'fe80::1', variables: '' });
    const { url } = await host('p4', { variables: 'a: 1' });
    expect((await api.admin('PATCH', url, { name: 'p5:23' })).body).to.include({
      name: 'p5',
      variables: 'a: 1\nansible_ssh_port: 23',
    });
  });

  for (const name of [
    'h:0',
    'h:65536',
    'h:x',
    ':22',
    'h:',
    '{{ x }}',
    'a{% if %}',
    '{# c',
    '',
    '   ',
    null,
    'x'.repeat(513),
    'a\0b',
    [],
    {},
  ]) {
    it(`refuse the name ${JSON.stringify(name)?.slice(0, 30)}`, async () => {
      const { status, body } = await api.admin('POST', '/api/v2/hosts/', { name, inventory: inventory.id });
      expect(status).to.equal(400);
      expect(body).to.have.all.keys('name');
    });
  }

  it('may not be called like a group of the inventory, nor a group like a host, also at the same time', async () => {
    await add(api, `${inventory.url}groups/`, { name: 'taken' });
    expect((await api.admin('POST', '/api/v2/hosts/', { name: 'taken', inventory: inventory.id })).status).to.equal(
      400,
    );
    expect((await api.admin('POST', `${inventory.url}groups/`, { name: 'h1' })).status).to.equal(400);
    for (let round = 0; round < 5; round++) {
      const body = { name: `race${round}`, inventory: inventory.id };
      const answers = await Promise.all([
        api.admin('POST', '/api/v2/hosts/', body),
        api.admin('POST', '/api/v2/groups/', body),
      ]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([201, 400]);
    }
  });

  it('are unique in their inventory, also when created at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => api.admin('POST', '/api/v2/hosts/', { name: 'once', inventory: inventory.id })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([201, 400, 400, 400]);
    expect(answers.find(({ status }) => status === 400)!.body.__all__[0]).to.include('already exists');
  });

  it('stay in their inventory', async () => {
    const other = await seedInventory(api, 'other');
    const { url } = await host('fixed');
    expect((await api.admin('PATCH', url, { inventory: inventory.id })).status).to.equal(200);
    expect((await api.admin('PATCH', url, { inventory: other.id })).status).to.equal(403);
  });

  it('name an unknown inventory in the answer', async () => {
    const { status, body } = await api.admin('POST', '/api/v2/hosts/', { name: 'x', inventory: 99999 });
    expect(status).to.equal(400);
    expect(body).to.deep.equal({ inventory: ['Invalid pk "99999" - object does not exist.'] });
  });

  it('show their facts under both names, never in the host itself', async () => {
    const { id, url } = await host('facts');
    expect((await api.admin('GET', `${url}engine_facts/`)).body).to.deep.equal({});
    await api.db('facts').insert({ hash: 'x', document: JSON.stringify({ ansible_os: 'Linux' }) });
    await api.db('host_facts').insert({ host_id: id, hash: 'x' });
    for (const name of ['engine_facts', 'ansible_facts'])
      expect((await api.admin('GET', `${url}${name}/`)).body).to.deep.equal({ ansible_os: 'Linux' });
    const { body } = await api.admin('GET', url);
    expect(body.ansible_facts_modified)
      .to.match(/^\d{4}-.*Z$/)
      .and.equal(body.engine_facts_modified);
    expect(JSON.stringify(body)).not.to.include('Linux');
  });

  it('sum up what their jobs did', async () => {
    const { id, url } = await host('worked');
    const [{ id: template }] = await api.db('templates').insert({ kind: 'job_template', name: 'T' }).returning('id');
    const runs: number[] = [];
    for (let index = 0; index < 7; index++) {
      const [{ id: run }] = await api
        .db('runs')
        .insert({
          kind: 'job',
          name: 'T',
          status: index === 6 ? 'failed' : 'successful',
          template_id: template,
          finished: new Date().toISOString(),
        })
        .returning('id');
      const [{ id: summary }] = await api
        .db('job_host_summaries')
        .insert({ run_id: run, host_id: id, host_name: 'worked', failed: index === 6 })
        .returning('id');
      await api.db('hosts').where({ id }).update({ last_job_id: run, last_job_host_summary_id: summary });
      runs.push(run);
    }
    const { body } = await api.admin('GET', url);
    expect(body).to.include({ has_active_failures: true, last_job: runs[6] });
    expect(body.summary_fields.last_job).to.include({
      id: runs[6],
      status: 'failed',
      failed: true,
      job_template_id: template,
      job_template_name: 'T',
    });
    expect(body.summary_fields.recent_jobs.map((job: any) => job.id)).to.deep.equal(runs.toReversed().slice(0, 5));
    expect(body.summary_fields.recent_jobs[0]).to.include({ name: 'T', type: 'job', status: 'failed' });
    expect((await api.admin('GET', inventory.url)).body).to.include({
      has_active_failures: true,
      hosts_with_active_failures: 1,
    });
    await api.db('runs').whereIn('id', runs).delete();
    expect((await api.admin('GET', url)).body).to.include({
      has_active_failures: false,
      last_job: null,
      last_job_host_summary: null,
    });
  });

  it('list their groups, direct and above, and join groups of their inventory only', async () => {
    const { id, url } = await host('member');
    const [top, middle] = [
      await add(api, `${inventory.url}groups/`, { name: 'top' }),
      await add(api, `${inventory.url}groups/`, { name: 'middle' }),
    ];
    expect((await api.admin('POST', `${top.url}children/`, { id: middle.id })).status).to.equal(204);
    expect((await api.admin('POST', `${url}groups/`, { id: middle.id })).status).to.equal(204);
    expect((await api.admin('POST', `${url}groups/`, { id: middle.id })).status, 'again').to.equal(204);
    expect(names(await api.admin('GET', `${url}groups/`))).to.deep.equal(['middle']);
    expect(names(await api.admin('GET', `${url}all_groups/`))).to.deep.equal(['middle', 'top']);
    expect((await api.admin('GET', url)).body.summary_fields.groups).to.deep.equal({
      count: 1,
      results: [{ id: middle.id, name: 'middle' }],
    });
    const foreign = await add(api, `${(await seedInventory(api, 'foreign')).url}groups/`, { name: 'far' });
    const refused = await api.admin('POST', `${url}groups/`, { id: foreign.id });
    expect([refused.status, Object.keys(refused.body)]).to.deep.equal([400, ['detail']]);
    expect((await add(api, `${url}groups/`, { name: 'made here' })).inventory).to.equal(inventory.id);
    expect((await api.admin('POST', `${url}groups/`, { id: middle.id, disassociate: true })).status).to.equal(204);
    expect(names(await api.admin('GET', `${url}groups/`))).to.deep.equal(['made here']);
    expect((await api.admin('GET', `/api/v2/hosts/${id}/`)).status).to.equal(200);
  });

  it('end when they are detached from their inventory', async () => {
    const { id, url } = await host('detached');
    expect((await api.admin('POST', `${inventory.url}hosts/`, { id, disassociate: 1 })).status).to.equal(204);
    expect((await api.admin('GET', url)).status).to.equal(404);
  });

  it('cost the same number of statements at any page size', async () => {
    let statements = 0;
    const countOne = () => void statements++;
    const counted = async (size: number) => {
      statements = 0;
      api.db.on('query', countOne);
      await api.admin('GET', `/api/v2/hosts/?page_size=${size}`);
      api.db.off('query', countOne);
      return statements;
    };
    await counted(2);
    expect(await counted(10)).to.equal(await counted(2));
  });
});
