import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/until.ts';
import { type OutageService, startOutageService } from './outage-service.ts';

const steps = (count: number) => `- hosts: all
  gather_facts: false
  tasks:
    - shell: sleep 0.5; echo step {{ item }}
      loop: "{{ range(0, ${count}) | list }}"
`;

/** Launches, takes the database away while the job runs, and checks what the contract promises of it. */
async function surviveOutage(service: OutageService, seconds: number): Promise<void> {
  const count = 12;
  const template = await service.template(steps(count));
  const { body } = await service.post(`job_templates/${template}/launch/`);
  await until(async () => (await service.get(`jobs/${body.job}/job_events/`)).body.count > 6, 20_000);

  await service.postgres.stop();
  const stopped = Date.now();
  const answer = await service.get('jobs/');
  expect(answer.status).to.equal(503);
  expect(answer.body).to.have.property('detail');
  expect(answer.took).to.be.lessThan(5000);
  await delay(Math.max(0, seconds * 1000 - (Date.now() - stopped)));
  await service.postgres.ensure();

  await until(async () => (await service.get('jobs/')).status === 200, 10_000);
  await until(async () => (await service.get(`jobs/${body.job}/`)).body.event_processing_finished, 30_000);
  const job = (await service.get(`jobs/${body.job}/`)).body;
  expect(job.status, job.job_explanation).to.equal('successful');
  const events = (await service.get(`jobs/${body.job}/job_events/?order_by=counter&page_size=200`)).body.results;
  expect(events.map((event: any) => event.counter)).to.deep.equal(events.map((_: unknown, index: number) => index + 1));
  expect(events.filter((event: any) => event.event === 'runner_item_on_ok')).to.have.length(count);
  const after = await service.post(`job_templates/${template}/launch/`);
  expect(after.status).to.equal(201);
  await until(async () => (await service.get(`jobs/${after.body.job}/`)).body.status === 'successful', 30_000);
}

describe('Postgres away', () => {
  let service: OutageService;
  before(async function () {
    this.timeout(60_000);
    service = await startOutageService();
  });
  after(() => service.close());

  it('answers 503, loses nothing and recovers after 5 s', async function () {
    this.timeout(120_000);
    await surviveOutage(service, 5);
  });

  it('answers 503, loses nothing and recovers after 60 s', async function () {
    this.timeout(180_000);
    await surviveOutage(service, 60);
  });
});
