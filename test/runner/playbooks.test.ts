import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Engine } from '../../core/runner/engine-tool.ts';
import { describeWith } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { runBare } from './bare.ts';
import { assertConsistent, comparable, sequence, type StoredEvent } from './same-output.ts';
import { type Sshd, startSshd } from './sshd.ts';
import { playbooks } from './stage.ts';

interface Case {
  name: string;
  playbook?: string;
  /** as the service is told */
  template?: object;
  credential?: 'vault' | 'machine';
  /** as somebody at a terminal tells it */
  args?: string[];
  hosts?: keyof typeof hosts;
  rc: number;
  /** null where hosts play without order */
  events: string | null;
  check?(events: readonly StoredEvent[], output: string): void;
}

const local = { ansible_connection: 'local', ansible_python_interpreter: '{{ ansible_playbook_python }}' };
const hosts = {
  here: (): Record<string, object> => ({ here: local }),
  three: (): Record<string, object> => ({ a: local, b: local, c: local }),
  far: (): Record<string, object> => ({
    far: { ansible_host: '127.0.0.1', ansible_port: sshd.port, ansible_python_interpreter: '/usr/bin/python3' },
  }),
};
let sshd: Sshd;

const of = (events: readonly StoredEvent[], type: string) => events.filter(({ event }) => event === type);

const cases: Case[] = [
  {
    name: 'success',
    rc: 0,
    events:
      'start play_start task_start start ok task_start start ok task_start start skipped notify task_start start ok stats',
  },
  {
    name: 'failure',
    rc: 2,
    events: 'start play_start task_start start failed stats',
    check: (events) =>
      expect(of(events, 'runner_on_failed')[0]!.event_data)
        .to.include({ host: 'here' })
        .and.nested.include({ 'res.rc': 3 })
        .and.not.include({ ignore_errors: true }),
  },
  {
    name: 'rescue',
    rc: 0,
    events: 'start play_start task_start start failed task_start start ok task_start start ok stats',
  },
  {
    name: 'ignored failure',
    playbook: 'ignored.yml',
    rc: 0,
    events: 'start play_start task_start start failed task_start start ok stats',
    check: (events) => expect(of(events, 'runner_on_failed')[0]!.event_data['ignore_errors']).to.equal(true),
  },
  {
    name: 'loop',
    rc: 2,
    events:
      'start play_start task_start start item_on_ok+ ok task_start start item_on_ok item_on_skipped ok task_start start retry+ ok task_start start item_on_ok item_on_failed failed stats',
    check: (events) => {
      expect(of(events, 'runner_item_on_ok')).to.have.length(5);
      expect(of(events, 'runner_item_on_skipped')).to.have.length(1);
      expect(of(events, 'runner_item_on_failed')).to.have.length(1);
      expect(of(events, 'runner_retry').map(({ event_data: data }) => data['res'].attempts)).to.deep.equal([1, 2]);
    },
  },
  {
    name: 'no_log',
    rc: 0,
    events:
      'start play_start task_start start ok task_start start item_on_ok+ ok task_start start failed task_start start ok stats',
    check: (events, output) => {
      expect(JSON.stringify(events) + output).to.not.contain('canary');
      expect(of(events, 'runner_on_ok')[0]!.event_data['res']).to.have.all.keys('censored', 'changed');
    },
  },
  { name: 'unreachable', rc: 4, events: 'start play_start task_start start unreachable stats' },
  {
    name: '-vvv',
    playbook: 'success.yml',
    template: { verbosity: 3 },
    args: ['-vvv'],
    rc: 0,
    events:
      'verbose+ start verbose play_start task_start start ok task_start start verbose+ ok task_start start skipped notify task_start start ok stats',
    check: (events) => {
      const host = of(events, 'verbose').filter(({ event_data: data }) => data['remote_addr'] === 'here');
      expect(host.map(({ verbosity }) => verbosity)).to.include(3);
    },
  },
  { name: 'syntax error', playbook: 'syntax_error.yml', rc: 4, events: 'verbose' },
  { name: 'missing role', playbook: 'missing_role.yml', rc: 1, events: 'verbose' },
  { name: 'missing collection', playbook: 'missing_module.yml', rc: 4, events: 'verbose' },
  {
    name: 'role and include',
    playbook: 'role.yml',
    rc: 0,
    events: 'start play_start task_start start ok task_start start ok include task_start start ok stats',
    check: (events) => expect(of(events, 'runner_on_ok')[0]!.event_data['role']).to.equal('greet'),
  },
  {
    name: 'async',
    rc: 0,
    events: 'start play_start task_start start async_ok ok task_start start ok stats',
    check: (events) => expect(of(events, 'runner_on_async_ok')[0]!.event_data['jid']).to.match(/^j\d/),
  },
  {
    name: 'serial with several hosts',
    playbook: 'serial.yml',
    hosts: 'three',
    rc: 0,
    events: 'start play_start task_start start ok start ok play_start task_start start ok stats',
    check: (events) => {
      const [first, second] = of(events, 'playbook_on_play_start');
      expect(second!.uuid).to.equal(`${first!.uuid}_2`);
    },
  },
  {
    name: 'free strategy',
    playbook: 'free.yml',
    hosts: 'three',
    rc: 0,
    events: null,
    check: (events) => expect(of(events, 'runner_on_ok')).to.have.length(6),
  },
  {
    name: 'vault',
    credential: 'vault',
    args: ['--vault-password-file', '{folder}/vault'],
    rc: 0,
    events: 'start play_start task_start start ok stats',
  },
  {
    name: 'become',
    credential: 'machine',
    args: [
      '--user',
      'tapguest',
      '--connection-password-file',
      '{folder}/login',
      '--become-password-file',
      '{folder}/login',
    ],
    hosts: 'far',
    rc: 0,
    events: 'start play_start task_start start ok task_start start ok stats',
  },
  {
    name: 'set_stats',
    rc: 0,
    events: 'start play_start task_start start ok task_start start ok stats',
    check: (events) =>
      expect(of(events, 'playbook_on_stats')[0]!.event_data['artifact_data']).to.deep.equal({
        build: 42,
        names: ['a', 'b'],
      }),
  },
  {
    name: 'fact gathering',
    playbook: 'facts.yml',
    template: { use_fact_cache: true },
    rc: 0,
    events: 'start play_start task_start start ok task_start start ok task_start start ok stats',
    check: (events) => {
      const facts = of(events, 'runner_on_ok')[0]!.event_data['res'].ansible_facts;
      expect(facts).to.include.keys('ansible_python_version').and.not.include.keys('ansible_env');
    },
  },
  {
    name: 'warnings and nobody to play for',
    playbook: 'warnings.yml',
    rc: 0,
    events: 'start warning play_start task_start start ok play_start no_hosts_matched stats',
  },
  {
    name: 'diff',
    template: { diff_mode: true },
    args: ['--diff'],
    rc: 0,
    events: 'start play_start task_start start file_diff ok stats',
  },
];

describeWith(
  ['root', 'sshd', 'sshpass', 'sudo', 'unshare'],
  'playbooks, through the service, as the bare engine runs them',
  function () {
    let service: TestService;
    let engine: Engine;
    let project: number;
    const inventories: Record<string, number> = {};
    const credentials: Record<string, number> = {};

    before(async () => {
      [sshd, service] = await Promise.all([startSshd(), startService()]);
      engine = await service.services.engineTool.engine();
      cpSync(playbooks, join(service.dataDir, 'projects', 'cases'), { recursive: true });
      const organization = (await service.get('organizations/')).body.results[0].id;
      project = await make('projects/', { name: 'Cases', organization, local_path: 'cases' });
      for (const [name, all] of Object.entries(hosts)) {
        inventories[name] = await make('inventories/', { name, organization });
        for (const [host, variables] of Object.entries(all()))
          await make('hosts/', { name: host, inventory: inventories[name], variables: JSON.stringify(variables) });
      }
      const login = { username: sshd.user, password: sshd.password, become_password: sshd.password };
      for (const [name, namespace, inputs] of [
        ['vault', 'vault', { vault_password: 'vault-pass' }],
        ['machine', 'ssh', login],
      ] as const) {
        const [type] = (await service.get(`credential_types/?namespace=${namespace}`)).body.results;
        credentials[name] = await make('credentials/', { name, organization, credential_type: type.id, inputs });
      }
    });
    after(async () => {
      await service?.stop();
      await sshd?.stop();
    });

    async function make(path: string, body: object): Promise<number> {
      const answer = await service.post(path, body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      return answer.body.id;
    }

    /** Launched by a client, and read back over the API. */
    async function launch({
      name,
      playbook = `${name}.yml`,
      template: fields = {},
      credential,
      hosts: who = 'here',
    }: Case) {
      const body = { name, project, inventory: inventories[who], playbook, ...fields };
      const template = await make('job_templates/', body);
      if (credential) await service.post(`job_templates/${template}/credentials/`, { id: credentials[credential] });
      const id = await make(`job_templates/${template}/launch/`, {});
      const job = await until(async () => {
        const { body: shown } = await service.get(`jobs/${id}/`);
        return shown.event_processing_finished && shown;
      }, 60_000);
      const output: string = (await service.get(`jobs/${id}/stdout/?format=ansi_download`)).body;
      const query = 'page_size=200&order_by=counter&no_truncate=1';
      const events: StoredEvent[] = (await service.get(`jobs/${id}/job_events/?${query}`)).body.results;
      return { job, output, events };
    }

    /** The same by hand: inventory, passwords, environment. */
    const byHand = ({ name, playbook = `${name}.yml`, args = [], hosts: who = 'here' }: Case) =>
      runBare(engine, {
        args: ['-i', '{folder}/inventory.json', ...args, playbook],
        files: {
          'inventory.json': JSON.stringify({ all: { hosts: hosts[who]() } }),
          vault: 'vault-pass',
          login: sshd.password,
        },
        env: {
          ANSIBLE_FORCE_COLOR: '1',
          ANSIBLE_HOST_KEY_CHECKING: '0',
          // on this machine the two run as different users, and home is where modules are put
          ...(who !== 'far' && {
            ANSIBLE_REMOTE_TMP: '{folder}/home/.ansible/tmp',
            ANSIBLE_ASYNC_DIR: '{folder}/home/.ansible_async',
          }),
        },
      });

    for (const one of cases) {
      const { name, rc, events: expected, check } = one;
      it(`${name}: the same output, and events that are all of it`, async () => {
        const [bare, { job, output, events }] = await Promise.all([byHand(one), launch(one)]);
        expect(bare.rc, bare.output).to.equal(rc);
        expect(job.status, `${job.job_explanation}\n${output}`).to.equal(rc === 0 ? 'successful' : 'failed');
        const ours = comparable(output, job.job_cwd.replace(/\/project$/, ''));
        const theirs = comparable(bare.output, bare.folder);
        // in a free play not even tasks come in order
        const ordered = (lines: string[]) => (expected === null ? lines.toSorted() : lines);
        expect(ordered(ours)).to.deep.equal(ordered(theirs));
        assertConsistent(events, output);
        if (expected !== null) expect(sequence(events)).to.equal(expected);
        check?.(events, output);
      });
    }
  },
);
