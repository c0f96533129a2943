import { ApiError, type GuardedWrite } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

describe('a guard on links', function () {
  let service: TestService;
  const asked: string[] = [];
  const ask =
    (operation: 'attach' | 'detach') =>
    ({ parent, relation, type, rows, count }: GuardedWrite) => {
      asked.push(`${operation} ${relation} of ${parent!.name}: ${count} ${type} ${rows[0].name ?? rows[0].username}`);
      if (rows[0].name === 'closed') throw new ApiError(409, 'Not this one.');
    };

  before(async () => {
    const door = testPlugin('door', (api) => {
      for (const type of ['group', 'organization'])
        for (const operation of ['attach', 'detach'] as const) api.guard(type, operation, ask(operation));
    });
    service = await bootWith({ plugins: [door], env: { TAPLINE_ROLES: 'web' } });
  });
  after(() => service.stop());
  beforeEach(() => void (asked.length = 0));

  it('is told what is linked to what, and by which list; its refusal undoes the link', async () => {
    const { id: organization } = (await service.post('organizations/', { name: 'o' })).body;
    const { id: inventory } = (await service.post('inventories/', { name: 'i', organization })).body;
    const group = (await service.post('groups/', { name: 'g', inventory })).body;
    const [open, closed] = await Promise.all(
      ['open', 'closed'].map(async (name) => (await service.post('hosts/', { name, inventory })).body.id),
    );
    const hosts = group.related.hosts;
    expect((await service.post(hosts, { id: open })).status).to.equal(204);
    expect((await service.post(hosts, { id: closed })).body).to.deep.equal({ detail: 'Not this one.' });
    expect((await service.get(hosts)).body.results.map(({ name }: any) => name)).to.deep.equal(['open']);
    expect((await service.post(hosts, { id: open, disassociate: true })).status).to.equal(204);
    expect(asked).to.deep.equal([
      'attach hosts of g: 1 host open',
      'attach hosts of g: 1 host closed',
      'detach hosts of g: 1 host open',
    ]);
  });

  it('is told of links that have rules of their own, too', async () => {
    const { id } = (await service.post('users/', { username: 'ann', password: 'a long password 1' })).body;
    const path = 'organizations/1/users/';
    expect((await service.post(path, { id })).status).to.equal(204);
    expect((await service.post(path, { id })).status, 'nothing changes, so nobody is asked').to.equal(204);
    expect((await service.post(path, { id, disassociate: true })).status).to.equal(204);
    expect(asked).to.deep.equal(['attach users of Default: 1 user ann', 'detach users of Default: 1 user ann']);
  });
});
