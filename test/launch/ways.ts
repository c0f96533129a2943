import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { authenticated, points } from '@tapline/plugin-sdk';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';
import { type Stage, startStage } from './fixture.ts';

const key = 'the key of the hook';
type Plugins = NonNullable<Parameters<typeof startStage>[1]>;
type Answer = { status: number; body: any };

/** Every way in which something is launched, before gates that a plugin brings. */
export interface Ways {
  stage: Stage;
  /** all that was traced so far */
  spans: Span[];
  template: number;
  /** one that was launched before there was a gate */
  job: number;
  machine: number;
  workflow(name: string): Promise<number>;
  send(path: string, body: string, headers?: object): Promise<void>;
  /** starts something where nobody waits, and finds the run that is kept of it */
  kept(start: (ways: Ways) => Promise<unknown>): Promise<any>;
}

export interface Span {
  name: string;
  attributes: Record<string, unknown>;
}

/** Notes what is traced. */
const tracing = (spans: Span[]) =>
  testPlugin('tracing', (api) =>
    api.offer(points.tracer, {
      async span(name, work) {
        const attributes = {};
        const value = await work({ set: (more) => void Object.assign(attributes, more) });
        spans.push({ name, attributes });
        return value;
      },
    }),
  );

/** A plugin that launches for somebody who waits, and for nobody. */
const launcher = testPlugin('launcher', (api) =>
  api.route({
    path: '/api/v2/launcher/',
    access: { POST: authenticated },
    takes: { type: 'object', properties: { template: { type: 'integer' }, waiting: { type: 'boolean' } } },
    answers: { POST: { status: 201, schema: { type: 'object' } } },
    async handler({ body, actor }) {
      const { template, waiting: waits } = body as { template: number; waiting: boolean };
      const origin = { kind: 'event', id: null, client_ip: null };
      return { status: 201, body: await api.launch.start({ template, actor, origin, waiting: waits }) };
    },
  }),
);

export async function openWays(plugins: Plugins): Promise<Ways> {
  const spans: Span[] = [];
  const stage = await startStage({}, [...plugins, launcher, tracing(spans)]);
  const template = await stage.template({
    allow_simultaneous: true,
    host_config_key: key,
    webhook_service: 'github',
    inventory: (await stage.post('inventories/', { name: 'calls', organization: 1 })).body.id,
  });
  const { inventory } = (await stage.get(`job_templates/${template}/`)).body;
  await stage.post('hosts/', { name: '127.0.0.1', inventory });
  await stage.request('PATCH', `job_templates/${template}/`, { body: { webhook_key: key } });
  const ways: Ways = {
    stage,
    spans,
    template,
    job: (await stage.launch(template)).id,
    machine: await stage.credential({ credential_type: stage.machineType }),
    workflow: async (name) =>
      (await stage.post('workflow_job_templates/', { name, organization: 1 })).body.id as number,
    async send(path, body, headers = {}) {
      const sent = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
      const answer = await fetch(`${stage.url}/api/v2/job_templates/${template}/${path}/`, sent);
      expect(answer.status, await answer.text()).to.be.within(200, 299);
    },
    async kept(start) {
      const { results } = (await stage.get(`jobs/?job_template=${template}&order_by=-id&page_size=1`)).body;
      await start(ways);
      const query = `jobs/?job_template=${template}&id__gt=${results[0].id}&status=failed`;
      return until(async () => (await stage.get(query)).body.results[0]);
    },
  };
  return ways;
}

/** Somebody waits for the answer. */
export const waiting: Record<string, (ways: Ways) => Promise<Answer>> = {
  'a launch': ({ stage, template }) => stage.post(`job_templates/${template}/launch/`, {}),
  'a relaunch': ({ stage, job }) => stage.post(`jobs/${job}/relaunch/`, {}),
  'a workflow': async ({ stage, template, workflow }) => {
    const id = await workflow('whole');
    await stage.post(`workflow_job_templates/${id}/workflow_nodes/`, { unified_job_template: template });
    return stage.post(`workflow_job_templates/${id}/launch/`);
  },
  'a launch of a plugin': ({ stage, template }) => stage.post('launcher/', { template, waiting: true }),
};

/** Without files, which is for those gates alone that ask for none. */
export const command = ({ stage, machine }: Ways): Promise<Answer> =>
  stage.post('ad_hoc_commands/', { module_name: 'ping', inventory: stage.inventory, credential: machine });

/** Nobody waits: with the `launch_type` of what is kept. */
export const alone: Record<string, [launchType: string, start: (ways: Ways) => Promise<unknown>]> = {
  'a step of a workflow': [
    'workflow',
    async ({ stage, template, workflow }) => {
      const id = await workflow('steps');
      await stage.post(`workflow_job_templates/${id}/workflow_nodes/`, { unified_job_template: template });
      expect((await stage.post(`workflow_job_templates/${id}/launch/`)).status).to.equal(201);
    },
  ],
  'a job of a bulk launch': [
    'workflow',
    async ({ stage, template }) => {
      const body = { name: 'steps', organization: 1, jobs: [{ unified_job_template: template }] };
      const answer = await stage.post('bulk/job_launch/', body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    },
  ],
  'a schedule': [
    'scheduled',
    async ({ stage, template }) => {
      const rrule = 'DTSTART:20300115T120000Z RRULE:FREQ=DAILY;INTERVAL=1';
      const { id } = (await stage.post('schedules/', { name: 's', rrule, unified_job_template: template })).body;
      const { db, queue } = stage.services;
      await db('schedules')
        .where({ id })
        .update({ next_run: new Date(Date.now() - 1000) });
      await queue.addTasks(db, [{ name: 'core:start-schedules', payload: {} }]);
    },
  ],
  'a callback': ['callback', ({ send }) => send('callback', JSON.stringify({ host_config_key: key }))],
  'a webhook': [
    'webhook',
    ({ send }) => {
      const push = JSON.stringify({ ref: 'refs/heads/main', head_commit: { id: 'c0ffee' } });
      return send('github', push, {
        'x-github-event': 'push',
        'x-github-delivery': 'one',
        'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(push).digest('hex')}`,
      });
    },
  ],
  'what a plugin launches': [
    'webhook',
    async ({ stage, template }) =>
      expect((await stage.post('launcher/', { template, waiting: false })).status).to.equal(201),
  ],
};
