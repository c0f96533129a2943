import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { QUEUE_SCHEMA } from '../../core/queue/tasks.ts';
import { keysInUse, rotateKeys } from '../../core/secrets/rotate.ts';
import { matchesFilter } from '../../core/webhooks/matches-filter.ts';
import { type Stage, startStage } from '../launch/fixture.ts';
import { until } from '../support/until.ts';

const key = 'a key of the template';
const hmac = (algorithm: string, text: string, secret = key) =>
  `${algorithm}=${createHmac(algorithm, secret).update(text).digest('hex')}`;
const commit = 'c0ffee0000000000000000000000000000000000';

interface Told {
  url: string;
  headers: IncomingMessage['headers'];
  body: any;
}

/** A source host that is told of the state of commits, and a place of secrets. */
async function startHost() {
  const told: Told[] = [];
  const server = createServer(async (request, reply) => {
    if (request.url!.startsWith('/AIMWebService/')) return reply.end('{"Content": "a token kept elsewhere"}');
    let text = '';
    for await (const part of request) text += String(part);
    told.push({ url: request.url!, headers: request.headers, body: JSON.parse(text) });
    reply.writeHead(201).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

describe('webhooks', function () {
  let stage: Stage;
  let host: Awaited<ReturnType<typeof startHost>>;
  before(async () => {
    host = await startHost();
    stage = await startStage({ TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '["127.0.0.0/8"]' });
    await toldAt([host.url]);
  });
  after(async () => {
    await stage?.stop();
    host?.stop();
  });

  const toldAt = async (hosts: string[]) => {
    const set = await stage.request('PATCH', 'settings/system/', { body: { WEBHOOK_STATUS_HOSTS: hosts } });
    expect(set.status, JSON.stringify(set.body)).to.equal(200);
  };
  const send = (path: string, text: string, headers: Record<string, string>) =>
    fetch(`${stage.url}/api/v2/${path}/`, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', ...headers },
    }).then(async (reply) => ({ status: reply.status, body: (await reply.json()) as any }));
  const push = (more: object = {}) =>
    JSON.stringify({
      ref: 'refs/heads/main',
      head_commit: { id: commit },
      repository: { statuses_url: `${host.url}/statuses/{sha}` },
      ...more,
    });
  const github = (text: string, guid: string, more: Record<string, string> = {}) => ({
    'x-github-event': 'push',
    'x-github-delivery': guid,
    'x-hub-signature-256': hmac('sha256', text),
    ...more,
  });
  const listening = (service: string, body: object = {}) =>
    stage.template({ webhook_service: service, webhook_key: key, ...body });
  const jobsOf = async (template: number) => (await stage.get(`job_templates/${template}/jobs/`)).body.results;

  describe('keys', () => {
    it('are made for a service, shown to administrators only, and rotated', async () => {
      const template = await stage.template({ webhook_service: 'github' });
      const { body: shown } = await stage.get(`job_templates/${template}/`);
      expect(shown).not.to.have.property('webhook_key');
      expect(shown.related.webhook_key).to.equal(`/api/v2/job_templates/${template}/webhook_key/`);
      expect(shown.related.webhook_receiver).to.equal(`/api/v2/job_templates/${template}/github/`);
      const keyOf = async () => (await stage.get(`job_templates/${template}/webhook_key/`)).body.webhook_key;
      const first = await keyOf();
      expect(first).to.match(/^[\w-]{50}$/);
      const { webhook_key: stored } = await stage.services.db('templates').where({ id: template }).first('webhook_key');
      expect(stored).to.match(/^tap1:/);
      // neither a change of something else nor a PUT by somebody who cannot read it takes it away
      await stage.request('PUT', `job_templates/${template}/`, { body: shown });
      expect(await keyOf()).to.equal(first);
      const { status, body } = await stage.post(`job_templates/${template}/webhook_key/`);
      expect([status, await keyOf()]).to.deep.equal([201, body.webhook_key]);
      expect(body.webhook_key).not.to.equal(first);
      const copy = await stage.post(`job_templates/${template}/copy/`, { name: `copy of ${template}` });
      expect((await stage.get(`job_templates/${copy.body.id}/webhook_key/`)).body.webhook_key).to.equal('');
      await stage.request('PATCH', `job_templates/${template}/`, { body: { webhook_service: '' } });
      expect(await keyOf()).to.equal('');
      expect((await stage.get(`job_templates/${template}/`)).body.related.webhook_receiver).to.equal('');
    });

    it('and credentials are refused without their service', async () => {
      const wrong = (body: object) => stage.request('PATCH', `job_templates/${template}/`, { body });
      const template = await stage.template();
      expect((await wrong({ webhook_key: 'x' })).body).to.have.all.keys('webhook_key');
      expect((await wrong({ webhook_service: 'svn' })).body).to.have.all.keys('webhook_service');
      const machine = await stage.credential({ credential_type: stage.machineType });
      expect((await wrong({ webhook_credential: machine })).body).to.have.all.keys('webhook_credential');
      expect((await wrong({ webhook_service: 'github', webhook_credential: machine })).body).to.have.all.keys(
        'webhook_credential',
      );
    });

    it('are put under a new key of the key ring with all other secrets', async () => {
      const template = await listening('github');
      const { db, keyRing } = stage.services;
      const { active, unreadable } = await rotateKeys({ db, keyRing });
      expect(unreadable).to.deep.equal([]);
      expect([...(await keysInUse(db))]).to.deep.equal([active]);
      expect((await stage.get(`job_templates/${template}/webhook_key/`)).body.webhook_key).to.equal(key);
    });
  });

  describe('that are not right', () => {
    it('are refused alike, whatever is wrong', async () => {
      const template = await listening('github');
      const text = push();
      const bad: [string, Record<string, string>][] = [
        [`job_templates/${template}/github`, {}],
        [`job_templates/${template}/github`, { 'x-hub-signature-256': hmac('sha256', text, 'another') }],
        [`job_templates/${template}/github`, { 'x-hub-signature-256': hmac('sha256', `${text} `) }],
        [`job_templates/${template}/github`, { 'x-hub-signature-256': 'sha256=' }],
        [`job_templates/${template}/github`, { 'x-hub-signature-256': `md5=${'0'.repeat(32)}` }],
        // a wrong better one is not made good by the weaker one
        [
          `job_templates/${template}/github`,
          { 'x-hub-signature-256': hmac('sha256', 'x'), 'x-hub-signature': hmac('sha1', text) },
        ],
        [`job_templates/${template}/gitlab`, { 'x-gitlab-token': key }],
        ['job_templates/999999/github', github(text, 'x')],
        ['job_templates/0/github', github(text, 'x')],
        [`projects/${template}/github`, github(text, 'x')],
        [`job_templates/${await stage.template()}/github`, { 'x-hub-signature-256': hmac('sha256', text, '') }],
      ];
      const answers = [];
      for (const [path, headers] of bad) answers.push(await send(path, text, { 'x-github-event': 'push', ...headers }));
      expect(new Set(answers.map((one) => JSON.stringify(one)))).to.have.lengthOf(1);
      expect(answers[0]!.status).to.equal(403);
      expect(await jobsOf(template)).to.deep.equal([]);
    });

    it('are refused when they are no JSON, too deep or too long', async () => {
      const template = await listening('github');
      const path = `job_templates/${template}/github`;
      for (const text of ['', '{', '[1]', '3', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)])
        expect((await send(path, text, github(text, `bad ${text.length}`))).status, text.slice(0, 20)).to.equal(400);
      const long = JSON.stringify({ a: 'x'.repeat(1_100_000) });
      expect((await send(path, long, github(long, 'long'))).status).to.equal(413);
      expect(await jobsOf(template)).to.deep.equal([]);
    });

    it('start nothing by a ping, or by what is of no use', async () => {
      const template = await listening('github');
      const ping = await send(
        `job_templates/${template}/github`,
        '{}',
        github('{}', 'p', { 'x-github-event': 'ping' }),
      );
      expect([ping.status, ping.body]).to.deep.equal([200, { message: ping.body.message }]);
      const other = await listening('bitbucket_dc');
      const path = `job_templates/${other}/bitbucket_dc`;
      expect((await send(path, '{"test": true}', { 'x-event-key': 'diagnostics:ping' })).status).to.equal(200);
      const signed = { 'x-event-key': 'pr:comment:added', 'x-hub-signature': hmac('sha256', '{}') };
      expect((await send(path, '{}', signed)).status).to.equal(200);
      expect([...(await jobsOf(template)), ...(await jobsOf(other))]).to.deep.equal([]);
    });
  });

  it('start one job for each delivery, however often it comes', async () => {
    const template = await listening('github', { extra_vars: 'own: 1' });
    const text = push();
    const path = `job_templates/${template}/github`;
    const answers = await Promise.all([1, 2, 3].map(() => send(path, text, github(text, 'the same'))));
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202]);
    expect(answers.filter(({ body }) => body.message === 'Job queued.')).to.have.lengthOf(1);
    const [job, ...others] = await jobsOf(template);
    expect(others).to.deep.equal([]);
    expect(job).to.deep.include({ launch_type: 'webhook', webhook_service: 'github', webhook_guid: 'the same' });
    expect(job.launched_by).to.deep.equal({
      id: template,
      name: job.name,
      type: 'job_template',
      url: `/api/v2/job_templates/${template}/`,
    });
    const variables = JSON.parse(job.extra_vars);
    for (const prefix of ['svc', 'awx', 'tower'])
      expect(variables).to.deep.include({
        [`${prefix}_webhook_event_type`]: 'push',
        [`${prefix}_webhook_event_guid`]: 'the same',
        [`${prefix}_webhook_event_ref`]: commit,
        [`${prefix}_webhook_status_api`]: `${host.url}/statuses/${commit}`,
        [`${prefix}_webhook_payload`]: JSON.parse(text),
      });
    expect(variables.own).to.equal(1);
    // nobody signs the number of a delivery: what was recorded is nothing new under another one, until a day is over
    const replayed = await send(path, text, github(text, 'another'));
    expect([replayed.status, replayed.body.message]).to.deep.equal([
      202,
      answers.find(({ body }) => body.message !== 'Job queued.')!.body.message,
    ]);
    expect(await jobsOf(template)).to.have.lengthOf(1);
    const { db } = stage.services;
    await db('runs')
      .where({ id: job.id })
      .update({ created: db.raw(`created - interval '25 hours'`) });
    expect((await send(path, text, github(text, 'on another day'))).body.message).to.equal('Job queued.');
    // the older signature, and the form that some are set to
    const form = `payload=${encodeURIComponent(text)}`;
    const older = { 'x-github-event': 'push', 'x-github-delivery': 'form', 'x-hub-signature': hmac('sha1', form) };
    const sent = await send(path, form, { ...older, 'content-type': 'application/x-www-form-urlencoded' });
    expect(sent.body.message).to.equal('Job queued.');
    // who may run the template's jobs at all sees that of the webhook
    expect((await stage.ended(job.id)).status).to.equal('successful');
  });

  it('of the other hosts are understood as well', async () => {
    const template = await listening('gitlab');
    const text = JSON.stringify({
      checkout_sha: commit,
      project: { id: 7, git_http_url: 'https://gitlab.example/a/b.git' },
    });
    const token = { 'x-gitlab-token': key, 'x-gitlab-event': 'Push Hook' };
    expect((await send(`job_templates/${template}/gitlab`, text, token)).body.message).to.equal('Job queued.');
    const [job] = await jobsOf(template);
    expect(job.webhook_guid).to.equal(createHash('sha1').update(text).digest('hex'));
    expect(JSON.parse(job.extra_vars)).to.include({
      awx_webhook_event_ref: commit,
      awx_webhook_status_api: `https://gitlab.example/api/v4/projects/7/statuses/${commit}`,
    });
    const other = await listening('bitbucket_dc');
    const change = { changes: [{ toHash: commit, ref: { id: 'refs/heads/main' } }], actor: {} };
    const body = JSON.stringify(change);
    const headers = {
      'x-event-key': 'repo:refs_changed',
      'x-request-id': 'r1',
      'x-hub-signature': hmac('sha256', body),
    };
    expect((await send(`job_templates/${other}/bitbucket_dc`, body, headers)).body.message).to.equal('Job queued.');
    const [second] = await jobsOf(other);
    expect(second).to.include({ webhook_guid: 'r1', webhook_service: 'bitbucket_dc' });
    expect(JSON.parse(second.extra_vars)).to.include({ tower_webhook_event_ref: commit, tower_webhook_status_api: '' });
  });

  const typeCalled = async (namespace: string): Promise<number> =>
    (await stage.services.db('credential_types').where({ namespace }).first('id')).id;

  it('are told how their job went, with the token of the credential', async () => {
    const credential_type = await typeCalled('github_token');
    const credential = await stage.credential({ credential_type, inputs: { token: 'a secret token' } });
    await stage.request('PATCH', 'settings/system/', { body: { TOWER_URL_BASE: 'https://tapline.example/' } });
    const template = await listening('github', { webhook_credential: credential });
    const { body: shown } = await stage.get(`job_templates/${template}/`);
    expect([shown.webhook_credential, shown.summary_fields.webhook_credential.id]).to.deep.equal([
      credential,
      credential,
    ]);
    const text = push();
    await send(`job_templates/${template}/github`, text, github(text, 'reported'));
    const [job] = await jobsOf(template);
    expect(job.webhook_credential).to.equal(credential);
    await until(() => host.told.find(({ body }) => body.state === 'success'), 60_000, 'the report');
    const { url, headers, body } = host.told.at(-1)!;
    expect(url).to.equal(`/statuses/${commit}`);
    expect(headers.authorization).to.equal('token a secret token');
    expect(body.target_url).to.equal(`https://tapline.example/jobs/${job.id}`);
    expect(JSON.stringify(await stage.get(`jobs/${job.id}/`))).not.to.include('a secret token');
  });

  it('are told nothing, and shown no token, where only the webhook names them', async () => {
    const told = host.told.length;
    const inputs = { token: 'a token for others' };
    const credential = await stage.credential({ credential_type: await typeCalled('github_token'), inputs });
    const template = await listening('github', { webhook_credential: credential });
    const text = push();
    await toldAt(['api.github.com']);
    await send(`job_templates/${template}/github`, text, github(text, 'to others'));
    const [job] = await jobsOf(template);
    expect((await stage.ended(job.id)).status).to.equal('successful');
    const { db } = stage.services;
    await until(
      async () => !(await db(`${QUEUE_SCHEMA}.jobs`).where('task_identifier', 'core:webhook-report').first('id')),
    );
    await toldAt([host.url]);
    expect(host.told.slice(told)).to.deep.equal([]);
    const elsewhere = push({ repository: { statuses_url: `${host.url}/user/repos?statuses/{sha}` } });
    await send(`job_templates/${template}/github`, elsewhere, github(elsewhere, 'to another part'));
    expect(JSON.parse((await jobsOf(template)).at(-1).extra_vars).awx_webhook_status_api).to.equal('');
  });

  it('of GitLab and Bitbucket are told in their own way', async () => {
    const ways = {
      gitlab: {
        payload: { checkout_sha: commit, project: { id: 7, git_http_url: `${host.url}/a/b.git` } },
        headers: () => ({ 'x-gitlab-token': key, 'x-gitlab-event': 'Push Hook' }),
        url: `/api/v4/projects/7/statuses/${commit}`,
        shown: ['private-token', 'a token of gitlab'],
        states: ['pending', 'running', 'success'],
        keys: ['state', 'name', 'description', 'target_url'],
      },
      bitbucket_dc: {
        payload: {
          changes: [{ toHash: commit, ref: { id: 'refs/heads/main' } }],
          repository: { links: { self: [{ href: `${host.url}/projects/A/repos/b/browse` }] } },
        },
        headers: (text: string) => ({ 'x-event-key': 'repo:refs_changed', 'x-hub-signature': hmac('sha256', text) }),
        url: `/rest/build-status/1.0/commits/${commit}`,
        shown: ['authorization', 'Bearer a token of bitbucket_dc'],
        states: ['INPROGRESS', 'SUCCESSFUL'],
        keys: ['state', 'key', 'description', 'url'],
      },
    };
    for (const [service, { payload, headers, url, shown, states, keys }] of Object.entries(ways)) {
      const inputs = { token: `a token of ${service}` };
      const credential = await stage.credential({ credential_type: await typeCalled(`${service}_token`), inputs });
      const template = await listening(service, { webhook_credential: credential });
      const [told, text] = [host.told.length, JSON.stringify(payload)];
      await send(`job_templates/${template}/${service}`, text, headers(text));
      const last = await until(() => host.told.slice(told).find(({ body }) => body.state === states.at(-1)), 60_000);
      expect(last.headers[shown[0]!]).to.equal(shown[1]);
      expect(last.body).to.have.all.keys(keys);
      // of two that wait only the newer one is told
      for (const one of host.told.slice(told))
        expect([one.url, states.includes(one.body.state)]).to.deep.equal([url, true]);
    }
  });

  it('are told so too with a token that is looked up', async () => {
    const source = await stage.credential({
      credential_type: await typeCalled('aim'),
      inputs: { url: host.url, app_id: 'tapline' },
    });
    const credential = await stage.credential({ credential_type: await typeCalled('github_token'), inputs: {} });
    const link = await stage.request('POST', 'credential_input_sources/', {
      body: {
        target_credential: credential,
        source_credential: source,
        input_field_name: 'token',
        metadata: { object_query: 'Safe=A' },
      },
    });
    expect(link.status, JSON.stringify(link.body)).to.equal(201);
    const template = await listening('github', { webhook_credential: credential });
    const before = host.told.length;
    const text = push();
    await send(`job_templates/${template}/github`, text, github(text, 'reported with a token from elsewhere'));
    await until(() => host.told.slice(before).find(({ body }) => body.state === 'success'), 60_000, 'the report');
    expect(host.told.at(-1)!.headers.authorization).to.equal('token a token kept elsewhere');
  });

  describe('of projects', () => {
    it('fetch what was pushed to a ref that is waited for', async () => {
      const { db } = stage.services;
      const [project] = await db('templates')
        .insert({
          kind: 'project',
          name: 'pushed',
          scm_type: 'git',
          scm_url: 'https://git.invalid/x.git',
          local_path: '_x',
        })
        .returning('id');
      const path = `projects/${project.id}/github`;
      await db('templates').where({ id: project.id }).update({ status: 'successful' });
      const set = await stage.request('PATCH', `projects/${project.id}/`, {
        body: { webhook_service: 'github', webhook_key: key, webhook_ref_filter: 'release-*' },
      });
      expect(set.body, JSON.stringify(set.body)).to.include({ webhook_ref_filter: 'release-*' });
      const text = push();
      expect((await send(path, text, github(text, 'a'))).status).to.equal(200);
      const review = { 'x-github-event': 'pull_request' };
      expect((await send(path, text, github(text, 'b', review))).status).to.equal(200);
      const wanted = push({ ref: 'refs/heads/release-1/x' });
      expect((await send(path, wanted, github(wanted, 'c'))).status).to.equal(202);
      const { body } = await stage.get(`projects/${project.id}/project_updates/`);
      expect(body.results).to.have.lengthOf(1);
      expect(body.results[0]).to.include({ webhook_service: 'github', webhook_guid: 'c', launch_type: 'webhook' });
      expect(body.results[0].launched_by).to.include({ type: 'project', id: project.id });
    });

    it('are not for manual ones', async () => {
      const { status, body } = await stage.request('PATCH', `projects/${stage.project}/`, {
        body: { webhook_service: 'github' },
      });
      expect([status, Object.keys(body)]).to.deep.equal([400, ['webhook_service']]);
      expect((await send(`projects/${stage.project}/github`, '{}', {})).status).to.equal(405);
    });

    it('match filters in time, whatever is in them', () => {
      expect(matchesFilter('refs/heads/main', '')).to.equal(true);
      for (const filter of ['refs/heads/main', 'main', 'm*n', '*', 'refs/*', 'ma?n', '*main*'])
        expect(matchesFilter('refs/heads/main', filter), filter).to.equal(true);
      for (const filter of ['mai', 'mai?n', 'heads/main', '?', 'refs/tags/*', 'm[a]in'])
        expect(matchesFilter('refs/heads/main', filter), filter).to.equal(false);
      expect(matchesFilter('a'.repeat(1000), `${'*a'.repeat(250)}b`)).to.equal(false);
    });
  });
});
