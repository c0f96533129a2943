import { expect } from 'chai';
import { type Api, basic, startApi } from '../support/api.ts';

describe('the activity stream', () => {
  let api: Api;
  let organization: any;
  let inventory: any;
  before(async () => {
    api = await startApi();
    organization = await make('organizations', { name: 'Acme' });
    inventory = await make('inventories', { name: 'Lab', organization: organization.id });
  });
  after(() => api.stop());

  const make = async (path: string, body: unknown) => {
    const answer = await api.admin('POST', `/api/v2/${path}/`, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const entries = async (query: string) => {
    const { status, body, text } = await api.admin('GET', `/api/v2/activity_stream/?${query}`);
    expect(status, text).to.equal(200);
    return body.results;
  };
  const newest = async (query = '') => (await entries(`order_by=-id&${query}`))[0];
  const count = async () => Number((await api.db('activity_stream').count({ n: '*' }))[0]!.n);

  it('tells who made what, with every writable field, links by name and id', async () => {
    const host = await make('hosts', { name: 'web1', inventory: inventory.id, variables: 'a: 1' });
    const entry = await newest();
    expect(entry).to.include({
      type: 'activity_stream',
      operation: 'create',
      object1: 'host',
      object2: '',
      object_association: '',
      object_type: '',
      action_node: 'test',
    });
    expect(entry.timestamp).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(entry.changes).to.include({
      id: host.id,
      name: 'web1',
      variables: 'a: 1',
      enabled: true,
      inventory: `Lab-${inventory.id}`,
    });
    expect(entry.summary_fields.actor).to.include({ username: 'admin', first_name: '', last_name: '' });
    expect(entry.summary_fields.host).to.deep.equal([{ id: host.id, name: 'web1', description: '' }]);
    expect(entry.related).to.deep.include({
      actor: `/api/v2/users/${entry.summary_fields.actor.id}/`,
      host: [`/api/v2/hosts/${host.id}/`],
    });
    expect(entry).to.not.have.any.keys('created', 'modified', 'name', 'actor', 'organization');
    expect((await api.admin('GET', entry.url)).body).to.deep.equal(entry);
  });

  it('tells before and after of what changed, and nothing of a save that changed nothing', async () => {
    const host = await make('hosts', { name: 'web2', inventory: inventory.id });
    const before = await count();
    await api.admin('PATCH', host.url, { name: 'web2', enabled: true });
    expect(await count()).to.equal(before);
    await api.admin('PATCH', host.url, { name: 'web3', enabled: false });
    expect(await count()).to.equal(before + 1);
    expect(await newest()).to.deep.include({
      operation: 'update',
      changes: { name: ['web2', 'web3'], enabled: [true, false] },
    });
    const other = await make('organizations', { name: 'Other' });
    const project = await make('inventories', { name: 'Moves', organization: organization.id });
    await api.admin('PATCH', project.url, { organization: other.id });
    expect((await newest()).changes).to.deep.equal({
      organization: [`Acme-${organization.id}`, `Other-${other.id}`],
    });
  });

  it('keeps the names of what was deleted, and of who did it', async () => {
    const client = await make('users', { username: 'leaver', password: 'long enough 1', is_superuser: true });
    const leaver = api.as(basic('leaver', 'long enough 1'));
    const host = await make('hosts', { name: 'gone', inventory: inventory.id });
    expect((await leaver('DELETE', host.url)).status).to.equal(204);
    expect((await api.admin('DELETE', client.url)).status).to.equal(204);
    const entry = await newest('object1=host');
    expect(entry).to.include({ operation: 'delete' });
    expect(entry.changes).to.include({ id: host.id, name: 'gone', inventory: `Lab-${inventory.id}` });
    expect(entry.summary_fields.actor).to.deep.equal({ id: null, username: 'leaver', first_name: '', last_name: '' });
    expect(entry.related).to.not.have.property('actor');
  });

  it('hides secrets', async () => {
    await make('users', { username: 'secretive', password: 'long enough 1' });
    expect((await newest()).changes).to.include({ username: 'secretive', password: 'hidden' });
    const type = await make('credential_types', {
      name: 'Secret',
      kind: 'cloud',
      inputs: { fields: [{ id: 'key', type: 'string', label: 'Key', secret: true }] },
    });
    const credential = await make('credentials', {
      name: 'Hidden',
      organization: organization.id,
      credential_type: type.id,
      inputs: { key: 'TOPSECRET' },
    });
    await api.admin('PATCH', credential.url, { inputs: { key: 'ALSOSECRET' } });
    expect((await newest()).changes).to.deep.equal({ inputs: ['hidden', 'hidden'] });
    await make('tokens', { description: 'mine' });
    const { rows } = await api.db.raw('select changes::text from activity_stream');
    expect(rows.map(({ changes }: any) => changes).join()).to.not.match(/SECRET|long enough|argon|svc_/);
  });

  it('tells of linking and unlinking once', async () => {
    const host = await make('hosts', { name: 'linked', inventory: inventory.id });
    const group = await make('groups', { name: 'them', inventory: inventory.id });
    const attach = (body: unknown) => api.admin('POST', `${group.url}hosts/`, body);
    await attach({ id: host.id });
    const before = await count();
    await attach({ id: host.id });
    expect(await count()).to.equal(before);
    expect(await newest()).to.deep.include({
      operation: 'associate',
      object1: 'group',
      object2: 'host',
      object_association: 'hosts',
      changes: {
        object1: 'group',
        object1_pk: group.id,
        object2: 'host',
        object2_pk: host.id,
        action: 'associate',
        relationship: 'hosts',
      },
    });
    expect((await newest()).summary_fields).to.include.keys('group', 'host');
    await attach({ id: host.id, disassociate: true });
    await attach({ id: host.id, disassociate: true });
    expect(await count()).to.equal(before + 1);
    expect(await newest()).to.include({ operation: 'disassociate' });
  });

  it('tells of roles given and taken', async () => {
    const user = await make('users', { username: 'promoted', password: 'long enough 1' });
    const role = organization.summary_fields.object_roles.admin_role.id;
    expect((await api.admin('POST', `/api/v2/roles/${role}/users/`, { id: user.id })).status).to.equal(204);
    const given = await newest();
    expect(given).to.include({ operation: 'associate', object_association: 'role' });
    expect([given.object1, given.object2]).to.have.members(['role', 'user']);
    expect(given.summary_fields.role).to.deep.equal([{ id: role, role_field: 'admin_role' }]);
    expect(given.related.role).to.deep.equal([`/api/v2/roles/${role}/`]);
    const taken = { id: user.id, disassociate: true };
    expect((await api.admin('POST', `/api/v2/roles/${role}/users/`, taken)).status).to.equal(204);
    expect(await newest()).to.include({ operation: 'disassociate', object_association: 'role' });
  });

  it('belongs to the transaction of the write', async () => {
    const before = await count();
    expect((await api.admin('POST', '/api/v2/organizations/', { name: 'Acme' })).status).to.equal(400);
    expect(await count()).to.equal(before);
  });

  it('costs one statement a write', async () => {
    const inserts: string[] = [];
    const note = ({ sql }: { sql: string }) => void (sql.includes('activity') && inserts.push(sql));
    api.db.on('query', note);
    const host = await make('hosts', { name: 'counted', inventory: inventory.id });
    await api.admin('PATCH', host.url, { inventory: inventory.id, name: 'counted2' });
    api.db.removeListener('query', note);
    expect(inserts).to.have.length(2);
  });

  it('is filtered as clients do', async () => {
    const [host] = (await api.admin('GET', '/api/v2/hosts/?name=linked')).body.results;
    expect((await entries(`host__id=${host.id}`)).map((entry: any) => entry.operation)).to.deep.equal([
      'create',
      'associate',
      'disassociate',
    ]);
    for (const query of ['object1=group', 'object2=host', 'actor__username__icontains=DMI', 'search=them'])
      expect(await entries(query), query).to.not.deep.equal([]);
    expect(await entries('or__object1__in=group,host&or__object2__in=host')).to.not.deep.equal([]);
    expect(await entries('timestamp__gte=2999-01-01')).to.deep.equal([]);
    expect(await entries('actor__username__icontains=nosuch')).to.deep.equal([]);
    const [first, second] = await entries('order_by=-timestamp');
    expect(first.timestamp >= second.timestamp).to.equal(true);
  });

  it('is exported as CSV with the names of what it is about, as it is narrowed', async () => {
    const { text, headers } = await api.admin('GET', '/api/v2/activity_stream/?format=csv&object2=host&order_by=id');
    expect(headers.get('content-disposition')).to.contain('activity_stream.csv');
    const [titles, ...rows] = text.trimEnd().split('\r\n');
    expect(titles).to.equal(
      'id,timestamp,operation,actor,actor_name,object1,object1_name,object2,object2_name,object_association,changes,action_node',
    );
    expect(rows).to.have.length((await entries('object2=host')).length);
    expect(rows[0]).to.match(/^\d+,[^,]+Z,associate,1,admin,group,\w+,host,linked,hosts,/);
  });

  it('is listed below each object', async () => {
    const { body } = await api.admin('GET', `${organization.url}activity_stream/`);
    expect(body.count).to.equal(1);
    expect(body.results[0]).to.include({ operation: 'create', object1: 'organization' });
    expect((await api.admin('GET', organization.url)).body.related.activity_stream).to.equal(
      `${organization.url}activity_stream/`,
    );
  });

  it('counts what went with an inventory, and links settings to their page', async () => {
    const lab = await make('inventories', { name: 'Counted', organization: organization.id });
    for (const name of ['a', 'b']) await make('hosts', { name, inventory: lab.id });
    await make('groups', { name: 'c', inventory: lab.id });
    await api.admin('DELETE', lab.url);
    expect((await newest()).changes).to.deep.include({
      id: lab.id,
      name: 'Counted',
      coalesced_data: { hosts_deleted: 2, groups_deleted: 1 },
    });
    await api.admin('PATCH', '/api/v2/settings/ui/', { CUSTOM_TITLE: 'Ours' });
    const entry = await newest();
    expect(entry.related.setting).to.equal('/api/v2/settings/ui/');
    expect(entry.summary_fields.setting).to.deep.equal([{ category: 'ui', name: 'CUSTOM_TITLE' }]);
  });

  it('tells below an inventory of its hosts and groups too, and below a user what the user did', async () => {
    const lab = await make('inventories', { name: 'Parts', organization: organization.id });
    const host = await make('hosts', { name: 'part', inventory: lab.id });
    const group = await make('groups', { name: 'parts', inventory: lab.id });
    await make('hosts', { name: 'part', inventory: inventory.id });
    const below = (await api.admin('GET', `${lab.url}activity_stream/?order_by=id`)).body.results;
    expect(below.map(({ object1, changes }: any) => [object1, changes.id])).to.deep.equal([
      ['inventory', lab.id],
      ['host', host.id],
      ['group', group.id],
    ]);
    const [me] = (await api.admin('GET', '/api/v2/me/')).body.results;
    const own = (await api.admin('GET', `/api/v2/users/${me.id}/activity_stream/?order_by=-id`)).body.results;
    expect(own[0].changes.name).to.equal('part');
  });

  it('shows to others what is about things that they see', async () => {
    const other = await make('users', { username: 'other', password: 'long enough 1' });
    const as = api.as(basic('other', 'long enough 1'));
    const { results } = (await as('GET', '/api/v2/activity_stream/?page_size=200')).body;
    expect(results.length).to.be.greaterThan(0);
    const allowed = new Set(['user', 'o_auth2_access_token', 'credential_type']);
    for (const entry of results) expect(allowed.has(entry.object1), entry.object1).to.equal(true);
    expect(results.some((entry: any) => entry.changes.id === other.id)).to.equal(true);
    const hidden = await newest('object1=host');
    expect((await as('GET', hidden.url)).status).to.equal(404);
    expect((await as('GET', results[0].url)).status).to.equal(200);
    expect((await as('GET', `${organization.url}activity_stream/`)).status).to.equal(404);
  });

  it('can be switched off', async () => {
    const quiet = await startApi({ ACTIVITY_STREAM_ENABLED: 'false' });
    try {
      expect((await quiet.admin('POST', '/api/v2/organizations/', { name: 'Unseen' })).status).to.equal(201);
      expect((await quiet.admin('GET', '/api/v2/activity_stream/')).body.count).to.equal(0);
    } finally {
      await quiet.stop();
    }
  });

  it('is read only', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await api.admin(method, '/api/v2/activity_stream/', {})).status).to.equal(405);
      expect((await api.admin(method, '/api/v2/activity_stream/1/', {})).status).to.equal(405);
    }
  });
});
