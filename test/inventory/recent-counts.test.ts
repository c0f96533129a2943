import { expect } from 'chai';
import { createFixtures } from '../http/fixtures.ts';
import { type Api, startApi } from '../support/api.ts';

describe('the inventory of a job', () => {
  let api: Api;
  let ids: Record<string, number>;
  before(async () => {
    api = await startApi();
    const service = { services: { db: api.db }, post: (path: string, body: unknown) => api.admin('POST', path, body) };
    ({ ids } = await createFixtures(service as any));
  });
  after(() => api?.stop());

  const inventoryOf = async (path: string) => (await api.admin('GET', path)).body.summary_fields.inventory;

  it('is shown with what its own page counts, on jobs and their templates', async () => {
    const own = (await api.admin('GET', `/api/v2/inventories/${ids.inventory}/`)).body;
    const parts = [
      'id',
      'name',
      'description',
      'kind',
      'has_active_failures',
      'total_hosts',
      'hosts_with_active_failures',
      'total_groups',
      'has_inventory_sources',
      'total_inventory_sources',
      'inventory_sources_with_failures',
    ];
    const expected = {
      ...Object.fromEntries(parts.map((part) => [part, own[part]])),
      organization_id: own.organization,
    };
    expect(own.total_hosts).to.be.greaterThan(0);
    for (const path of [`jobs/${ids.job}/`, `job_templates/${ids.job_template}/`])
      // oxlint-disable-next-line no-await-in-loop
      expect(await inventoryOf(`/api/v2/${path}`), path).to.deep.equal(expected);
    const [listed] = (await api.admin('GET', `/api/v2/unified_jobs/?id=${ids.job}`)).body.results;
    expect(listed.summary_fields.inventory).to.deep.equal(expected);
  });

  it('is renamed at once, whatever is remembered of its counts', async () => {
    await api.admin('PATCH', `/api/v2/inventories/${ids.inventory}/`, { name: 'renamed' });
    expect((await inventoryOf(`/api/v2/jobs/${ids.job}/`)).name).to.equal('renamed');
  });

  it('is absent where there is none', async () => {
    await api.db('runs').update({ inventory_id: null }).where({ id: ids.job });
    expect(await inventoryOf(`/api/v2/jobs/${ids.job}/`)).to.equal(undefined);
  });
});
