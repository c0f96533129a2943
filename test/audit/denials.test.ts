import { expect } from 'chai';
import { createDenialGate } from '../../core/http/record-denials.ts';
import { type Api, basic, type Client, startApi } from '../support/api.ts';

describe('denials in the audit log', () => {
  let api: Api;
  let reader: Client;
  let inventory: any;
  let organization: any;

  before(async () => {
    api = await startApi();
    organization = (await api.admin('POST', '/api/v2/organizations/', { name: 'Guarded' })).body;
    inventory = (await api.admin('POST', '/api/v2/inventories/', { name: 'kept', organization: organization.id })).body;
    const { body: user } = await api.admin('POST', '/api/v2/users/', { username: 'reader', password: 'pw' });
    const { read_role: role } = (await api.admin('GET', inventory.url)).body.summary_fields.object_roles;
    await api.admin('POST', `/api/v2/users/${user.id}/roles/`, { id: role.id });
    reader = api.as(basic('reader', 'pw'));
  });
  after(() => api?.stop());

  const denied = async () => {
    const { body } = await api.admin('GET', '/api/v2/audit_events/?action=denied&page_size=200&order_by=id');
    return body.results;
  };

  it('tell who was refused which change of what, where and why', async () => {
    const { status, body } = await reader(
      'PATCH',
      inventory.url,
      { name: 'mine', variables: 'secret: 1' },
      { 'x-request-id': 'refused-here' },
    );
    expect(status).to.equal(403);
    expect((await reader('POST', '/api/v2/organizations/', { name: 'mine' })).status).to.equal(403);
    expect((await reader('POST', `${inventory.url}ad_hoc_commands/`, { module_name: 'ping' })).status).to.equal(403);
    const [change, creation, command, ...rest] = await denied();
    expect(change).to.deep.include({
      actor_name: 'reader',
      ip: '127.0.0.1',
      request_id: 'refused-here',
      organization: organization.id,
      object_type: 'inventory',
      object_id: inventory.id,
      object_name: 'kept',
      before: null,
      after: null,
      details: { method: 'PATCH', path: inventory.url, route: '/api/v2/inventories/:id/', detail: body.detail },
    });
    expect(creation).to.deep.include({ object_type: 'organization', object_id: null, organization: null });
    expect(command.details).to.include({ method: 'POST', name: 'ad_hoc_commands' });
    expect(rest).to.deep.equal([]);
    expect((await api.admin('GET', '/api/v2/activity_stream/?object1=inventory&operation=update')).body.count).to.equal(
      0,
    );
  });

  it('tell nothing of what was only asked for, not found, wrong or allowed', async () => {
    const before = (await denied()).length;
    expect((await reader('GET', '/api/v2/inventories/?created_by__password=x')).status).to.equal(403);
    expect((await reader('PATCH', '/api/v2/inventories/999999/', {})).status).to.equal(404);
    expect((await reader('DELETE', '/api/v2/inventories/')).status).to.equal(405);
    expect((await api.admin('PATCH', inventory.url, { name: '' })).status).to.equal(400);
    expect(await denied()).to.have.length(before);
  });

  it('tell of a token that may only read', async () => {
    const { body: token } = await api.admin('POST', '/api/v2/tokens/', { scope: 'read' });
    expect((await api.as(`Bearer ${token.token}`)('DELETE', inventory.url)).status).to.equal(403);
    const { actor_name, details } = (await denied()).at(-1);
    expect([actor_name, details.method]).to.deep.equal(['admin', 'DELETE']);
  });

  it('are bounded for each user, and say how many were left out', async () => {
    let now = 0;
    const admit = createDenialGate(() => now);
    const many = Array.from({ length: 25 }, () => admit(1));
    expect(many).to.deep.equal([...Array(20).fill(0), ...Array(5).fill(null)]);
    expect(admit(2)).to.equal(0);
    now = 60_000;
    expect([admit(1), admit(1), admit(2)]).to.deep.equal([5, 0, 0]);

    // a minute may end meanwhile
    for (let batch = 0; batch < 4; batch += 1)
      await Promise.all(Array.from({ length: 15 }, () => reader('DELETE', inventory.url)));
    const written = (await denied()).filter(({ actor_name }: any) => actor_name === 'reader');
    expect(written.length).to.be.within(20, 59);
  });
});
