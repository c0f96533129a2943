import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { play, SourceRepository } from '../scm/repository.ts';
import { describeWith } from '../support/needs.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const collections = join(root, '.tools', 'collections');

describeWith(['awx.awx'], 'inventory sources that plugins of the engine read', function () {
  let service: TestService;
  let source: SourceRepository;
  let project: number;
  let made = 0;

  const create = async (path: string, body: object) => {
    const answer = await service.post(path, { name: `n${(made += 1)}`, ...body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const ended = (path: string, id: number) =>
    until(async () => {
      const { body } = await service.get(`${path}/${id}/`);
      return body.finished ? body : undefined;
    }, 60_000);
  const update = async (id: number) => {
    const { status, body } = await service.post(`inventory_sources/${id}/update/`);
    expect(status, JSON.stringify(body)).to.equal(202);
    const run = await ended('inventory_updates', body.inventory_update);
    expect(run.status, run.job_explanation).to.equal('successful');
    return run;
  };
  const stdout = async (run: { id: number }) =>
    (await service.get(`inventory_updates/${run.id}/stdout/?format=txt`)).body as string;
  const hostsOf = async (inventory: number): Promise<any[]> =>
    (await service.get(`inventories/${inventory}/hosts/?order_by=name`)).body.results;

  before(async () => {
    source = new SourceRepository();
    source.commit({
      'site.yml': play,
      'say.yml': "- hosts: one\n  gather_facts: false\n  tasks: [{debug: {msg: '{{ zone }}, {{ asks }}'}}]\n",
      'hosts.yml': 'all: {hosts: {one: {zone: a}, two: {zone: b}}}\n',
      'by-zone.constructed.yml':
        'plugin: ansible.builtin.constructed\nstrict: true\nkeyed_groups: [{key: zone, prefix: zone}]\n',
      'many.generator.yml':
        "plugin: ansible.builtin.generator\nhosts: {name: '{{ part }}-{{ n }}', parents: [{name: '{{ part }}'}]}\nlayers: {part: [web, db], n: [1, 2]}\n",
      'script.sh': `#!/bin/sh\nprintf '{"all": {"hosts": ["%s"]}, "_meta": {"hostvars": {}}}' "$NAME_OF_HOST"\n`,
    });
    chmodSync(join(source.folder, 'script.sh'), 0o755);
    source.commit({});
    service = await startService({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) });
    const found = await create('projects/', { organization: 1, scm_type: 'git', scm_url: source.url });
    project = found.id;
    const { id } = found.summary_fields.current_update;
    expect((await ended('project_updates', id)).status).to.equal('successful');
  });
  after(() => service?.stop());

  it('come from this very service by its credential: with ids, and disabled where they are disabled there', async () => {
    const body = { AWX_ISOLATION_SHOW_PATHS: [collections], AWX_TASK_ENV: { ANSIBLE_COLLECTIONS_PATH: collections } };
    expect((await service.request('PATCH', 'settings/jobs/', { body })).status).to.equal(200);
    const { id: from } = await create('inventories/', { organization: 1 });
    const one = await create('hosts/', {
      name: 'one',
      inventory: from,
      variables: `zone: a\nansible_connection: local\nlist: [b, {c: d}]\nasks: '{{ 6 * 7 }}'\nheader: "#jinja2: variable_start_string:'[['"`,
    });
    const two = await create('hosts/', { name: 'two', inventory: from, enabled: false });
    const web = await create('groups/', { name: 'web', inventory: from, variables: 'port: 80' });
    for (const { id } of [one, two]) await service.post(`groups/${web.id}/hosts/`, { id });
    const { results } = (await service.get('credential_types/?namespace=svc')).body;
    const inputs = { host: service.url, username: 'admin', password: adminPassword, verify_ssl: false };
    const credential = await create('credentials/', { organization: 1, credential_type: results[0].id, inputs });

    const { id: inventory } = await create('inventories/', { organization: 1 });
    const { id } = await create('inventory_sources/', {
      inventory,
      source: 'controller',
      credential: credential.id,
      source_vars: `inventory_id: ${from}`,
      overwrite: true,
    });
    const first = await update(id);
    expect(await stdout(first)).not.to.contain(adminPassword);
    const shown = async () =>
      (await hostsOf(inventory)).map((host) => [
        host.name,
        host.enabled,
        host.instance_id,
        JSON.parse(host.variables).zone,
      ]);
    expect(await shown()).to.deep.equal([
      ['one', true, String(one.id), 'a'],
      ['two', false, String(two.id), undefined],
    ]);
    // the engine marks all texts of the plugin; what could be a template keeps the mark, and is none in a job
    const [{ variables }] = await hostsOf(inventory);
    const marked = { list: ['b', { c: 'd' }], asks: { __ansible_unsafe: '{{ 6 * 7 }}' } };
    expect(JSON.parse(variables)).to.deep.include(marked);
    expect(JSON.parse(variables).header).to.have.all.keys('__ansible_unsafe');
    const { id: template } = await create('job_templates/', { project, playbook: 'say.yml', inventory });
    const { body: job } = await service.post(`job_templates/${template}/launch/`);
    expect((await ended('jobs', job.id)).status).to.equal('successful');
    const said = (await service.get(`jobs/${job.id}/stdout/?format=txt`)).body;
    expect(said).to.contain('"msg": "a, {{ 6 * 7 }}"');
    const script = (await service.get(`inventories/${inventory}/script/?all=1`)).body;
    expect(script.web).to.deep.equal({ hosts: ['one', 'two'], vars: { port: 80 } });
    // it is the same host there, so it is the same one here
    const [{ id: before }] = await hostsOf(inventory);
    await service.request('PATCH', `hosts/${one.id}/`, { body: { name: 'once' } });
    expect((await update(id)).changes.hosts).to.include({ found: 2, added: 0, removed: 0 });
    expect((await hostsOf(inventory)).map((host) => [host.id === before, host.name])).to.deep.include([true, 'once']);
    // who may not log in there is told so
    await service.request('PATCH', `credentials/${credential.id}/`, {
      body: { inputs: { ...inputs, password: 'no' } },
    });
    const { body: wrong } = await service.post(`inventory_sources/${id}/update/`);
    const failed = await ended('inventory_updates', wrong.inventory_update);
    expect(failed.status).to.equal('failed');
    expect(await hostsOf(inventory)).to.have.lengthOf(2);
  });

  describe('of a project', () => {
    const sourceOf = async (source_path: string, more: object = {}) => {
      const { id: inventory } = await create('inventories/', { organization: 1 });
      const body = { inventory, source: 'scm', source_project: project, source_path, ...more };
      return { inventory, source: (await create('inventory_sources/', body)).id as number };
    };

    it('are configured by its YAML', async () => {
      const { inventory, source: id } = await sourceOf('many.generator.yml');
      await update(id);
      expect((await hostsOf(inventory)).map(({ name }) => name)).to.deep.equal(['db-1', 'db-2', 'web-1', 'web-2']);
      const script = (await service.get(`inventories/${inventory}/script/`)).body;
      expect(script.web).to.deep.equal({ hosts: ['web-1', 'web-2'] });
    });

    it('and its scripts, see the variables of the source in their environment', async () => {
      const { inventory, source: id } = await sourceOf('script.sh', { source_vars: 'NAME_OF_HOST: told-by-source' });
      await update(id);
      expect((await hostsOf(inventory)).map(({ name }) => name)).to.deep.equal(['told-by-source']);
    });

    it('say more with more verbosity', async () => {
      const [quiet, loud] = [
        await sourceOf('hosts.yml', { verbosity: 0 }),
        await sourceOf('hosts.yml', { verbosity: 2 }),
      ];
      const [little, much] = [await stdout(await update(quiet.source)), await stdout(await update(loud.source))];
      expect(little.trim()).to.equal('Found 2 hosts in 0 groups.');
      expect(much).to.contain('inventory source with yaml plugin').and.to.contain(little.trim());
    });
  });
});
