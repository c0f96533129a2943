import { expect } from 'chai';
import { type AccessStage, openAccessStage } from '../access/stage.ts';

describe('the dashboard', () => {
  let stage: AccessStage;
  before(async () => {
    stage = await openAccessStage();
    const { db } = stage.api;
    const { host, job, job_template, inventory, project } = stage.ids;
    const failed = await db('job_host_summaries')
      .insert({ run_id: job, host_id: host, host_name: 'host', failed: true })
      .returning('id');
    await db('hosts').where({ id: host }).update({ last_job_host_summary_id: failed[0].id });
    await db('templates').where({ id: project }).update({ last_job_failed: true });
    await db('runs').delete().whereNot({ id: job });
    const run = {
      template_id: job_template,
      inventory_id: inventory,
      name: 'run',
      organization_id: stage.ids.organization,
    };
    const ended = (kind: string, status: string, days: number) =>
      db('runs').insert({ ...run, kind, status, finished: db.raw(`now() - ? * interval '1 day'`, [days]) });
    await ended('job', 'failed', 0);
    await ended('job', 'successful', 3);
    await ended('job', 'canceled', 3);
    await ended('job', 'error', 40);
    await db('runs').where({ id: job }).update({ finished: '2020-01-01' });
  });
  after(() => stage?.stop());

  const get = async (name: string, path: string) => stage.as[name]!('GET', `/api/v2/${path}`);

  it('counts what the caller sees, as the lists do', async () => {
    for (const name of ['superuser', 'orgAdmin', 'member', 'inventory.read_role', 'outsider']) {
      const { body, headers, status } = await get(name, 'dashboard/');
      expect(status).to.equal(200);
      expect(headers.get('warning')).to.include('299').and.to.include('deprecated');
      for (const list of [
        'inventories',
        'hosts',
        'groups',
        'projects',
        'users',
        'organizations',
        'teams',
        'credentials',
        'job_templates',
      ])
        expect(body[list].total, `${list} of ${name}`).to.equal((await get(name, `${list}/`)).body.count);
      for (const { failures_url: url, failed } of [body.hosts, body.projects, body.scm_types.git])
        expect(failed, `${url} of ${name}`).to.equal((await get(name, url.replace('/api/v2/', ''))).body.count);
    }
    const { body } = await get('superuser', 'dashboard/');
    expect([body.hosts.failed, body.inventories.job_failed, body.scm_types.git.failed]).to.deep.equal([1, 1, 1]);
  });

  it('counts a host once though constructed inventories show it again', async () => {
    const { db } = stage.api;
    const before = (await get('superuser', 'dashboard/')).body.hosts;
    const [{ id }] = await db('inventories')
      .insert({ name: 'constructed', kind: 'constructed', organization_id: stage.ids.organization })
      .returning('id');
    const summary = db('job_host_summaries').where({ host_id: stage.ids.host }).first('id');
    await db('hosts').insert({ name: 'host', inventory_id: id, last_job_host_summary_id: summary });
    const { hosts } = (await get('superuser', 'dashboard/')).body;
    await db('inventories').where({ id }).delete();
    expect(hosts).to.deep.equal(before);
  });

  it('counts what sources bring, and those whose last update failed', async () => {
    const { db } = stage.api;
    const { inventory, group, organization } = stage.ids;
    const made = { kind: 'inventory_source', name: 'source', inventory_id: inventory, organization_id: organization };
    const [{ id: source }] = await db('templates')
      .insert({ ...made, source: 'ec2' })
      .returning('id');
    const found = async (name: string) => {
      const { inventories, groups } = (await get(name, 'dashboard/')).body;
      return [inventories.total_with_inventory_source, inventories.inventory_failed, groups.inventory_failed];
    };
    await db('groups')
      .where({ id: group })
      .update({ source_ids: [source] });
    expect(await found('superuser')).to.deep.equal([1, 0, 0]);
    await db('templates').where({ id: source }).update({ last_job_failed: true });
    expect(await found('superuser')).to.deep.equal([1, 1, 1]);
    expect(await found('outsider')).to.deep.equal([0, 0, 0]);
  });

  it('draws how runs ended, a point a day, for who sees them', async () => {
    const { jobs } = (await get('superuser', 'dashboard/graphs/jobs/?period=week')).body;
    expect(Object.keys(jobs)).to.have.members(['successful', 'failed', 'canceled', 'error']);
    const sum = (points: [number, number][]) => points.reduce((total, [, number]) => total + number, 0);
    for (const points of Object.values<[number, number][]>(jobs)) {
      expect(points).to.have.lengthOf(8);
      expect(points.every(([second]) => second % 86_400 === 0)).to.equal(true);
    }
    expect([jobs.failed.at(-1)[1], sum(jobs.successful), sum(jobs.canceled), sum(jobs.error)]).to.deep.equal([
      1, 1, 1, 0,
    ]);
    const others = (await get('outsider', 'dashboard/graphs/jobs/')).body.jobs;
    expect(sum(others.failed) + sum(others.successful)).to.equal(0);
    const updates = (await get('superuser', 'dashboard/graphs/jobs/?job_type=scm_update')).body.jobs;
    expect(sum(updates.failed)).to.equal(0);
    for (const query of ['period=year', 'job_type=x'])
      expect((await get('superuser', `dashboard/graphs/jobs/?${query}`)).body).to.have.property('error');
  });

  it('has nodes and figures beside it for administrators and auditors', async () => {
    const mesh = (await get('auditor', 'mesh_visualizer/')).body;
    expect(mesh.links).to.deep.equal([]);
    for (const node of mesh.nodes)
      expect(node).to.have.all.keys('id', 'hostname', 'node_type', 'node_state', 'enabled');
    expect((await get('auditor', 'metrics/')).text).to.include('# HELP tapline_launches_total');
    const figures = (await get('superuser', 'metrics/?format=json')).body;
    expect(figures.tapline_http_requests_total).to.include({ type: 'counter' });
    expect(figures.tapline_http_requests_total.samples[0]).to.have.all.keys('labels', 'value');
    for (const path of ['mesh_visualizer/', 'metrics/']) expect((await get('orgAdmin', path)).status).to.equal(403);
  });
});
