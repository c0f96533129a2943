import { expect } from 'chai';
import { type AccessStage, openAccessStage } from '../access/stage.ts';

describe('filters that clients send', () => {
  let stage: AccessStage;
  let update: number;
  before(async () => {
    stage = await openAccessStage();
    const { db } = stage.api;
    const { job, job_template, project, inventory } = stage.ids;
    await db('runs').where({ id: job }).update({ inventory_id: inventory, template_id: job_template });
    const run = { kind: 'project_update', name: 'update', status: 'failed', template_id: project };
    [{ id: update }] = await db('runs').insert(run).returning('id');
    await db('templates').where({ id: project }).update({ last_run_id: update });
    await db('templates').where({ id: job_template }).update({ last_run_id: job });
  });
  after(() => stage?.stop());

  const ids = async (path: string) => {
    const { status, body, text } = await stage.api.admin('GET', `/api/v2/${path}`);
    expect(status, text).to.equal(200);
    return body.results.map(({ id }: any) => id);
  };

  it('name every kind of run in one query, also kinds that are not there', async () => {
    const { job, inventory } = stage.ids;
    const ofInventory = [
      `or__job__inventory=${inventory}`,
      `or__adhoccommand__inventory=${inventory}`,
      `or__inventoryupdate__inventory_source__inventory=${inventory}`,
      `or__workflowjob__inventory=${inventory}`,
    ].join('&');
    expect(await ids(`unified_jobs/?not__launch_type=sync&${ofInventory}`)).to.deep.equal([job]);
    expect(await ids('unified_jobs/?unified_job_node__workflow_job=1')).to.deep.equal([]);
    expect(await ids('unified_jobs/?workflowjob__isnull=true')).to.include(job);
    expect((await stage.api.admin('GET', '/api/v2/unified_jobs/?nosuchjob__name=x')).status).to.equal(400);
  });

  it('follow the last and the current run of a template, under old names too', async () => {
    const { project, job_template } = stage.ids;
    for (const name of ['last_job', 'last_update']) {
      expect(await ids(`projects/?${name}__status=failed`), name).to.deep.equal([project]);
      expect(await ids(`projects/?${name}=${update}`), name).to.deep.equal([project]);
      expect(await ids(`projects/?${name}__status=successful`), name).to.deep.equal([]);
    }
    for (const name of ['current_job', 'current_update'])
      expect(await ids(`projects/?${name}__isnull=true`), name).to.deep.equal([project]);
    expect(await ids('job_templates/?last_job__status=successful')).to.deep.equal([job_template]);
    expect(await ids('job_templates/?current_job__isnull=false')).to.deep.equal([]);
  });
});

describe('the number of hosts of an organization', () => {
  let stage: AccessStage;
  before(async () => (stage = await openAccessStage()));
  after(() => stage?.stop());

  it('is changed by superusers only; sending it back as it is changes nothing', async () => {
    const path = `/api/v2/organizations/${stage.ids.organization}/`;
    const change = (name: string, max_hosts: number) => stage.as[name]!('PATCH', path, { max_hosts });
    const refused = await change('orgAdmin', 5);
    expect([refused.status, Object.keys(refused.body)]).to.deep.equal([400, ['max_hosts']]);
    expect((await change('superuser', 5)).body.max_hosts).to.equal(5);
    expect((await change('orgAdmin', 5)).status).to.equal(200);
    expect((await change('orgAdmin', 0)).status).to.equal(400);
  });
});
