import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/until.ts';
import { type OutageService, startOutageService } from './outage-service.ts';

const waiting = '- hosts: all\n  gather_facts: false\n  tasks:\n    - shell: sleep 600\n';
const failing = '- hosts: all\n  gather_facts: false\n  tasks:\n    - fail: {msg: no good}\n';

describe('what the log says', function () {
  let service: OutageService;
  const linesFrom = (from: number): Record<string, any>[] =>
    service.node.said
      .slice(from)
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const said = (text: string, run: number) =>
    until(() => linesFrom(0).find(({ msg, run: id }) => msg === text && id === run), 30_000, `${text} ${run}`);

  before(async () => void (service = await startOutageService({ LOG_LEVEL: 'info' })));
  after(() => service.close());

  it('of the database at a start: that it was reached, once', () => {
    const told = linesFrom(0).filter(({ msg }) => /^database (away|reached)/.test(msg));
    expect(told.map(({ msg, level }) => `${level} ${msg}`)).to.deep.equal(['info database reached']);
  });

  it('of a job: its launch and by whom, its start, its end with duration and reason', async () => {
    const template = await service.template(failing);
    const { job } = (await service.post(`job_templates/${template}/launch/`)).body;
    expect(await said('run launched', job)).to.include({ kind: 'job', template, user: 'admin', launch_type: 'manual' });
    expect(await said('run started', job)).to.include({ template });
    const end = await said('run ended', job);
    expect(end).to.include({ status: 'failed', template, user_id: 1 });
    expect(end['elapsed_s']).to.be.greaterThan(0);
  });

  it('of a cancel: by whom, and that it ended so', async () => {
    const { job } = (await service.post(`job_templates/${await service.template(waiting)}/launch/`)).body;
    await said('run started', job);
    await service.post(`jobs/${job}/cancel/`);
    expect(await said('cancel of a run asked for', job)).to.include({ user: 'admin', kind: 'job' });
    expect(await said('run ended', job)).to.include({ status: 'canceled' });
  });

  it('of requests: what changes or is refused, not probes and what pages read again and again', async () => {
    const from = service.node.said.length;
    for (const path of ['/readyz', '/metrics', '/healthz']) await fetch(`${service.url}${path}`);
    await service.get('jobs/');
    await service.get('jobs/999999/');
    await service.post('labels/', { name: 'seen', organization: 1 });
    const requests = () => linesFrom(from).filter(({ msg }) => msg === 'request');
    await until(() => requests().some(({ method }) => method === 'POST'));
    expect(requests().map(({ method, status }) => `${method} ${status}`)).to.deep.equal(['GET 404', 'POST 201']);
  });

  it('of an outage: one line when it begins, with the reason, and one when it ends, with its length', async () => {
    const { job } = (await service.post(`job_templates/${await service.template(waiting)}/launch/`)).body;
    await said('run started', job);
    const from = service.node.said.length;
    await service.postgres.stop();
    await until(() => linesFrom(from).some(({ msg }) => msg === 'database away'));
    await service.get('jobs/');
    // as long as whatever looks every few seconds takes to look in vain
    await delay(6000);
    await service.postgres.ensure();
    await until(async () => (await service.get('jobs/')).status === 200);
    await service.post(`jobs/${job}/cancel/`);
    await said('run ended', job);
    const told = linesFrom(from).filter(
      ({ level, msg }) => ['warn', 'error', 'fatal'].includes(level) || /database/.test(msg),
    );
    expect(told.map(({ msg, level }) => `${level} ${msg}`)).to.deep.equal([
      'warn database away',
      'warn database reached again',
    ]);
    expect(told[0]!['reason']).to.be.a('string').and.not.equal('');
    expect(told[1]!['away_s']).to.be.greaterThan(5);
  });
});
