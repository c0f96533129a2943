import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { type OutageService, startOutageService } from './outage-service.ts';

const flood = `- hosts: all
  gather_facts: false
  tasks:
    - debug:
        msg: "{{ 'a text that fills the disk ' * 400000 }}"
    - debug:
        msg: still here
`;

const hello = `- hosts: all
  gather_facts: false
  tasks:
    - debug:
        msg: hello
`;

describeWith(['root', 'mount', 'umount'], 'a full disk under the spool', () => {
  let service: OutageService;
  let jobs = '';

  before(async function () {
    service = await startOutageService();
    const folder = join(service.data, 'jobs');
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tapline-test', folder]);
    jobs = folder;
  });

  after(async () => {
    if (jobs) execFileSync('umount', ['-l', jobs]);
    await service?.close();
  });

  it('ends the job as error with the reason, and the next job runs', async function () {
    const full = await service.post(`job_templates/${await service.template(flood)}/launch/`);
    await until(async () => (await service.get(`jobs/${full.body.job}/`)).body.event_processing_finished, 60_000);
    const job = (await service.get(`jobs/${full.body.job}/`)).body;
    expect(job.status).to.equal('error');
    expect(job.job_explanation).to.match(/disk|space/i);

    const next = await service.post(`job_templates/${await service.template(hello)}/launch/`);
    await until(async () => (await service.get(`jobs/${next.body.job}/`)).body.status === 'successful', 90_000);
  });
});
