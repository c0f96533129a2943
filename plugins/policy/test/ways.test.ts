import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { type Stage, startStage } from '../../../test/launch/fixture.ts';
import { describeWith } from '../../../test/support/needs.ts';
import { until } from '../../../test/support/until.ts';
import policy from '../index.ts';
import { type Opa, startOpa } from './opa.ts';

const key = 'the key of the hook';

describeWith(['opa'], 'policies on each way to launch', function () {
  this.timeout(300_000);
  let stage: Stage;
  let opa: Opa;
  let template: number;
  let job: number;
  let machine: number;

  before(async () => {
    opa = await startOpa();
    stage = await startStage({}, [policy]);
    template = await stage.template({
      allow_simultaneous: true,
      host_config_key: key,
      webhook_service: 'github',
      inventory: (await stage.post('inventories/', { name: 'calls', organization: 1 })).body.id,
    });
    const { inventory } = (await stage.get(`job_templates/${template}/`)).body;
    await stage.post('hosts/', { name: '127.0.0.1', inventory });
    await stage.request('PATCH', `job_templates/${template}/`, { body: { webhook_key: key } });
    machine = await stage.credential({ credential_type: stage.machineType });
    job = (await stage.launch(template)).id;
    const settings = { POLICY_ENGINE_ENABLED: true, POLICY_ENGINE_SERVER_URL: opa.url };
    await stage.request('PATCH', 'settings/security/', { body: settings });
    await stage.request('PATCH', 'organizations/1/', { body: { policy_enforcement: 'enforce' } });
    const module = 'package gate\n\ndeny contains "closed" if input.resource_name != "steps"\n';
    const made = await stage.post('policies/', { name: 'gate', rego_module: module, enforcement: 'enforce' });
    expect(made.body.last_sync_status, JSON.stringify(made.body)).to.equal('ok');
  });
  after(async () => {
    await stage?.stop();
    await opa?.stop();
  });

  const decided = async () => (await stage.get('policy_decisions/?page_size=1')).body;
  const workflow = async (name: string) =>
    (await stage.post('workflow_job_templates/', { name, organization: 1 })).body.id as number;
  const runs = async () => (await stage.get('unified_jobs/')).body.count as number;
  const send = async (path: string, body: string, headers = {}) => {
    const sent = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const answer = await fetch(`${stage.url}/api/v2/job_templates/${template}/${path}/`, sent);
    expect(answer.status, await answer.text()).to.be.within(200, 299);
  };

  const waiting: Record<string, () => Promise<{ status: number; body: any }>> = {
    'a launch': () => stage.post(`job_templates/${template}/launch/`, {}),
    'a relaunch': () => stage.post(`jobs/${job}/relaunch/`, {}),
    'a workflow': async () => stage.post(`workflow_job_templates/${await workflow('whole')}/launch/`),
    'a command': () =>
      stage.post('ad_hoc_commands/', { module_name: 'ping', inventory: stage.inventory, credential: machine }),
  };
  for (const [way, launch] of Object.entries(waiting))
    it(`deny ${way}, which leaves a decision and no run`, async () => {
      const [before, { count }] = [await runs(), await decided()];
      const { status, body } = await launch();
      expect([status, body.reasons]).to.deep.equal([403, ['closed']]);
      const { count: after, results } = await decided();
      expect([await runs(), after]).to.deep.equal([before, count + 1]);
      expect(results[0]).to.include({ id: body.decisions[0], decision: 'deny', unified_job: null });
    });

  const alone: Record<string, [launchType: string, start: () => Promise<unknown>]> = {
    'a step of a workflow': [
      'workflow',
      async () => {
        const id = await workflow('steps');
        await stage.post(`workflow_job_templates/${id}/workflow_nodes/`, { unified_job_template: template });
        expect((await stage.post(`workflow_job_templates/${id}/launch/`)).status).to.equal(201);
      },
    ],
    'a job of a bulk launch': [
      'workflow',
      async () => {
        const body = { name: 'steps', organization: 1, jobs: [{ unified_job_template: template }] };
        const answer = await stage.post('bulk/job_launch/', body);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      },
    ],
    'a schedule': [
      'scheduled',
      async () => {
        const rrule = 'DTSTART:20300115T120000Z RRULE:FREQ=DAILY;INTERVAL=1';
        const { id } = (await stage.post('schedules/', { name: 's', rrule, unified_job_template: template })).body;
        const { db, queue } = stage.services;
        await db('schedules')
          .where({ id })
          .update({ next_run: new Date(Date.now() - 1000) });
        await queue.addTasks(db, [{ name: 'core:start-schedules', payload: {} }]);
      },
    ],
    'a callback': ['callback', () => send('callback', JSON.stringify({ host_config_key: key }))],
    'a webhook': [
      'webhook',
      () => {
        const push = JSON.stringify({ ref: 'refs/heads/main', head_commit: { id: 'c0ffee' } });
        return send('github', push, {
          'x-github-event': 'push',
          'x-github-delivery': 'one',
          'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(push).digest('hex')}`,
        });
      },
    ],
  };
  for (const [way, [launchType, start]] of Object.entries(alone))
    it(`keep ${way} as failed, with its decision`, async () => {
      const { results } = (await stage.get(`jobs/?job_template=${template}&order_by=-id&page_size=1`)).body;
      await start();
      const query = `jobs/?job_template=${template}&id__gt=${results[0].id}&status=failed`;
      const failed = await until(async () => (await stage.get(query)).body.results[0]);
      expect(failed).to.include({ launch_type: launchType, started: null });
      expect(failed.job_explanation).to.include('closed');
      const decisions = (await stage.get(`policy_decisions/?unified_job=${failed.id}`)).body.results;
      expect(decisions.map(({ decision }: any) => decision)).to.deep.equal(['deny']);
    });
});
