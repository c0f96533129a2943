import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { found, inDatabase, inFiles, inProcesses } from './canary-scan.ts';
import { type OutageService, startOutageService } from './outage-service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const canary = (name: string) => `cnry-${name}-${Math.random().toString(36).slice(2, 10)}`;
const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, canary(name)]));

const stored = named('login', 'phrase', 'become', 'vault', 'scm', 'url');
const given = named('givenLogin', 'givenBecome', 'givenVault');

/** Shows its own password files and every text it is given: plain, as data, as a key, in JSON, in a failure. */
const playbook = (secrets: readonly string[]) => `- hosts: all
  gather_facts: false
  vars:
    secrets: ${JSON.stringify(secrets)}
  tasks:
    - name: time for others to look
      wait_for: {timeout: 2}
    - name: files
      shell: cat ../env/*password* ../env/vault_*; cat ../env/*password* >&2
    - name: ${JSON.stringify(`named ${secrets[0]}`)}
      debug: {msg: "{{ secrets }}"}
    - debug: {msg: "{{ secrets | to_json | to_json }} {{ secrets | map('urlencode') | join(' ') }}"}
    - debug: {msg: "{{ dict(secrets | zip(secrets)) }}"}
    - debug: {msg: "{{ item }}"}
      loop: "{{ secrets }}"
    - set_stats: {data: {shown: "{{ secrets }}"}}
    - set_fact: {shown: "{{ secrets }}", cacheable: true}
    - fail: {msg: "refused: {{ secrets | join(' ') }}"}
`;

describeWith(['ssh-keygen', 'ssh-agent'], 'canary secrets', function () {
  let service: OutageService;
  let temporary: string;
  let token: string;
  let key: string;
  const canaries: Record<string, string> = { ...stored, ...given };
  const messages: string[] = [];
  const sockets: WebSocket[] = [];

  const api = async (path: string, body?: unknown) => {
    const answer = await fetch(path.startsWith('/') ? service.url + path : `${service.url}/api/v2/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(120_000),
    });
    const text = await answer.text();
    expect(answer.status, `${path} ${text.slice(0, 500)}`).to.be.lessThan(400);
    return text;
  };
  const create = async (path: string, body: unknown) => JSON.parse(await api(path, body));

  before(async () => {
    temporary = mkdtempSync(join(tmpdir(), 'tapline-canary-'));
    chmodSync(temporary, 0o755);
    mkdirSync(join(temporary, 'tmp'), { mode: 0o1777 });
    service = await startOutageService({ LOG_LEVEL: 'trace', TMPDIR: join(temporary, 'tmp') });
    token = (await service.post('tokens/')).body.token;
    canaries['token'] = token;
    const file = join(temporary, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', stored['phrase']!, '-C', 'canary', '-f', file]);
    key = readFileSync(file, 'utf8');
    key
      .split('\n')
      .filter((line) => line && !line.startsWith('-----'))
      .forEach((line, index) => (canaries[`key line ${index}`] = line));
    rmSync(file);
  });
  after(async () => {
    for (const socket of sockets) socket.terminate();
    await service?.close();
    removeFolder(temporary);
  });

  const credential = async (namespace: string, inputs: object) => {
    const type = JSON.parse(await api(`credential_types/?namespace=${namespace}`)).results[0].id;
    const organization = JSON.parse(await api('organizations/?name=Default')).results[0].id;
    const name = canary('name');
    return (await create('credentials/', { name, organization, credential_type: type, inputs })).id as number;
  };

  async function listen(job: number): Promise<void> {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/websocket/`, {
      headers: { authorization: `Bearer ${token}` },
    });
    sockets.push(socket);
    socket.on('message', (data) => messages.push(String(data)));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send(JSON.stringify({ groups: { jobs: ['status_changed'], job_events: [job] } }));
    await until(() => messages.some((text) => text.includes(`job_events-${job}`)));
  }

  /** Runs a job while looking at everything that can be seen of it from outside. */
  async function watched(template: number, body: object): Promise<number> {
    const { job } = await create(`job_templates/${template}/launch/`, body);
    await listen(job);
    await until(async () => JSON.parse(await api(`jobs/${job}/`)).status === 'running', 30_000);
    await until(
      async () => {
        expect(inProcesses(canaries)).to.deep.equal([]);
        return JSON.parse(await api(`jobs/${job}/`)).event_processing_finished;
      },
      60_000,
      'the end of the job',
    );
    return job;
  }

  /** An answer of the API and everything that its `related` leads to, pages of lists included. */
  async function readAll(start: string): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    const { related } = JSON.parse(await api(start));
    const formats = ['txt', 'json', 'ansi', 'html', 'txt_download', 'ansi_download'].map((name) => `format=${name}`);
    const paths = Object.values(related as Record<string, unknown>).filter((path) => typeof path === 'string');
    for (const path of [start, ...paths]) {
      const queries = path.endsWith('/stdout/') ? formats : ['page_size=200'];
      for (const query of queries) {
        const answer = await service.get(`${path.replace('/api/v2/', '')}?${query}`);
        expect(answer.status, path).to.be.lessThan(500);
        texts.set(`${path}?${query}`, JSON.stringify(answer.body) + String(answer.body));
      }
    }
    return texts;
  }

  const expectClean = (texts: Map<string, string>) => {
    for (const [path, text] of texts) expect(found(canaries, text), path).to.deep.equal([]);
  };

  it('show nowhere when they are stored in credentials', async () => {
    const machine = await credential('ssh', {
      username: 'somebody',
      password: stored['login'],
      ssh_key_data: key,
      ssh_key_unlock: stored['phrase'],
      become_password: stored['become'],
    });
    const vault = await credential('vault', { vault_password: stored['vault'], vault_id: 'canary' });
    const lines = Object.keys(canaries).filter((name) => name.startsWith('key line'));
    const secrets = [
      ...['login', 'become', 'vault', 'phrase'].map((name) => stored[name]!),
      ...lines.map((name) => canaries[name]!),
    ];
    const template = await service.template(playbook(secrets), { use_fact_cache: true });
    for (const id of [machine, vault]) await api(`job_templates/${template}/credentials/`, { id });
    const job = await watched(template, {});
    const { status, artifacts, job_explanation } = JSON.parse(await api(`jobs/${job}/`));
    expect(status, job_explanation).to.equal('failed');
    expect(artifacts.shown).to.include('$encrypted$');
    const output = await api(`jobs/${job}/stdout/?format=txt`);
    expect(output).to.contain('refused: $encrypted$ $encrypted$');
    for (const path of [
      `jobs/${job}/`,
      `job_templates/${template}/`,
      `credentials/${machine}/`,
      `credentials/${vault}/`,
    ])
      expectClean(await readAll(path));
  });

  it('show nowhere when they are given at launch', async () => {
    const machine = await credential('ssh', {
      password: 'ASK',
      ssh_key_data: key,
      ssh_key_unlock: 'ASK',
      become_password: 'ASK',
    });
    const vault = await credential('vault', { vault_password: 'ASK' });
    const template = await service.template(playbook([...Object.values(given), stored['phrase']!]));
    for (const id of [machine, vault]) await api(`job_templates/${template}/credentials/`, { id });
    const passwords = {
      ssh_password: given['givenLogin'],
      become_password: given['givenBecome'],
      ssh_key_unlock: stored['phrase'],
      vault_password: given['givenVault'],
    };
    const job = await watched(template, { credential_passwords: passwords });
    const output = await api(`jobs/${job}/stdout/?format=txt`);
    expect(output).to.contain('refused: $encrypted$ $encrypted$ $encrypted$ $encrypted$');
    expectClean(await readAll(`jobs/${job}/`));
  });

  it('show nowhere when they belong to source control', async () => {
    const scm = await credential('scm', { username: 'somebody', password: stored['scm'] });
    const organization = JSON.parse(await api('organizations/?name=Default')).results[0].id;
    for (const [name, url, id] of [
      ['with a credential', 'https://127.0.0.1:1/x.git', scm],
      ['with a password in its URL', `https://somebody:${stored['url']}@127.0.0.1:1/x.git`, null],
    ] as const) {
      const project = await create('projects/', { name, organization, scm_type: 'git', scm_url: url, credential: id });
      const shown = await until(async () => {
        const body = JSON.parse(await api(`projects/${project.id}/`));
        return ['failed', 'error'].includes(body.status) && body;
      }, 60_000);
      expect(inProcesses(canaries)).to.deep.equal([]);
      if (id !== null) expectClean(await readAll(`projects/${project.id}/`));
      expectClean(await readAll(shown.related.last_job.replace('/api/v2/', '')));
    }
  });

  it('are in no message, log, table or file afterwards', async () => {
    expect(messages.length).to.be.greaterThan(20);
    expect(found(canaries, messages.join('\n')), 'WebSocket').to.deep.equal([]);
    expect(service.node.said).to.contain('"level":"debug"');
    expect(found(canaries, service.node.said), 'log').to.deep.equal([]);
    const all = new Map<string, string>();
    for (const path of [
      'unified_jobs/',
      'jobs/',
      'credentials/',
      'project_updates/',
      'job_templates/',
      'tokens/',
      'me/',
    ])
      all.set(path, await api(`${path}?page_size=200`));
    expectClean(all);
    expect(await inDatabase(canaries, service.postgres.url)).to.deep.equal([]);
    // the playbooks themselves were written by this test
    expect(inFiles(canaries, dirname(service.data), ['projects'])).to.deep.equal([]);
    expect(inFiles(canaries, temporary, [])).to.deep.equal([]);
  });
});
