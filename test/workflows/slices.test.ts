import { expect } from 'chai';
import { type Core, until } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { workflowsOf } from './workflows.ts';

const organization = 1;

describe('a launch that is cut into slices', function () {
  this.timeout(120_000);
  let core: Core;
  let first: { id: number };
  let second: { id: number };
  let workflows: ReturnType<typeof workflowsOf>;
  const made = (columns: object) => workflows.must(core.admin.post('inventories/', { organization, ...columns }), 201);

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
    first = await core.makeInventory({ name: 'first', hosts: ['web-1', 'web-2', 'both', 'db-1'] });
    second = await core.makeInventory({ name: 'second', hosts: ['web-3', 'both', 'off'] });
    await core.db('hosts').where({ name: 'off' }).update({ enabled: false });
  });
  after(() => core?.stop());

  /** What each kind of inventory holds, with the names of its enabled hosts. */
  const inventories: Record<string, { make: () => Promise<{ id: number }>; hosts: string[] }> = {
    plain: { make: async () => first, hosts: ['both', 'db-1', 'web-1', 'web-2'] },
    smart: {
      make: () => made({ name: 'smart', kind: 'smart', host_filter: 'name__startswith=web or name=off' }),
      hosts: ['web-1', 'web-2', 'web-3'],
    },
    federated: {
      async make() {
        const all = await made({ name: 'federated', kind: 'federated' });
        for (const { id } of [first, second])
          await workflows.must(core.admin.post(`inventories/${all.id}/input_inventories/`, { id }), 204);
        return all;
      },
      hosts: ['both', 'db-1', 'web-1', 'web-2', 'web-3'],
    },
    constructed: {
      async make() {
        const { id } = await made({ name: 'constructed', kind: 'constructed' });
        // as its update stores them
        const originals = await core.db('hosts').where({ inventory_id: second.id });
        const hosts = originals.map(({ id: original, name, enabled }) => ({
          inventory_id: id,
          name,
          enabled,
          instance_id: String(original),
        }));
        await core.db('hosts').insert(hosts);
        return { id };
      },
      hosts: ['both', 'web-3'],
    },
  };

  for (const [kind, { make, hosts }] of Object.entries(inventories))
    it(`has each host of a ${kind} inventory in one of them, and no more slices than hosts`, async () => {
      const { must, nodesOf } = workflows;
      const inventory = await make();
      const template = await core.makeTemplate({ inventory: inventory.id, job_slice_count: 2 });
      const path = `job_templates/${template.id}/`;
      const nodes = async () => {
        const run = await must(core.admin.post(`${path}launch/`, {}), 201);
        expect(run).to.include({ type: 'workflow_job', is_sliced_job: true });
        return Object.keys(await nodesOf(run.id)).length;
      };
      expect(await nodes()).to.equal(2);
      await must(core.admin.patch(path, { job_slice_count: 100, allow_simultaneous: true }), 200);
      expect(await nodes()).to.equal(hosts.length);
      const shares = await Promise.all(
        [1, 2].map(async (slice) => {
          const query = `hostvars=1&subset=slice${slice}of2`;
          const document = await must(core.admin.get(`inventories/${inventory.id}/script/?${query}`), 200);
          return Object.keys(document['_meta'].hostvars);
        }),
      );
      expect(shares.flat().toSorted()).to.deep.equal(hosts);
      // one that is in all of them is not shared out
      await must(core.admin.patch(path, { job_slice_pinned_hosts: hosts[0] }), 200);
      if (hosts.length > 2) expect(await nodes()).to.equal(hosts.length - 1);
    });

  it('is launched whole where the filter of the inventory does not work any more, and says so when it begins', async () => {
    const { must } = workflows;
    const smart = await made({ name: 'broken', kind: 'smart', host_filter: 'name=web-1' });
    await core.db('inventories').where({ id: smart.id }).update({ host_filter: 'nonsense__at_all=1' });
    const template = await core.makeTemplate({ inventory: smart.id, job_slice_count: 2 });
    expect(await must(core.admin.post(`job_templates/${template.id}/launch/`, {}), 201)).to.include({ type: 'job' });
  });

  it('is cut by a node of a workflow, too', async () => {
    const { workflow, node, launch, ended, nodesOf, must } = workflows;
    const smart = await made({ name: 'of a node', kind: 'smart', host_filter: 'name__startswith=web' });
    const template = await core.makeTemplate({ inventory: smart.id, job_slice_count: 3 });
    const outer = await workflow();
    await node(outer.id, { identifier: 'cut', unified_job_template: template.id });
    const run = await launch(outer.id);
    const within = await until(async () => (await nodesOf(run.id))['cut'].job, 90_000, 'that it is launched');
    expect(await must(core.admin.get(`workflow_jobs/${within}/`), 200)).to.include({ is_sliced_job: true });
    const slices = await until(async () => {
      const found = await nodesOf(within);
      return Object.keys(found).length === 3 ? found : undefined;
    });
    expect(Object.keys(slices)).to.deep.equal(['slice 1', 'slice 2', 'slice 3']);
    await must(core.admin.post(`workflow_jobs/${run.id}/cancel/`, {}), 202);
    await ended(run.id);
  });

  it('belongs to the time of the schedule that launched it', async () => {
    const { must } = workflows;
    const template = await core.makeTemplate({ inventory: first.id, job_slice_count: 2 });
    const rrule = 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1';
    const schedule = await must(
      core.admin.post(`job_templates/${template.id}/schedules/`, { name: 'cut', rrule }),
      201,
    );
    await core
      .db('schedules')
      .where({ id: schedule.id })
      .update({ next_run: core.db.raw(`now() - interval '1 second'`) });
    // as the clock does each minute
    await core.db.raw(`select tapline_jobs.add_job('core:start-schedules', '{}'::json)`);
    const runs = () => must(core.admin.get(`schedules/${schedule.id}/jobs/`), 200);
    await until(async () => (await runs()).count > 0, 90_000, 'that the schedule launches');
    const { results } = await runs();
    expect(results.map((run: any) => [run.type, run.launch_type, run.schedule])).to.deep.equal([
      ['workflow_job', 'scheduled', schedule.id],
    ]);
  });
});
