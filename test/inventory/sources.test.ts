import { expect } from 'chai';
import { dirname } from 'node:path';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { play, SourceRepository } from '../scm/repository.ts';

const inventory = `all:
  vars: {site: north}
  children:
    web:
      vars: {port: 80}
      hosts:
        web1: {zone: a, up: true}
        web2: {zone: b, up: false}
      children:
        blue: {hosts: {web1: {}}}
    empty: {}
  hosts: {lone: {}}
`;

describe('inventory sources', function () {
  let service: TestService;
  let source: SourceRepository;
  let organization: number;
  let project: number;
  let made = 0;

  const ended = (path: string, id: number) =>
    until(async () => {
      const { body } = await service.get(`${path}/${id}/`);
      return body.finished ? body : undefined;
    });
  const create = async (path: string, body: object) => {
    const answer = await service.post(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const makeInventory = () => create('inventories/', { name: `i${(made += 1)}`, organization });
  const makeSource = (body: object) =>
    create('inventory_sources/', {
      name: `s${(made += 1)}`,
      source: 'scm',
      source_project: project,
      source_path: 'hosts.yml',
      ...body,
    });
  const update = async (id: number, action = 'update') => {
    const { status, body } = await service.post(`inventory_sources/${id}/${action}/`);
    expect(status, JSON.stringify(body)).to.equal(202);
    return ended('inventory_updates', body.inventory_update);
  };
  const names = async (path: string) => {
    const { body } = await service.get(`${path}?page_size=200`);
    return body.results.map(({ name }: { name: string }) => name);
  };

  before(async () => {
    source = new SourceRepository();
    source.commit({ 'site.yml': play, 'hosts.yml': inventory });
    service = await startService({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) });
    ({ id: organization } = await create('organizations/', { name: 'sources' }));
    const created = await create('projects/', { name: 'p', organization, scm_type: 'git', scm_url: source.url });
    project = created.id;
    expect((await ended('project_updates', created.summary_fields.current_update.id)).status).to.equal('successful');
  });
  after(() => service.stop());

  it('fills an inventory from a file of a project, and tells where everything came from', async () => {
    const { id } = await makeInventory();
    const made = await makeSource({ inventory: id, enabled_var: 'up' });
    expect(made).to.include({ inventory: id, source_project: project, status: 'never updated', credential: null });
    expect((await service.get(`inventory_sources/${made.id}/update/`)).body).to.deep.equal({ can_update: true });
    const run = await update(made.id);
    expect(run.status, run.job_explanation).to.equal('successful');
    expect(run).to.include({ inventory: id, inventory_source: made.id, source: 'scm', source_path: 'hosts.yml' });
    expect(run.changes).to.deep.equal({
      hosts: { found: 3, added: 3, changed: 0, removed: 0 },
      groups: { found: 3, added: 3, changed: 0, removed: 0 },
      variables_changed: true,
    });
    expect(await names(`inventories/${id}/hosts/`)).to.deep.equal(['lone', 'web1', 'web2']);
    const { body: hosts } = await service.get(`inventories/${id}/hosts/`);
    expect(hosts.results.map(({ enabled }: { enabled: boolean }) => enabled)).to.deep.equal([true, true, false]);
    expect(JSON.parse(hosts.results[1].variables)).to.deep.equal({ zone: 'a', up: true });
    expect(hosts.results[1]).to.include({ has_inventory_sources: true, description: 'imported' });
    const { body: script } = await service.get(`inventories/${id}/script/?hostvars=1&all=1`);
    expect(script.web).to.deep.equal({ hosts: ['web1', 'web2'], children: ['blue'], vars: { port: 80 } });
    expect(script.all.vars).to.deep.equal({ site: 'north' });
    expect(await names(`inventory_sources/${made.id}/hosts/`)).to.deep.equal(['lone', 'web1', 'web2']);
    expect(await names(`inventory_sources/${made.id}/groups/`)).to.deep.equal(['blue', 'empty', 'web']);
    expect(await names(`hosts/${hosts.results[0].id}/inventory_sources/`)).to.deep.equal([made.name]);
    expect((await service.get(`inventories/${id}/`)).body).to.include({
      has_inventory_sources: true,
      total_inventory_sources: 1,
      inventory_sources_with_failures: 0,
    });
    const { body: shown } = await service.get(`inventory_sources/${made.id}/`);
    expect(shown).to.include({ status: 'successful', last_update_failed: false });
    expect(shown.summary_fields.last_update).to.include({ id: run.id, status: 'successful', license_error: false });
    const { body: text } = await service.get(`inventory_updates/${run.id}/stdout/?format=txt`);
    expect(text).to.contain('Found 3 hosts in 3 groups.');
    const { body: again } = await service.get(`inventory_updates/${(await update(made.id)).id}/`);
    expect(again.changes).to.deep.equal({
      hosts: { found: 3, added: 0, changed: 0, removed: 0 },
      groups: { found: 3, added: 0, changed: 0, removed: 0 },
      variables_changed: false,
    });
  });

  it('enables the hosts of which a variable has the value, and leaves out those that the filter does not find', async () => {
    const { id } = await makeInventory();
    const states = async () => {
      const { body } = await service.get(`inventories/${id}/hosts/?order_by=name`);
      return body.results.map(({ name, enabled }: { name: string; enabled: boolean }) => [name, enabled]);
    };
    const options = { enabled_var: 'zone', enabled_value: 'a', host_filter: 'web' };
    const { id: made } = await makeSource({ inventory: id, ...options });
    expect((await update(made)).status).to.equal('successful');
    expect(await states()).to.deep.equal([
      ['web1', true],
      ['web2', false],
    ]);
    await service.request('PATCH', `inventory_sources/${made}/`, { body: { enabled_value: 'b', host_filter: '' } });
    expect((await update(made)).status).to.equal('successful');
    // of the third the source does not say
    expect(await states()).to.deep.equal([
      ['lone', true],
      ['web1', false],
      ['web2', true],
    ]);
  });

  it('reads again what a commit of the project brought, before a job and after an update of the project', async () => {
    const { id } = await makeInventory();
    const first = await makeSource({ inventory: id, update_on_launch: true, overwrite: true });
    const second = await makeSource({
      inventory: (await makeInventory()).id,
      update_on_project_update: true,
      overwrite: true,
    });
    const template = await create('job_templates/', { name: 't', project, inventory: id, playbook: 'site.yml' });
    const launch = async () => {
      const { body } = await service.post(`job_templates/${template.id}/launch/`);
      return ended('jobs', body.id);
    };
    const job = await launch();
    expect(job.status, job.job_explanation).to.equal('successful');
    const { body: updates } = await service.get(`inventory_sources/${first.id}/inventory_updates/`);
    expect(updates.results).to.have.length(1);
    expect(updates.results[0]).to.include({ launch_type: 'dependency', status: 'successful' });
    expect(job.related.inventory_update).to.equal(updates.results[0].url);
    expect(updates.results[0].finished < job.started).to.equal(true);
    const fresh = { update_cache_timeout: 3600 };
    await service.request('PATCH', `inventory_sources/${first.id}/`, { body: fresh });
    expect((await launch()).status).to.equal('successful');
    expect((await service.get(`inventory_sources/${first.id}/inventory_updates/`)).body.count).to.equal(1);

    source.commit({ 'hosts.yml': 'all: {hosts: {only: {}}}\n' });
    const { body: begun } = await service.post(`projects/${project}/update/`);
    expect((await ended('project_updates', begun.id)).status).to.equal('successful');
    const of = `project_updates/${begun.id}/scm_inventory_updates/`;
    const [reading] = (await service.get(of)).body.results;
    expect(reading).to.include({ inventory_source: second.id, launch_type: 'scm', source_project_update: begun.id });
    expect((await ended('inventory_updates', reading.id)).status).to.equal('successful');
    expect(await names(`inventory_sources/${second.id}/hosts/`)).to.deep.equal(['only']);
    expect(await names(`projects/${project}/scm_inventory_sources/`)).to.include.members([first.name, second.name]);
    // the same commit again is nothing new
    const { body: again } = await service.post(`projects/${project}/update/`);
    await ended('project_updates', again.id);
    expect((await service.get(`project_updates/${again.id}/scm_inventory_updates/`)).body.count).to.equal(0);
    source.commit({ 'hosts.yml': inventory });
    await ended('project_updates', (await service.post(`projects/${project}/update/`)).body.id);
  });

  it('previews by name, and stops where too much would go; the inventory stays', async () => {
    const { id } = await makeInventory();
    const script = (...hosts: string[]) =>
      `#!/bin/sh\necho '${JSON.stringify({ web: { hosts }, _meta: { hostvars: {} } })}'\n`;
    const made = await makeSource({
      inventory: id,
      source: 'custom',
      source_project: null,
      source_path: '',
      source_script: script('a', 'b', 'c'),
      overwrite: true,
      max_removed_percent: 50,
    });
    expect((await update(made.id)).status).to.equal('successful');
    await service.request('PATCH', `inventory_sources/${made.id}/`, { body: { source_script: script('a', 'new') } });
    const { body: before } = await service.get(`inventory_sources/${made.id}/`);
    const preview = await update(made.id, 'preview');
    expect(preview).to.include({ status: 'successful', preview: true });
    expect(preview.changes.hosts).to.deep.equal({
      found: 2,
      added: 1,
      changed: 0,
      removed: 2,
      names: { added: ['new'], changed: [], removed: ['b', 'c'] },
    });
    expect(preview.changes.refused).to.match(/remove 2 of the 3 hosts of this source \(66.7 %\)/);
    expect(await names(`inventories/${id}/hosts/`)).to.deep.equal(['a', 'b', 'c']);
    const { body: after } = await service.get(`inventory_sources/${made.id}/`);
    expect(after.summary_fields.last_update).to.deep.equal(before.summary_fields.last_update);
    const stopped = await update(made.id);
    expect(stopped.status).to.equal('failed');
    expect(stopped.job_explanation).to.equal(preview.changes.refused);
    expect(await names(`inventories/${id}/hosts/`)).to.deep.equal(['a', 'b', 'c']);
    expect((await service.get(`inventories/${id}/`)).body.inventory_sources_with_failures).to.equal(0);
    const { status } = await service.request('DELETE', `inventory_sources/${made.id}/hosts/`);
    expect(status).to.equal(204);
    expect(await names(`inventories/${id}/hosts/`)).to.deep.equal([]);
  });

  it('says what is wrong with a source, and leaves the inventory as it was', async () => {
    const { id } = await makeInventory();
    const made = await makeSource({ inventory: id, source: 'custom', source_project: null, source_path: '' });
    const scripts: [string, RegExp][] = [
      ['#!/bin/sh\necho garbage\n', /could not be read/],
      ['#!/bin/sh\nexit 3\n', /could not be read/],
      ['#!/bin/sh\necho \'{"a": {"children": ["b"]}, "b": {"children": ["a"]}}\'\n', /could not be read|each other/],
      [
        '#!/bin/sh\necho \'{"a": {"hosts": ["x\\u0000y"]}, "_meta": {"hostvars": {}}}\'\n',
        /character that cannot be stored/,
      ],
    ];
    for (const [source_script, said] of scripts) {
      await service.request('PATCH', `inventory_sources/${made.id}/`, { body: { source_script } });
      const run = await update(made.id);
      expect(run.status, source_script).to.equal('failed');
      expect(run.job_explanation).to.match(said);
    }
    expect(await names(`inventories/${id}/hosts/`)).to.deep.equal([]);
    expect((await service.get(`inventory_sources/${made.id}/`)).body).to.include({
      status: 'failed',
      last_update_failed: true,
    });
    const cloud = await makeSource({ inventory: id, source: 'ec2', source_project: null, source_path: '' });
    const run = await update(cloud.id);
    expect(run.status).to.equal('failed');
    expect(run.job_explanation).to.match(
      /^The collection amazon\.aws, which has the inventory plugin aws_ec2, is not installed/,
    );
    const missing = await makeSource({ inventory: id, source_path: 'nowhere.ini' });
    expect((await update(missing.id)).job_explanation).to.match(/project\/nowhere\.ini could not be read/);
  });

  it('updates all sources of an inventory at once, and says of each what came of it', async () => {
    const { id } = await makeInventory();
    const none = await service.post(`inventories/${id}/update_inventory_sources/`);
    expect(none.status).to.equal(400);
    const good = await makeSource({ inventory: id });
    const path = `inventories/${id}/update_inventory_sources/`;
    expect((await service.get(path)).body).to.deep.equal([{ inventory_source: good.id, can_update: true }]);
    const all = await service.post(path);
    expect(all.status).to.equal(200);
    expect(all.body[0]).to.include({ inventory_source: good.id, status: 'started' });
    const file = await makeSource({ inventory: id, source: 'file', source_project: null, source_path: '' });
    expect((await service.post(`inventory_sources/${file.id}/update/`)).status).to.equal(405);
    const some = await service.post(path);
    expect(some.status).to.equal(202);
    expect(some.body.map(({ status }: { status: string }) => status === 'started')).to.deep.equal([true, false]);
    await ended('inventory_updates', some.body[0].inventory_update);
  });

  it('refuses what cannot be a source, by field', async () => {
    const { id } = await makeInventory();
    const type = async (namespace: string) =>
      (await service.get(`credential_types/?namespace=${namespace}`)).body.results[0].id;
    const credential = async (namespace: string) =>
      (
        await create('credentials/', {
          name: `c${(made += 1)}`,
          organization,
          credential_type: await type(namespace),
          inputs: {},
        })
      ).id;
    const [vault, aws] = [await credential('vault'), await credential('aws')];
    const plain = { name: 'x', inventory: id, source: 'scm', source_project: project };
    const refused: [object, string][] = [
      [{ ...plain, source: undefined }, 'source'],
      [{ ...plain, source: 'nosuch' }, 'source'],
      [{ ...plain, source_project: null }, 'source_project'],
      [{ ...plain, source: 'constructed' }, 'error'],
      [{ ...plain, source: 'ec2' }, 'detail'],
      [{ ...plain, source: 'gce', source_project: null }, 'credential'],
      [{ ...plain, source: 'gce', source_project: null, credential: aws }, 'credential'],
      [{ ...plain, credential: vault }, 'credential'],
      [{ ...plain, scm_branch: 'other' }, 'scm_branch'],
      [{ ...plain, source_path: '../x' }, 'source_path'],
      [{ ...plain, source_vars: 'PATH: /x' }, 'source_vars'],
      [{ ...plain, source_vars: '- a' }, 'source_vars'],
      [{ ...plain, host_filter: '(' }, 'host_filter'],
      [{ ...plain, limit: '@file' }, 'limit'],
      [{ ...plain, verbosity: 3 }, 'verbosity'],
      [{ ...plain, max_removed_percent: 101 }, 'max_removed_percent'],
      [{ ...plain, update_cache_timeout: -1 }, 'update_cache_timeout'],
    ];
    for (const [body, key] of refused) {
      const answer = await service.post('inventory_sources/', body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body, JSON.stringify(body)).to.have.property(key);
    }
    const one = await create('inventory_sources/', plain);
    const twice = await service.post('inventory_sources/', plain);
    expect(twice.body.__all__[0]).to.contain('already exists');
    const attach = (body: object) => service.post(`inventory_sources/${one.id}/credentials/`, body);
    expect((await attach({ id: vault })).body).to.have.property('msg');
    expect((await attach({ id: aws })).status).to.equal(204);
    expect((await service.get(`inventory_sources/${one.id}/`)).body.credential).to.equal(aws);
    expect((await attach({ id: aws, disassociate: true })).status).to.equal(204);
    expect((await service.get(`inventory_sources/${one.id}/credentials/`)).body.count).to.equal(0);
  });

  it('constructs an inventory of the hosts of others, which keep their ids as instances', async () => {
    const { db } = service.services;
    const input = await makeInventory();
    const filled = await makeSource({ inventory: input.id });
    expect((await update(filled.id)).status).to.equal('successful');
    const [{ id }] = await db('inventories')
      .insert({ name: 'constructed', kind: 'constructed', organization_id: organization })
      .returning('id');
    await db('inventory_inputs').insert({ inventory_id: id, input_id: input.id });
    const [own] = await db('templates')
      .insert({
        kind: 'inventory_source',
        name: 'constructed',
        source: 'constructed',
        inventory_id: id,
        organization_id: organization,
        overwrite: true,
        overwrite_vars: true,
        source_vars: JSON.stringify({ groups: { in_a: "zone | default('') == 'a'" }, compose: { here: 'site' } }),
        limit: 'in_a:web2',
      })
      .returning('id');
    const run = await update(own.id);
    expect(run.status, run.job_explanation).to.equal('successful');
    expect(await names(`inventories/${id}/hosts/`)).to.deep.equal(['web1', 'web2']);
    const { body } = await service.get(`inventories/${id}/script/?hostvars=1`);
    expect(body.in_a.hosts).to.deep.equal(['web1']);
    expect(body._meta.hostvars.web1.here).to.equal('north');
    const original = await db('hosts').where({ inventory_id: input.id, name: 'web1' }).first('id');
    const shadow = await db('hosts').where({ inventory_id: id, name: 'web1' }).first('instance_id');
    expect(shadow.instance_id).to.equal(String(original.id));
  });
});
