import { readFileSync } from 'node:fs';
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

/** The job was successful, and every event of it is stored once. */
async function expectWhole(service: OutageService, id: number, count: number): Promise<void> {
  const job = (await service.get(`jobs/${id}/`)).body;
  expect(job.status, job.job_explanation).to.equal('successful');
  const events = (await service.get(`jobs/${id}/job_events/?order_by=counter&page_size=200`)).body.results;
  expect(events.map((event: any) => event.counter)).to.deep.equal(events.map((_: unknown, index: number) => index + 1));
  expect(events.filter((event: any) => event.event === 'runner_item_on_ok')).to.have.length(count);
}

/** A server and the processes it started, so that all of it can be silenced. */
function processTree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => processTree(Number(child)))];
}

/**
 * In milliseconds. README's 5 s are what the service's own limits come to where it has a processor to itself, and no test
 * measures that: here an answer must have come without waiting for the limit of a statement, which is 30 s.
 */
const withoutWaiting = 25_000;

/** Launches, takes the database away while the job runs, and checks what the contract promises of it. */
async function surviveOutage(service: OutageService, seconds: number): Promise<void> {
  const count = 12;
  const template = await service.template(steps(count));
  const { body } = await service.post(`job_templates/${template}/launch/`);
  await until(async () => (await service.get(`jobs/${body.job}/job_events/`)).body.count > 6);

  await service.postgres.stop();
  const stopped = Date.now();
  const answer = await service.get('jobs/');
  expect(answer.status).to.equal(503);
  expect(answer.body).to.have.property('detail');
  expect(answer.took).to.be.lessThan(withoutWaiting);
  await delay(Math.max(0, seconds * 1000 - (Date.now() - stopped)));
  await service.postgres.ensure();

  await until(async () => (await service.get('jobs/')).status === 200);
  await until(async () => (await service.get(`jobs/${body.job}/`)).body.event_processing_finished);
  await expectWhole(service, body.job, count);
  const after = await service.post(`job_templates/${template}/launch/`);
  expect(after.status).to.equal(201);
  await until(async () => (await service.get(`jobs/${after.body.job}/`)).body.status === 'successful');
}

describe('Postgres away', () => {
  let service: OutageService;
  before(async () => {
    service = await startOutageService();
  });
  after(() => service.close());

  it('answers 503 while it is away for 5 s, then loses nothing and recovers', async () => {
    await surviveOutage(service, 5);
  });

  it('answers 503 while it is silent without going away, then loses nothing and recovers', async () => {
    const count = 6;
    const template = await service.template(steps(count));
    const { body } = await service.post(`job_templates/${template}/launch/`);
    await until(async () => (await service.get(`jobs/${body.job}/job_events/`)).body.count > 3);

    const silenced = processTree(service.postgres.pid);
    for (const pid of silenced) process.kill(pid, 'SIGSTOP');
    try {
      const answers = await Promise.all(['jobs/', 'ping/', `jobs/${body.job}/`].map((path) => service.get(path)));
      for (const answer of answers) {
        expect(answer.status).to.equal(503);
        expect(answer.took).to.be.lessThan(withoutWaiting);
      }
    } finally {
      for (const pid of silenced) process.kill(pid, 'SIGCONT');
    }
    await until(async () => (await service.get('jobs/')).status === 200);
    await until(async () => (await service.get(`jobs/${body.job}/`)).body.event_processing_finished);
    await expectWhole(service, body.job, count);
  });

  it('answers 503 while it is away for 60 s, then loses nothing and recovers', async () => {
    await surviveOutage(service, 60);
  });
});
