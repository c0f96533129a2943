import { expect } from 'chai';
import { type Stage, startStage } from '../launch/fixture.ts';
import { until } from '../support/until.ts';

describe('a job on a smart inventory', function () {
  let stage: Stage;
  before(async () => (stage = await startStage()));
  after(() => stage.stop());

  it('runs on what the filter finds, and leaves its results with those hosts', async () => {
    const organization = (await stage.get(`inventories/${stage.inventory}/`)).body.organization;
    const smart = (
      await stage.post('inventories/', { name: 'smart', organization, kind: 'smart', host_filter: 'name=good' })
    ).body;
    const job = await stage.launch(await stage.template({ inventory: smart.id }));
    const ended = await stage.ended(job.id);
    expect(ended.status, ended.job_explanation).to.equal('successful');
    const summaries = (await stage.get(`jobs/${job.id}/job_host_summaries/`)).body.results;
    const [host] = (await stage.get(`inventories/${stage.inventory}/hosts/?name=good`)).body.results;
    expect(summaries.map((one: any) => [one.host_name, one.host])).to.deep.equal([['good', host.id]]);
    expect((await stage.get(`hosts/${host.id}/`)).body.last_job).to.equal(job.id);
    expect(ended.summary_fields.inventory).to.include({ kind: 'smart', total_hosts: 1 });
  });

  it('may be an ad hoc command', async () => {
    const { body } = await stage.get('inventories/?name=smart');
    const made = await stage.post('ad_hoc_commands/', {
      inventory: body.results[0].id,
      module_name: 'command',
      module_args: 'echo here',
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const ended: any = await until(async () => {
      const { body: command } = await stage.get(`ad_hoc_commands/${made.body.id}/`);
      return command.finished ? command : undefined;
    }, 60_000);
    expect(ended.status, ended.job_explanation).to.equal('successful');
    expect((await stage.get(`ad_hoc_commands/${made.body.id}/events/?event=runner_on_ok`)).body.count).to.equal(1);
  });

  it('loses its inventory, which the queue deletes in the background', async () => {
    const organization = (await stage.get(`inventories/${stage.inventory}/`)).body.organization;
    const { id } = (await stage.post('inventories/', { name: 'going', organization })).body;
    for (const name of ['a', 'b']) await stage.post('hosts/', { name, inventory: id });
    const template = await stage.template({ inventory: id });
    expect((await stage.request('DELETE', `inventories/${id}/`)).status).to.equal(202);
    await until(async () => (await stage.get(`inventories/${id}/`)).status === 404);
    expect((await stage.get(`job_templates/${template}/`)).body.inventory).to.equal(null);
    expect(await stage.services.db('hosts').where({ inventory_id: id })).to.deep.equal([]);
  });
});
