import { points } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { world } from '../rbac/world.ts';

describe('the timeline of a host', () => {
  let service: TestService;
  let host: number;
  let event: number;
  let broken = false;

  before(async () => {
    const telling = testPlugin('telling', (api) =>
      api.offer(points.hostTimeline, {
        kind: 'visit',
        type: 'organization',
        async read({ most }) {
          if (broken) throw new Error('it is broken');
          return [1, 999_999]
            .slice(0, most)
            .map((id) => ({ at: new Date().toISOString(), id, summary: `visit ${id}`, url: `/visits/${id}/` }));
        },
      }),
    );
    service = await bootWith({ env: { TAPLINE_PLUGINS: 'drift,eda' }, plugins: [telling] });
    const { db } = service.services;
    const make = world(db);
    const organization = await make.organization();
    const inventory = await make.inventory(organization);
    host = (await make.host(inventory)).id;
    const log = {
      event_rule_name: 'Deploy',
      organization_id: organization.id,
      source_type: 'webhook_generic',
      source_ip: '127.0.0.1',
      event_type: 'push',
      event_guid: 'one',
      status: 'action_fired',
    };
    const logs = await db('plugin_eda.event_logs')
      .insert([log, { ...log, event_guid: 'elsewhere' }])
      .returning('id');
    event = Number(logs[0].id);
    const template = await make.jobTemplate(organization, { inventory_id: inventory.id });
    const origin = JSON.stringify({ kind: 'event', id: event, client_ip: null });
    const job = await make.job(template, { name: 'Release', status: 'successful', finished: new Date(), origin });
    await db('job_host_summaries').insert({ run_id: job.id, host_id: host, host_name: 'host', changed: 1 });
  });
  after(() => service?.stop());

  const told = async () => {
    const { body, text } = await service.get(`hosts/${host}/timeline/`);
    expect(body.results, text).to.be.an('array');
    return body;
  };
  const kinds = (results: any[]) => results.map(({ kind, summary }) => `${kind} ${summary}`).toSorted();

  it('has the event by which a run was launched that worked there, and what other plugins tell, where the record is there', async () => {
    const { complete, failed, results } = await told();
    expect([complete, failed]).to.deep.equal([true, []]);
    expect(kinds(results)).to.deep.equal([
      'event_log Deploy: push, launched Release',
      'run Release: successful, 1 changed, 0 failed, started by event',
      'visit visit 1',
    ]);
    const { url } = results.find(({ kind }: any) => kind === 'event_log');
    expect((await service.get(url)).body).to.include({ id: event, event_guid: 'one' });
  });

  it('goes on without a source that fails, and says that it is not complete, and what is missing', async () => {
    broken = true;
    const { complete, failed, results } = await told();
    expect([complete, failed]).to.deep.equal([false, ['visit']]);
    expect(kinds(results).map((text) => text.split(' ')[0])).to.deep.equal(['event_log', 'run']);
  });
});
