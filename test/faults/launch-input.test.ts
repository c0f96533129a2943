import { expect } from 'chai';
import { until } from '../support/until.ts';
import { type OutageService, startOutageService } from './outage-service.ts';

const playbook = `- hosts: all
  gather_facts: false
  tasks:
    - name: greet
      debug:
        msg: hello
`;

const asks = Object.fromEntries(
  ['variables', 'limit', 'tags', 'skip_tags', 'diff_mode', 'verbosity', 'forks', 'timeout']
    .concat('job_type', 'inventory', 'credential')
    .map((name) => [`ask_${name}_on_launch`, true]),
);

const deep = (levels: number): unknown => (levels ? { a: deep(levels - 1) } : 1);
const thousand = 'x'.repeat(1000);

/** Inputs that are refused: the request itself is wrong. */
const refused: [string, object][] = [
  ['NUL in the limit', { limit: 'local\0host' }],
  ['NUL in the tags', { job_tags: 'a\0b' }],
  ['NUL in the tags to skip', { skip_tags: '\0' }],
  ['NUL in a password', { credential_passwords: { ssh_password: 'a\0b' } }],
  ['a limit that is a list', { limit: ['a'] }],
  ['huge forks', { forks: 2 ** 31 }],
  ['more forks than allowed', { forks: 2 ** 31 - 1 }],
  ['negative forks', { forks: -1 }],
  ['unknown verbosity', { verbosity: 99 }],
  ['a timeout out of range', { timeout: 1e300 }],
  ['variables nested too deeply', { extra_vars: deep(1000) }],
  ['variables that are a list', { extra_vars: '[1, 2]' }],
  ['variables that are no YAML', { extra_vars: '{{{' }],
  [
    'an alias bomb',
    { extra_vars: `a: &a [${'x,'.repeat(100)}]\nb: &b [${'*a,'.repeat(100)}]\nc: [${'*b,'.repeat(100)}]` },
  ],
];

const noHosts = /no hosts to target/;

/** Inputs that a job is made of; what becomes of it must be explained, and where it could be mistaken for an option, said by the engine. */
const accepted: [name: string, body: object, output?: RegExp][] = [
  ['a limit of 200 kB', { limit: 'x'.repeat(200_000) }],
  ['tags of 200 kB', { job_tags: 'x,'.repeat(100_000) }],
  ['limit and tags of 120 kB each', { limit: 'a'.repeat(120_000), job_tags: 'b'.repeat(120_000) }],
  ['a lone surrogate in the limit', { limit: 'a\ud800' }],
  ['a lone surrogate in a variable', { extra_vars: { a: 'x\udfff' } }],
  ['NUL in a variable', { extra_vars: { a: 'x\0y' } }],
  ['10 MB of variables', { extra_vars: { a: 'x'.repeat(10_000_000) } }],
  [
    '10 MB of many variables',
    { extra_vars: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`v${i}`, thousand])) },
  ],
  ['names that are no variables', { extra_vars: { '': 1, 'a b': 2, '-x': 3, '\u0007': 4 } }],
  ['a limit that looks like an option', { limit: '--version' }, noHosts],
  ['a limit that names a file', { limit: '@/etc/passwd' }],
  ['a limit with newlines', { limit: 'a\nb' }],
  ['tags with newlines', { job_tags: 'a\nb\r\n' }],
  // nothing is tagged so: a play without tasks, not the list of its hosts
  ['tags that look like an option', { job_tags: '--list-hosts' }, /^\n?PLAY \[all\] \*+\n\nPLAY RECAP/],
  ['tags to skip that look like an option', { skip_tags: '-vvv' }, /^\n?PLAY \[all\] \*+\n\nTASK \[greet\]/],
  ['a workspace placeholder in the limit', { limit: '{workspace}' }],
  ['a template in a variable', { extra_vars: { a: '{{ 1 / 0 }}' } }],
];

describe('launch input that the operating system refuses', function () {
  let service: OutageService;
  let template: number;
  let pid: number | undefined;

  before(async () => {
    service = await startOutageService();
    template = await service.template(playbook, asks);
    pid = service.node.child?.pid;
  });
  after(() => service?.close());
  afterEach('the service is the same process as before', () => {
    expect(service.node.alive && service.node.child?.pid).to.equal(pid);
  });

  const finished = async (id: number) => {
    await until(async () => (await service.get(`jobs/${id}/`)).body.event_processing_finished, 60_000);
    return (await service.get(`jobs/${id}/`)).body;
  };

  for (const [name, body] of refused)
    it(`${name} is a 400`, async () => {
      const answer = await service.post(`job_templates/${template}/launch/`, body);
      expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).to.equal(400);
    });

  it('everything else becomes a job that says how it ended', async () => {
    const jobs: { name: string; id: number; output: RegExp | undefined }[] = [];
    for (const [name, body, output] of accepted) {
      const answer = await service.post(`job_templates/${template}/launch/`, body);
      expect([201, 400], `${name}: ${JSON.stringify(answer.body).slice(0, 300)}`).to.include(answer.status);
      if (answer.status === 201) jobs.push({ name, id: answer.body.job, output });
      else expect(output, name).to.equal(undefined);
    }
    for (const { name, id, output } of jobs) {
      const job = await finished(id);
      const shown = `${name}: ${job.status} ${job.job_explanation.slice(0, 300)}`;
      expect(['successful', 'failed', 'error'], shown).to.include(job.status);
      if (job.status !== 'successful') expect(job.job_explanation, shown).to.match(/\w.*\.$/s);
      if (output) expect((await service.get(`jobs/${id}/stdout/?format=txt_download`)).body, name).to.match(output);
    }
    expect(jobs.length).to.be.greaterThan(accepted.length / 2);
  });

  it('a template refuses a playbook name of 1,000 characters and NUL in its texts', async () => {
    const { body } = await service.get(`job_templates/${template}/`);
    for (const change of [
      { playbook: `${thousand}.yml` },
      { playbook: 'a\0.yml' },
      { limit: '\0' },
      { job_tags: '\0' },
    ]) {
      const answer = await service.post('job_templates/', {
        name: 'Bad',
        project: body.project,
        inventory: body.inventory,
        playbook: body.playbook,
        ...change,
      });
      expect(answer.status, JSON.stringify(change).slice(0, 50)).to.equal(400);
    }
  });

  it('the next job runs', async () => {
    const { body } = await service.post(`job_templates/${template}/launch/`, {});
    expect(await finished(body.job)).to.include({ status: 'successful', job_explanation: '' });
  });
});
