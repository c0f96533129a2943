import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';

describe('Routes of core', () => {
  let service: TestService;
  let fixtures: Fixtures;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web' });
    fixtures = await createFixtures(service);
  });
  after(() => service.stop());

  it('shows the entry documents to everybody', async () => {
    const entry = await service.get('/api/', { auth: null });
    expect(entry.body).to.include({ current_version: '/api/v2/', oauth2: '/api/o/', login_redirect_override: '' });
    expect(entry.body.available_versions).to.deep.equal({ v2: '/api/v2/' });
    expect(entry.headers.get('x-api-product-version')).to.equal(null);
    const { status, body } = await service.get('/api/v2/', { auth: null });
    expect(status).to.equal(200);
    expect(body).to.include({
      inventory: '/api/v2/inventories/',
      unified_jobs: '/api/v2/unified_jobs/',
      me: '/api/v2/me/',
    });
    for (const path of Object.values<string>(body)) expect((await service.get(path)).status, path).to.equal(200);
  });

  it('pings without credentials, also with wrong ones', async () => {
    for (const auth of [null, 'svc_nonsense']) {
      const { status, body } = await service.get('/api/v2/ping/', { auth });
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('ha', 'version', 'active_node', 'install_uuid', 'instances', 'instance_groups');
    }
  });

  it('shows what the login page is to look like, as the settings say', async () => {
    const logo = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    const set = (slug: string, body: object) => service.request('PATCH', `settings/${slug}/`, { body });
    await set('ui', { CUSTOM_LOGO: logo, CUSTOM_LOGIN_INFO: 'Only for us.' });
    await set('authentication', { LOGIN_REDIRECT_OVERRIDE: '/sso/login/oidc/' });
    expect((await service.get('/api/', { auth: null })).body).to.include({
      custom_logo: logo,
      custom_login_info: 'Only for us.',
      custom_header_logo: '',
      login_redirect_override: '/sso/login/oidc/',
    });
    for (const slug of ['ui', 'authentication']) await service.request('DELETE', `settings/${slug}/`);
  });

  it('names the instance groups with their nodes when pinged', async () => {
    const { db } = service.services;
    const [{ id }] = await db('instance_groups').insert({ name: 'Alpha' }).returning('id');
    const [node] = await db('instances')
      .insert({ hostname: 'pinged', uuid: '00000000-0000-4000-8000-0000000000aa', capacity: 7 })
      .returning('id');
    await db('instance_group_instances').insert({ instance_group_id: id, instance_id: node.id });
    const { instance_groups: groups } = (await service.get('ping/', { auth: null })).body;
    expect(groups[0]).to.deep.equal({ name: 'Alpha', capacity: 7, instances: ['pinged'] });
    const names = groups.map(({ name }: any) => name.toLowerCase());
    expect(names).to.deep.equal(names.toSorted()).and.to.include.members(['default', 'controlplane']);
    await db('instances').where({ id: node.id }).delete();
    await db('instance_groups').where({ id }).delete();
  });

  it('tells folders of projects to who keeps an organization or its projects', async () => {
    const auth = 'keeper:long enough 1';
    const user = (await service.post('users/', { username: 'keeper', password: 'long enough 1' })).body.id;
    const organization = (await service.post('organizations/', { name: 'kept' })).body;
    expect((await service.get('config/', { auth })).body).to.not.have.property('project_base_dir');
    const role = organization.summary_fields.object_roles.project_admin_role.id;
    await service.post(`roles/${role}/users/`, { id: user });
    expect((await service.get('config/', { auth })).body).to.include.keys('project_base_dir', 'project_local_paths');
  });

  it('shows a node that is not heard of as unavailable', async () => {
    const { db } = service.services;
    const row = { hostname: 'gone', uuid: '00000000-0000-4000-8000-000000000001', node_state: 'ready', capacity: 9 };
    await db('instances').insert({ ...row, last_seen: db.raw("now() - interval '1 minute'") });
    const { body } = await service.get('/api/v2/instances/?hostname=gone&node_state=unavailable');
    expect(body.results).to.have.length(1);
    expect(body.results[0].errors).to.equal('The node is not heard of any more.');
    await db('instances')
      .where({ hostname: 'gone' })
      .update({ last_seen: db.raw("now() + interval '1 hour'") });
    const [again] = (await service.get('/api/v2/instances/?hostname=gone')).body.results;
    expect(again).to.include({ node_state: 'ready', errors: '' });
    await db('instances').where({ hostname: 'gone' }).delete();
  });

  it('shows a node that only serves the web as one without capacity, whatever its adjustment', async () => {
    const { hostname, id, ...shown } = (await service.get('instances/?node_type=control')).body.results[0];
    expect(hostname).to.equal(service.services.config.nodeName);
    expect(shown).to.include({ node_state: 'ready', capacity: 0, cpu_capacity: 0, mem_capacity: 0, engine: '' });
    const changed = await service.request('PATCH', `instances/${id}/`, { body: { capacity_adjustment: '0.50' } });
    expect(changed.body).to.include({ capacity: 0, capacity_adjustment: '0.50' });
    const { instances, instance_groups: groups } = (await service.get('ping/', { auth: null })).body;
    expect(instances.find(({ node }: any) => node === hostname)).to.include({ node_type: 'control', capacity: 0 });
    expect(
      groups.filter((group: any) => group.instances.includes(hostname)).map(({ name }: any) => name),
    ).to.deep.equal(['controlplane']);
    const { nodes } = (await service.get('mesh_visualizer/')).body;
    expect(nodes).to.deep.include({ id, hostname, node_type: 'control', node_state: 'ready', enabled: true });
  });

  it('has no addresses of nodes in a mesh, by the name under which clients look for them', async () => {
    expect((await service.get('')).body.receptor_addresses).to.equal('/api/v2/receptor_addresses/');
    const none = { count: 0, next: null, previous: null, results: [] };
    expect((await service.get('receptor_addresses/')).body).to.deep.equal(none);
    expect((await service.get('receptor_addresses/?address=10.0.0.1')).body).to.deep.equal(none);
    expect((await service.get('receptor_addresses/?nothing=1')).status).to.equal(400);
    expect((await service.get('receptor_addresses/1/')).status).to.equal(404);
  });

  it('counts what a node carries anew when its adjustment changes, and nothing while it is away', async () => {
    const { db } = service.services;
    const row = { hostname: 'big', uuid: '00000000-0000-4000-8000-000000000002', cpu_capacity: 4, mem_capacity: 24 };
    const [{ id }] = await db('instances')
      .insert({ ...row, last_seen: db.raw("now() + interval '1 hour'") })
      .returning('id');
    const changed = await service.request('PATCH', `instances/${id}/`, { body: { capacity_adjustment: '0.50' } });
    expect(changed.body).to.include({ capacity: 14 });
    const pinged = async () =>
      (await service.get('ping/')).body.instances.find(({ node }: any) => node === 'big').capacity;
    expect(await pinged()).to.equal(14);
    await db('instances')
      .where({ id })
      .update({ last_seen: db.raw("now() - interval '1 minute'") });
    expect(await pinged()).to.equal(0);
    expect((await service.get(`instances/${id}/`)).body.capacity).to.equal(0);
    const { nodes } = (await service.get('mesh_visualizer/')).body;
    expect(nodes.find((node: any) => node.id === id).node_state).to.equal('unavailable');
    await db('instances').where({ id }).delete();
  });

  it('tells users about the installation, and paths to administrators only', async () => {
    const { body } = await service.get('/api/v2/config/');
    expect(body).to.include({ time_zone: 'UTC', eula: '', analytics_status: 'off' });
    expect(body.license_info).to.include({ valid_key: true });
    expect(body.become_methods).to.deep.include(['sudo', 'Sudo']);
    expect(body).to.include.keys('project_base_dir', 'project_local_paths');
    await service.post('/api/v2/users/', { username: 'plain', password: 'long enough 1' });
    const shown = (await service.get('/api/v2/config/', { auth: 'plain:long enough 1' })).body;
    expect(shown).not.to.have.any.keys('project_base_dir', 'project_local_paths');
    expect((await service.get('/api/v2/config/', { auth: null })).status).to.equal(401);
  });

  it('refuses wrong credentials without telling which part is wrong, and never asks a browser for them', async () => {
    for (const auth of [null, 'admin:wrong', 'nobody:wrong', 'svc_nonsense']) {
      const { status, body, headers } = await service.get('/api/v2/organizations/', { auth });
      expect([status, body]).to.deep.equal([401, { detail: 'Authentication credentials were not provided.' }]);
      expect(headers.get('www-authenticate')).to.match(/^Bearer realm="api"/);
    }
  });

  it('lists runs of every kind in their own shapes, new ones nowhere', async () => {
    await service.services.db('runs').insert({ kind: 'job', name: 'undecided', status: 'new' });
    for (const path of ['unified_jobs', 'jobs'])
      expect((await service.get(`/api/v2/${path}/?name=undecided`)).body.count, path).to.equal(0);
    const { body } = await service.get('/api/v2/unified_jobs/?order_by=-type');
    expect(body.results.map(({ type }: any) => type)).to.deep.equal([
      'workflow_job',
      'system_job',
      'project_update',
      'job',
      'inventory_update',
      'ad_hoc_command',
    ]);
    for (const { type, url, ...shown } of body.results) {
      const own = (await service.get(`/api/v2/${type}s/?id=${shown.id}`)).body.results[0];
      expect({ type, url, ...shown }).to.deep.equal(own);
      expect((await service.get(url)).status).to.equal(200);
    }
    expect((await service.get('/api/v2/unified_jobs/?type=job')).body.count).to.equal(1);
    expect((await service.get(`/api/v2/unified_jobs/?job__inventory=${fixtures.ids.inventory}`)).body.count).to.equal(
      1,
    );
    expect((await service.get('/api/v2/unified_jobs/?search=project_update')).body.count).to.equal(1);
    expect(
      (await service.get('/api/v2/unified_jobs/?order_by=-finished&not__launch_type=sync&page_size=20')).status,
    ).to.equal(200);
    expect((await service.get(`/api/v2/unified_jobs/${fixtures.ids.job}/`)).status).to.equal(404);
  });

  it('lists templates of every kind in their own shapes', async () => {
    const { body } = await service.get('/api/v2/unified_job_templates/?type=project,job_template&order_by=name');
    expect(new Set(body.results.map(({ type }: any) => type))).to.deep.equal(new Set(['project', 'job_template']));
    expect((await service.get('/api/v2/unified_job_templates/?type=workflow_job_template')).body.count).to.equal(1);
    expect((await service.get('/api/v2/unified_job_templates/?search=site.yml')).body.count).to.be.greaterThan(0);
  });

  it('costs as many statements for a long page as for a short one', async () => {
    const { db } = service.services;
    const rows = Array.from({ length: 60 }, (_, at) => ({
      kind: at % 2 ? 'job' : 'project_update',
      name: `run ${at}`,
      status: 'successful',
      template_id: fixtures.ids[at % 2 ? 'job_template' : 'project'],
    }));
    await db('runs').insert(rows);
    const costOf = async (path: string) => {
      let statements = 0;
      const count = () => void statements++;
      db.on('query', count);
      await service.get(path);
      db.off('query', count);
      return statements;
    };
    for (const path of ['unified_jobs/?', 'jobs/?', 'project_updates/?']) {
      const counts: number[] = [];
      for (const size of [4, 25]) {
        // the rows made here: other kinds on a page are another matter
        const page = `/api/v2/${path}order_by=-id&page_size=${size}`;
        // what an inventory counts is asked for now and then only: that one more is no cost of the page
        counts.push(Math.min(await costOf(page), await costOf(page)));
      }
      expect(counts[0], path).to.equal(counts[1]);
      expect(counts[1], path).to.be.at.most(7);
    }
  });

  it('keeps an organization from being deleted under a running job', async () => {
    const [run] = await service.services
      .db('runs')
      .insert({ kind: 'job', status: 'running', organization_id: fixtures.ids.organization })
      .returning('id');
    const { status, body } = await service.request('DELETE', `/api/v2/organizations/${fixtures.ids.organization}/`);
    expect(status).to.equal(409);
    expect(body).to.deep.equal({
      error: 'Resource is being used by running jobs.',
      active_jobs: [{ id: run.id, type: 'job' }],
    });
  });
});
