import { expect } from 'chai';
import { WebSocket } from 'ws';
import { startService, adminPassword, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('events of a real run', () => {
  let service: TestService;
  before(async () => void (service = await startService()));
  after(() => service.stop());

  it('arrive over the WebSocket while it runs, and are all there when it has ended', async () => {
    const [template] = (await service.get('job_templates/?name=Demo Job Template')).body.results;
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/websocket/`, {
      headers: { authorization: `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}` },
    });
    const messages: any[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    await until(() => messages.some(({ accept }) => accept));
    socket.send(JSON.stringify({ groups: { jobs: ['status_changed', 'summary'] } }));
    await until(() => messages.some((message) => message.groups_current));
    const { status, body } = await service.post(`job_templates/${template.id}/launch/`);
    expect(status).to.equal(201);
    socket.send(JSON.stringify({ groups: { jobs: ['status_changed', 'summary'], job_events: [body.id] } }));
    const end = await until(
      () => messages.find(({ unified_job_id, finished }) => unified_job_id === body.id && finished),
      30_000,
    );
    const job = (await service.get(`jobs/${body.id}/`)).body;
    expect(end.status, job.job_explanation + job.result_traceback).to.equal('successful');
    const { results } = (await service.get(`jobs/${body.id}/job_events/?page_size=200&no_truncate=1`)).body;
    expect(messages.find(({ final_counter }) => final_counter).final_counter).to.equal(results.length);
    expect(results.map(({ counter }: any) => counter)).to.deep.equal(results.map((_: any, i: number) => i + 1));
    expect(results.map(({ event }: any) => event)).to.include.members([
      'playbook_on_start',
      'playbook_on_play_start',
      'playbook_on_task_start',
      'runner_on_start',
      'runner_on_ok',
      'playbook_on_stats',
    ]);
    const { body: text } = await service.get(`jobs/${body.id}/stdout/?format=txt`);
    expect(text).to.include('localhost is here: Linux').and.include('PLAY RECAP');
    expect(job.host_status_counts).to.deep.equal({ ok: 1 });
    const summary = (await service.get(`jobs/${body.id}/job_events/children_summary/`)).body;
    expect(summary.is_tree).to.equal(true);
    const told = messages.filter(({ group_name }) => group_name === 'job_events');
    expect(told.every(({ counter, uuid }) => results[counter - 1].uuid === uuid)).to.equal(true);
    socket.terminate();
  });
});
