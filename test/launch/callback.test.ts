import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createNames } from '../../core/run-kinds/job/callback/name-lookups.ts';
import { play, SourceRepository } from '../scm/repository.ts';
import { until } from '../support/until.ts';
import { type Stage, startStage } from './fixture.ts';

const key = 'a host config key';

describe('provisioning callbacks', function () {
  let stage: Stage;
  let inventory: number;
  let source: SourceRepository;
  before(async () => {
    source = new SourceRepository();
    source.commit({ 'site.yml': play, 'hosts.yml': 'all: {hosts: {fresh: {ansible_host: 198.51.100.77}}}' });
    stage = await startStage({
      TAPLINE_PROJECT_FILE_URLS: dirname(source.folder),
      TAPLINE_PROXY_IP_ALLOWED_LIST: '["127.0.0.1"]',
      TAPLINE_REMOTE_HOST_HEADERS: '["HTTP_X_FORWARDED_FOR", "REMOTE_ADDR"]',
    });
    const { organization } = (await stage.get('inventories/')).body.results[0];
    inventory = (await stage.post('inventories/', { name: 'calling', organization })).body.id;
    const local = 'ansible_connection: local\nansible_python_interpreter: "{{ ansible_playbook_python }}"\n';
    const hosts: [string, string][] = [
      ['198.51.100.1', ''],
      ['by-variable', `${local}ansible_host: 198.51.100.2\n`],
      ['six', 'ansible_host: "2001:DB8:0::2"'],
      ['twin-a', '{"ansible_host": "198.51.100.4"}'],
      ['twin-b', 'ansible_ssh_host: 198.51.100.4'],
      ['mentions', 'comment: 198.51.100.5'],
      ['localhost', ''],
    ];
    for (const [name, variables] of hosts) await stage.post('hosts/', { name, inventory, variables });
    await stage.post('hosts/', { name: 'off', inventory, enabled: false, variables: 'ansible_host: 198.51.100.6' });
  });
  after(() => stage?.stop());

  const template = (more: object = {}) => stage.template({ inventory, host_config_key: key, ...more });
  const call = async (
    id: number | string,
    from: string,
    body: string | object = { host_config_key: key },
    type = 'application/json',
  ) => {
    const reply = await fetch(`${stage.url}/api/v2/job_templates/${id}/callback/`, {
      method: 'POST',
      headers: { 'content-type': type, 'x-forwarded-for': from },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await reply.text();
    return { status: reply.status, location: reply.headers.get('location'), body: text ? JSON.parse(text) : '' };
  };
  const jobOf = async ({ location }: { location: string | null }) => (await stage.get(String(location))).body;

  it('run the template on the host that calls, for who has the key', async () => {
    const id = await template();
    const reply = await call(id, '198.51.100.2');
    expect([reply.status, reply.body]).to.deep.equal([201, '']);
    const job = await jobOf(reply);
    expect(job).to.include({ launch_type: 'callback', limit: 'by-variable', job_slice_count: 1 });
    expect(job.launched_by).to.include({ type: 'job_template', id });
    expect((await stage.ended(job.id)).host_status_counts).to.deep.equal({ ok: 1 });
    const { body } = await stage.get(`job_templates/${id}/`);
    expect(body.related.callback).to.equal(`/api/v2/job_templates/${id}/callback/`);
    expect((await stage.get(`job_templates/${await stage.template()}/`)).body.related).not.to.have.property('callback');
  });

  it('know a host by name, ansible_host and what its name stands for, and say which to who may read', async () => {
    const id = await template();
    const matching = async (from: string) =>
      (await stage.request('GET', `job_templates/${id}/callback/`, { headers: { 'x-forwarded-for': from } })).body;
    expect(await matching('198.51.100.1')).to.deep.equal({ host_config_key: key, matching_hosts: ['198.51.100.1'] });
    expect((await matching('2001:db8::2')).matching_hosts).to.deep.equal(['six']);
    expect((await matching('198.51.100.4')).matching_hosts).to.deep.equal(['twin-a', 'twin-b']);
    // the address of the connection itself
    expect((await stage.get(`job_templates/${id}/callback/`)).body.matching_hosts).to.deep.equal(['localhost']);
    for (const nobody of ['198.51.100.5', '198.51.100.6', '198.51.100.9'])
      expect((await matching(nobody)).matching_hosts, nobody).to.deep.equal([]);
  });

  it('ask for each name once in a while, few at a time, and for no more once nobody waits', async () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const names = createNames({
      addresses: (name) => {
        asked.push(name);
        return new Promise((resolve) => void answers.push(() => resolve(['198.51.100.9'])));
      },
      name: () => Promise.reject(new Error('none')),
    });
    const ended = new AbortController();
    const all = Array.from({ length: 100 }, (_, at) => names.addressesOf(`host-${at}.example`, ended.signal));
    const again = names.addressesOf('host-0.example', AbortSignal.timeout(60_000));
    await setImmediate();
    expect(asked).to.have.length(8);
    ended.abort();
    expect((await Promise.all(all)).flat()).to.deep.equal([]);
    for (const answer of answers) answer();
    expect(await again).to.deep.equal(['198.51.100.9']);
    await setImmediate();
    expect(asked).to.have.length(8);
  });

  it('of a large inventory wait for their turn without a listener for each look-up', async () => {
    let atOnce = 0;
    let most = 0;
    const names = createNames({
      addresses: async (name) => {
        most = Math.max(most, (atOnce += 1));
        await setImmediate();
        atOnce -= 1;
        return [`2001:db8::${name.slice('host-'.length)}`];
      },
      name: () => Promise.reject(new Error('none')),
    });
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    const found = await Promise.all(Array.from({ length: 500 }, (_, at) => names.addressesOf(`host-${at}`, signal)));
    expect(new Set(found.flat())).to.have.lengthOf(500);
    expect([most, listeners]).to.deep.equal([8, 1]);
  });

  it('are refused alike without the key, whatever is wrong', async () => {
    const id = await template();
    const answers = [
      await call(id, '198.51.100.1', {}),
      await call(id, '198.51.100.1', ''),
      await call(id, '198.51.100.1', { host_config_key: `${key}x` }),
      await call(id, '198.51.100.1', { host_config_key: [key] + ' ' }),
      await call(await stage.template(), '198.51.100.1', { host_config_key: '' }),
      await call(999_999, '198.51.100.1'),
      await call('x', '198.51.100.1'),
    ];
    expect(new Set(answers.map((one) => JSON.stringify(one)))).to.have.lengthOf(1);
    expect(answers[0]!.status).to.equal(403);
    for (const bad of ['{', '[]', '3']) expect((await call(id, '198.51.100.1', bad)).status, bad).to.equal(400);
    const form = 'application/x-www-form-urlencoded';
    expect((await call(id, '198.51.100.9', `host_config_key=${encodeURIComponent(key)}`, form)).status).to.equal(400);
    expect((await stage.get(`job_templates/${id}/jobs/`)).body.count).to.equal(0);
  });

  it('say why nothing can be started', async () => {
    const said = async (id: number, from = '198.51.100.1', body: object = { host_config_key: key }) => {
      const reply = await call(id, from, body);
      expect(reply.status, JSON.stringify(reply.body)).to.equal(400);
      expect(reply.body).to.have.all.keys('msg');
      return reply.body.msg as string;
    };
    const id = await template();
    expect(await said(id, '198.51.100.9')).to.include('No host');
    expect(await said(id, '198.51.100.4')).to.include('twin-a, twin-b');
    expect(await said(await template({ ask_limit_on_launch: true }))).to.include('limit');
    const survey = await template({ survey_enabled: true });
    const spec = [{ variable: 'a', question_name: 'a', type: 'text', required: true, max: 3 }];
    await stage.post(`job_templates/${survey}/survey_spec/`, { name: '', description: '', spec });
    expect(await said(survey)).to.include('asks for a');
    expect(await said(survey, undefined, { host_config_key: key, extra_vars: { a: 'too long' } })).to.include("'a'");
    const credential = await stage.credential({ credential_type: stage.machineType, inputs: { password: 'ASK' } });
    const asking = await template();
    await stage.post(`job_templates/${asking}/credentials/`, { id: credential });
    expect(await said(asking)).to.include('ssh_password');
  });

  it('take variables where they are asked for, but none that say where to connect to', async () => {
    const id = await template({ ask_variables_on_launch: true });
    const extra_vars = { who: 'the host', ansible_host: '203.0.113.1' };
    const job = await jobOf(await call(id, '198.51.100.1', { host_config_key: key, extra_vars }));
    expect(JSON.parse(job.extra_vars)).to.deep.equal({ who: 'the host' });
    const unasked = await jobOf(await call(await template(), '198.51.100.1', { host_config_key: key, extra_vars }));
    expect(JSON.parse(unasked.extra_vars)).to.deep.equal({});
    expect((await call(id, '198.51.100.1', { host_config_key: key, extra_vars: 'a: [' })).status).to.equal(400);
  });

  it('start one job at a time for a host, also where it calls twice at once', async () => {
    const id = await template({ playbook: 'sleeping.yml', allow_simultaneous: true });
    const answers = await Promise.all([1, 2, 3].map(() => call(id, '198.51.100.2')));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([201, 400, 400]);
    expect(answers.find(({ status }) => status === 400)!.body.msg).to.include('under way');
    const job = await jobOf(answers.find(({ status }) => status === 201)!);
    expect((await call(id, '198.51.100.1')).status).to.equal(201);
    for (const { id: one } of (await stage.get(`job_templates/${id}/jobs/`)).body.results)
      await stage.post(`jobs/${one}/cancel/`);
    await stage.ended(job.id);
    expect((await call(id, '198.51.100.2')).status).to.equal(201);
  });

  it('ask the sources of the inventory for a host that is not there yet, once for all who call', async () => {
    const { organization } = (await stage.get('inventories/')).body.results[0];
    const project = (
      await stage.post('projects/', { name: 'sources', organization, scm_type: 'git', scm_url: source.url })
    ).body;
    await until(async () => (await stage.get(`projects/${project.id}/`)).body.status === 'successful', 60_000);
    const filled = (await stage.post('inventories/', { name: 'filled', organization })).body.id;
    const made = await stage.post('inventory_sources/', {
      name: 'hosts',
      inventory: filled,
      source: 'scm',
      source_project: project.id,
      source_path: 'hosts.yml',
      update_on_launch: true,
      update_cache_timeout: 600,
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const id = await stage.template({ inventory: filled, host_config_key: key });
    const answers = await Promise.all([call(id, '198.51.100.77'), call(id, '198.51.100.78')]);
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 400]);
    expect((await jobOf(answers[0]!)).limit).to.equal('fresh');
    const updates = async () =>
      (await stage.get(`inventory_sources/${made.body.id}/inventory_updates/`)).body.results.map(
        (one: any) => one.status,
      );
    expect(await updates()).to.deep.equal(['successful']);
    // what is recent enough is not asked again
    expect((await call(id, '198.51.100.79')).status).to.equal(400);
    expect(await updates()).to.deep.equal(['successful']);
  });
});
