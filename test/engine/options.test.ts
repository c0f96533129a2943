import { expect } from 'chai';
import { type Api, basic, startApi } from '../support/api.ts';

describe('OPTIONS', () => {
  let api: Api;
  let plain: ReturnType<Api['as']>;
  before(async () => {
    api = await startApi();
    const password = 'long enough 1';
    expect((await api.admin('POST', '/api/v2/users/', { username: 'plain', password })).status).to.equal(201);
    plain = api.as(basic('plain', password));
  });
  after(() => api.stop());

  const options = async (path: string, client = api.admin) => {
    const answer = await client('OPTIONS', `/api/v2/${path}`);
    expect(answer.status, path).to.equal(200);
    return answer.body;
  };

  it('names types, choices, bounds and defaults of what can be created', async () => {
    const { POST } = (await options('job_templates/')).actions;
    expect(POST.name).to.deep.include({ type: 'string', required: true, label: 'Name', max_length: 512 });
    expect(POST.job_type).to.deep.include({ type: 'choice', required: false, default: 'run' });
    expect(POST.job_type.choices).to.deep.equal([
      ['run', 'Run'],
      ['check', 'Check'],
    ]);
    expect(POST.extra_vars.type).to.equal('json');
    expect(POST.inventory.type).to.equal('id');
    expect(POST.forks).to.include({ type: 'integer', min_value: 0, default: 0 });
    expect(POST.become_enabled.type).to.equal('boolean');
    expect(POST).to.not.have.any.keys('id', 'status', 'created', 'related', 'type');
  });

  it('says of every list what it is about, in one sentence', async () => {
    const lists: string[] = Object.values((await api.admin('GET', '/api/v2/')).body);
    expect(lists.length).to.be.greaterThan(20);
    for (const list of lists) {
      const { description } = await options(list.replace('/api/v2/', ''));
      expect(description, list).to.match(/^[A-Z].+\S$/);
    }
    expect((await options('inventories/1/hosts/')).description).to.include('machine of an inventory');
    expect((await options('job_templates/1/launch/')).description).to.match(/^Launch the template/);
  });

  it('says of what is shown which fields filter', async () => {
    const body = await options('hosts/');
    const { GET } = body.actions;
    expect(GET.name).to.include({ type: 'string', filterable: true });
    expect(GET.created).to.include({ type: 'datetime', filterable: true });
    expect(GET.type).to.deep.include({ type: 'choice', choices: [['host', 'Host']] });
    expect([GET.related.type, GET.summary_fields.type]).to.deep.equal(['object', 'object']);
    expect(GET.variables.type).to.equal('json');
    for (const entry of Object.values<any>(GET)) expect(entry).to.not.have.any.keys('required', 'max_length');
    expect(GET.enabled.default).to.equal(true);
    expect(body.actions.POST.enabled).to.include({ default: true, filterable: true });
    expect((await options('users/')).actions.POST.password.filterable).to.equal(false);
    for (const entries of Object.values<any>((await options('users/1/')).actions)) {
      expect(entries.password).to.include({ type: 'string', secret: true });
      expect(entries.username).not.to.have.property('secret');
    }
    // parts of an object are told by something else: the type of the credential
    expect((await options('credentials/')).actions.POST.inputs).not.to.have.property('secret');
    expect(body.types).to.deep.equal(['host']);
    expect(body.max_page_size).to.equal(200);
    expect(body.search_fields).to.include.members(['name', 'description']);
    expect(body.related_search_fields).to.include.members(['inventory__search', 'created_by__search']);
    expect(body).to.include.keys('name', 'description', 'renders', 'parses');
  });

  it('calls filterable exactly what can be filtered', async () => {
    for (const path of ['organizations/', 'users/', 'hosts/', 'credentials/', 'job_templates/', 'jobs/', 'projects/']) {
      for (const [name, { filterable, type }] of Object.entries<any>((await options(path)).actions.GET)) {
        if (name === 'type') continue;
        const value = { boolean: 'true', datetime: '2026-01-01' }[type as string] ?? '1';
        const { status } = await api.admin(
          'GET',
          `/api/v2/${path}?${name}${type === 'json' ? '__isnull' : ''}=${value}`,
        );
        expect(status === 200, `${path} ${name}: ${status}`).to.equal(filterable);
      }
    }
  });

  it('names the roles of types that have some', async () => {
    expect((await options('organizations/')).object_roles).to.include.members(['admin_role', 'member_role']);
    expect((await options('job_templates/1/')).object_roles).to.include.members(['admin_role', 'execute_role']);
    expect(await options('hosts/')).to.not.have.property('object_roles');
  });

  it('knows the object by its name as well', async () => {
    await api.admin('POST', '/api/v2/organizations/', { name: 'By name' });
    expect((await options('organizations/By name/')).actions).to.include.keys('PUT');
    expect((await options('organizations/By name/', plain)).actions).to.not.include.keys('PUT');
    expect((await options('organizations/Nobody/')).actions).to.not.include.keys('PUT');
  });

  it('answers for number 1 whether it exists or not, without PUT', async () => {
    for (const [path, allow] of [
      ['organizations/999/', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
      ['job_templates/1/', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
      ['jobs/1/', 'GET, DELETE, HEAD, OPTIONS'],
      ['job_templates/1/launch/', 'GET, POST, HEAD, OPTIONS'],
      ['projects/1/update/', 'GET, POST, HEAD, OPTIONS'],
    ]) {
      const { status, headers, body } = await api.admin('OPTIONS', `/api/v2/${path}`);
      expect([status, headers.get('allow')], path).to.deep.equal([200, allow]);
      expect(body.actions, path).to.not.have.property('PUT');
    }
  });

  it('tells what a launch may be asked', async () => {
    const { POST } = (await options('job_templates/1/launch/')).actions;
    expect(POST.extra_vars.type).to.equal('json');
    expect(POST.credentials.type).to.equal('list_of_ids');
    expect(POST.credential_passwords.type).to.equal('json');
    expect(POST.inventory.type).to.equal('id');
    expect(POST.limit.type).to.equal('string');
    expect(POST.verbosity.type).to.equal('choice');
    expect((await options('projects/1/update/')).actions.POST).to.deep.equal({});
  });

  it('tells attaching from creating on lists below', async () => {
    const { body: organization } = await api.admin('POST', '/api/v2/organizations/', { name: 'Below' });
    const { body: inventory } = await api.admin('POST', '/api/v2/inventories/', {
      name: 'Below',
      organization: organization.id,
    });
    const hosts = (await options(`inventories/${inventory.id}/hosts/`)).actions.POST;
    expect(hosts).to.include.keys('name', 'variables');
    expect(hosts).to.not.have.property('inventory');
    expect(Object.keys((await options('job_templates/1/credentials/')).actions.POST)).to.deep.equal(['id']);
    expect((await options(`organizations/${organization.id}/inventories/`)).actions).to.not.have.property('POST');
  });

  it('offers nothing where nothing can be made, so that clients take the list for one that is only read', async () => {
    const { body: organization } = await api.admin('POST', '/api/v2/organizations/', { name: 'Smart' });
    const smart = { name: 'Smart', organization: organization.id, kind: 'smart', host_filter: 'name=x' };
    const { body: inventory } = await api.admin('POST', '/api/v2/inventories/', smart);
    const { headers, body } = await api.admin('OPTIONS', `/api/v2/inventories/${inventory.id}/hosts/`);
    expect(headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
    expect(body.actions).to.have.keys('GET');
  });

  it("offers POST and PUT by the caller's rights, and the same Allow to all", async () => {
    const { body: organization } = await api.admin('POST', '/api/v2/organizations/', { name: 'Rights' });
    const path = `organizations/${organization.id}/`;
    expect((await options('organizations/')).actions).to.have.property('POST');
    expect((await options(path)).actions).to.have.property('PUT');
    expect((await options('organizations/', plain)).actions).to.not.have.property('POST');
    expect((await options(path, plain)).actions).to.not.have.property('PUT');
    expect((await options('tokens/', plain)).actions).to.have.property('POST');
    for (const at of ['organizations/', path, 'users/', 'job_templates/1/launch/']) {
      const allows = await Promise.all(
        [api.admin, plain].map(async (client) => (await client('OPTIONS', `/api/v2/${at}`)).headers.get('allow')),
      );
      expect(allows[0]).to.equal(allows[1]);
    }
  });

  it('offers of a route of its own what the caller may send, and no GET where there is none', async () => {
    expect((await options('settings/logging/test/')).actions).to.deep.equal({ POST: {} });
    expect((await options('settings/logging/test/', plain)).actions).to.deep.equal({});
    expect((await options('ping/', plain)).actions).to.deep.equal({ GET: {} });
    expect((await options('metrics/')).actions).to.deep.equal({ GET: {} });
    expect((await options('metrics/', plain)).actions).to.deep.equal({});
    expect((await options('me/', plain)).actions.GET.username).to.include({ type: 'string' });
  });

  it('names and describes every path, with the media that it speaks', async () => {
    const stated = new Set<string>();
    const { paths } = (await api.admin('GET', '/api/v2/openapi.json')).body;
    const named: Record<string, string> = { id: '1', slug: 'jobs', plugin: 'none', file: 'page.js' };
    for (const path of Object.keys(paths).filter((one) => /^\/api\/(v2|docs)\/.*\/$/.test(one))) {
      const at = path.replaceAll(/\{(\w+)\}/g, (_, name) => named[name] ?? '1');
      const { status, body } = await api.admin('OPTIONS', at);
      expect(status, path).to.equal(200);
      expect(body.name, path).to.match(/^[A-Z][^:]*(: [^:]+)?$/);
      expect(body.description, path).to.match(/^[A-Z].+\S$/);
      stated.add(`${body.renders} < ${body.parses}`);
    }
    expect([...stated].toSorted()).to.deep.equal([
      // receivers of webhooks
      'application/json < */*',
      'application/json < application/json',
      // the audit log
      'application/json,text/csv < application/json',
      'application/json,text/csv,application/x-ndjson < application/json',
      'text/html < application/json',
      'text/plain,application/json < application/json',
      'text/plain,application/json,text/html < application/json',
    ]);
    expect(await options('jobs/1/stdout/')).to.deep.include({
      name: 'Job: stdout',
      renders: ['text/plain', 'application/json', 'text/html'],
    });
    expect((await options('dashboard/graphs/jobs/')).name).to.equal('Dashboard graphs jobs');
    expect((await options('settings/jobs/')).name).to.equal('Settings');
  });

  it('tells of an action what it shows and what it takes', async () => {
    const relaunch = (await options('jobs/1/relaunch/')).actions;
    expect(Object.keys(relaunch.GET)).to.deep.equal(['passwords_needed_to_start', 'retry_counts']);
    expect(Object.keys(relaunch.POST)).to.deep.equal(['hosts', 'credential_passwords']);
    expect(relaunch.POST.hosts).to.deep.include({ type: 'choice', required: false, default: 'all' });
    expect(relaunch.POST.hosts.choices.map(([value]: [string]) => value)).to.deep.equal(['all', 'failed']);
    expect(relaunch.POST.credential_passwords).to.include({ type: 'json', write_only: true });
    const cancel = (await options('jobs/1/cancel/')).actions;
    expect(cancel.GET.can_cancel).to.include({ type: 'boolean', filterable: false });
    expect(cancel.POST).to.deep.equal({});
    for (const type of ['job_templates', 'projects', 'inventories', 'credentials']) {
      const copy = (await options(`${type}/1/copy/`)).actions;
      expect([Object.keys(copy.GET), Object.keys(copy.POST)], type).to.deep.equal([['can_copy'], ['name']]);
      expect(copy.POST.name, type).to.include({ type: 'string', required: true });
    }
    const launch = (await options('job_templates/1/launch/')).actions;
    expect(launch.GET).to.include.keys('can_start_without_user_input', 'ask_limit_on_launch', 'defaults');
    expect((await options('projects/1/update/')).actions.GET.can_update.type).to.equal('boolean');
    expect((await options('organizations/1/access_list/')).types).to.deep.equal(['user']);
    expect((await options('organizations/1/access_list/')).actions.GET).to.include.keys('username', 'is_superuser');
  });

  it("offers an action's form by the caller's rights on the object", async () => {
    const { body: organization } = await api.admin('POST', '/api/v2/organizations/', { name: 'Actions' });
    const { body: inventory } = await api.admin('POST', '/api/v2/inventories/', {
      name: 'Actions',
      organization: organization.id,
    });
    const { body: user } = await api.admin('GET', '/api/v2/users/?username=plain');
    const { read_role } = inventory.summary_fields.object_roles;
    const paths = ['copy', 'variable_data'].map((action) => `inventories/${inventory.id}/${action}/`);
    const forms = (client = api.admin) =>
      Promise.all(paths.map(async (path) => Object.keys((await options(path, client)).actions)));
    expect(await forms()).to.deep.equal([
      ['GET', 'POST'],
      ['GET', 'PUT'],
    ]);
    // hidden, as if it were not there
    expect(await forms(plain)).to.deep.equal(await forms());
    await api.admin('POST', `/api/v2/users/${user.results[0].id}/roles/`, { id: read_role.id });
    expect(await forms(plain)).to.deep.equal([['GET'], ['GET']]);
  });

  it('puts Allow on every answer, refusals included', async () => {
    for (const [method, path] of [
      ['GET', 'organizations/'],
      ['GET', 'organizations/999/'],
      ['POST', 'organizations/'],
      ['DELETE', 'organizations/'],
    ] as const)
      expect((await api.admin(method, `/api/v2/${path}`)).headers.get('allow')).to.match(/^GET, .*OPTIONS$/);
  });

  it('asks for a login', async () => {
    expect((await api.as()('OPTIONS', '/api/v2/organizations/')).status).to.equal(401);
  });
});
