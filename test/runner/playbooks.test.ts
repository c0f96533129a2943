import { expect } from 'chai';
import type { SpoolEvent } from '../../core/runner/executor.ts';
import { describeWith } from '../support/needs.ts';
import { type Sshd, sshHost, startSshd } from './sshd.ts';
import { type Finished, localHosts, makeStage, runBare, type Stage } from './stage.ts';

type Case = {
  name: string;
  playbook?: string;
  changes?: () => Parameters<Stage['spec']>[1];
  rc: number;
  events?: string;
  check?(done: Finished): void;
};

const vault = { name: 'Vault', type: { kind: 'vault', namespace: 'vault' }, inputs: { vault_password: 'vault-pass' } };
let sshd: Sshd;

/** Types in order; runs of the same type are written once with a plus. Hosts that play at once are told one after the other. */
const sequence = (events: SpoolEvent[]) =>
  byHost(events)
    .map(({ event }) => event.replace(/^(playbook|runner)_on_/, '').replace(/^runner_/, ''))
    .join(' ')
    .replaceAll(/\b(\S+)( \1)+\b/g, '$1+');
const of = ({ events }: Finished, type: string) => events.filter(({ event }) => event === type);

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
    check: (done) =>
      expect(of(done, 'runner_on_failed')[0]!.event_data)
        .to.include({ ignore_errors: false, host: 'here' })
        .and.nested.include({ 'res.rc': 3 }),
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
    check: (done) => expect(of(done, 'runner_on_failed')[0]!.event_data['ignore_errors']).to.equal(true),
  },
  {
    name: 'loop',
    rc: 2,
    check: (done) => {
      expect(of(done, 'runner_item_on_ok')).to.have.length(5);
      expect(of(done, 'runner_item_on_skipped')).to.have.length(1);
      expect(of(done, 'runner_item_on_failed')).to.have.length(1);
      expect(of(done, 'runner_retry').map(({ event_data: data }) => data['res'].attempts)).to.deep.equal([1, 2]);
    },
  },
  {
    name: 'no_log',
    rc: 0,
    check: (done) => {
      expect(JSON.stringify(done.events) + done.stdout).to.not.contain('canary');
      expect(of(done, 'runner_on_ok')[0]!.event_data['res']).to.have.all.keys('censored', 'changed');
    },
  },
  { name: 'unreachable', rc: 4, events: 'start play_start task_start start unreachable stats' },
  {
    name: '-vvv',
    playbook: 'success.yml',
    rc: 0,
    changes: () => ({ run: { verbosity: 3 } }),
    check: (done) => {
      const host = of(done, 'verbose').filter(({ event_data: data }) => data['remote_addr'] === 'here');
      expect(host.map(({ verbosity }) => verbosity)).to.include(3);
    },
  },
  { name: 'syntax error', playbook: 'syntax_error.yml', rc: 4, events: '' },
  { name: 'missing role', playbook: 'missing_role.yml', rc: 1, events: '' },
  { name: 'missing collection', playbook: 'missing_module.yml', rc: 4, events: '' },
  {
    name: 'role and include',
    playbook: 'role.yml',
    rc: 0,
    events: 'start play_start task_start start ok task_start start ok include task_start start ok stats',
    check: (done) => expect(of(done, 'runner_on_ok')[0]!.event_data['role']).to.equal('greet'),
  },
  {
    name: 'async',
    rc: 0,
    check: (done) => expect(of(done, 'runner_on_async_ok')[0]!.event_data['jid']).to.match(/^j\d/),
  },
  {
    name: 'serial with several hosts',
    playbook: 'serial.yml',
    rc: 0,
    changes: () => ({ inventory: localHosts('a', 'b', 'c') }),
    events: 'start play_start task_start start ok start ok play_start task_start start ok stats',
    check: (done) => {
      const [first, second] = of(done, 'playbook_on_play_start');
      expect(second!.uuid).to.equal(`${first!.uuid}_2`);
    },
  },
  {
    name: 'free strategy',
    playbook: 'free.yml',
    rc: 0,
    changes: () => ({ inventory: localHosts('a', 'b', 'c') }),
    check: (done) => expect(of(done, 'runner_on_ok')).to.have.length(6),
  },
  { name: 'vault', rc: 0, changes: () => ({ credentials: [vault] }) },
  {
    name: 'become',
    rc: 0,
    changes: () => ({
      inventory: sshHost(sshd),
      credentials: [
        {
          name: 'M',
          type: { kind: 'ssh', namespace: 'ssh' },
          inputs: { username: sshd.user, password: sshd.password, become_password: sshd.password },
        },
      ],
    }),
  },
  {
    name: 'set_stats',
    rc: 0,
    check: (done) =>
      expect(of(done, 'playbook_on_stats')[0]!.event_data['artifact_data']).to.deep.equal({
        build: 42,
        names: ['a', 'b'],
      }),
  },
  {
    name: 'fact gathering',
    playbook: 'facts.yml',
    rc: 0,
    changes: () => ({ run: { use_fact_cache: true } }),
    check: (done) => {
      const facts = of(done, 'runner_on_ok')[0]!.event_data['res'].ansible_facts;
      expect(facts).to.include.keys('ansible_python_version').and.not.include.keys('ansible_env');
    },
  },
  {
    name: 'warnings and nobody to play for',
    playbook: 'warnings.yml',
    rc: 0,
    check: (done) => expect(of(done, 'warning')).to.have.length.above(0),
  },
  {
    name: 'diff',
    rc: 0,
    changes: () => ({ run: { diff_mode: true } }),
    events: 'start play_start task_start start file_diff ok stats',
  },
];

describeWith(
  ['root', 'sshd', 'sshpass', 'sudo', 'unshare'],
  'runner: playbooks as the bare engine runs them',
  function () {
    this.timeout(120_000);
    let stage: Stage;
    before(async () => {
      sshd = await startSshd();
      stage = makeStage();
    });
    after(async () => {
      await stage?.end();
      await sshd?.stop();
    });

    for (const { name, playbook = `${name}.yml`, changes, rc, events, check } of cases) {
      it(`${name}: the same output, and events that cover it`, async () => {
        const spec = await stage.spec(playbook, changes?.());
        // on this machine the two run as different users, and home is where modules are put
        if (name !== 'become')
          Object.assign(spec.env, {
            ANSIBLE_REMOTE_TMP: '{workspace}/home/.ansible/tmp',
            ANSIBLE_ASYNC_DIR: '{workspace}/home/.ansible_async',
          });
        const bare = await runBare(spec);
        const done = await stage.run(spec);
        expect(done.status, done.stdout).to.have.nested.property('exit.rc', rc);
        expect(bare.rc, bare.output).to.equal(rc);
        const lines = (text: string, place: string) =>
          resultsByHost(normalise(text.replaceAll(place, '<workspace>'))).split('\n');
        const [ours, theirs] = [lines(done.stdout, `${done.handle.workspace}/work`), lines(bare.output, bare.folder)];
        // in a free play not even tasks come in order
        expect(name === 'free strategy' ? ours.toSorted() : ours).to.deep.equal(
          name === 'free strategy' ? theirs.toSorted() : theirs,
        );
        assertConsistent(done);
        if (events !== undefined) expect(sequence(done.events)).to.equal(events);
        check?.(done);
      });
    }
  },
);

/** Hosts that play a task at once answer in any order: their results are sorted below the task's banner, whose order stays. */
const resultsByHost = (text: string) =>
  text
    .split('\n\n')
    .map((section) => {
      const [banner = '', ...results] = section.split(/\n(?=\S*(?:ok|changed): \[)/);
      return [banner, ...results.toSorted()].join('\n');
    })
    .join('\n\n');

/** The same for events, between those of a play or a task. */
function byHost(events: SpoolEvent[]): SpoolEvent[] {
  const groups: SpoolEvent[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (event.event.startsWith('runner_') && last?.[0]?.event.startsWith('runner_')) last.push(event);
    else groups.push([event]);
  }
  const host = ({ event_data: data }: SpoolEvent) => String(data['host']);
  return groups.flatMap((group) => group.toSorted((a, b) => host(a).localeCompare(host(b))));
}

/** What differs between two bare runs as well: times, process ids, names of temporary files, job ids. */
function normalise(text: string): string {
  return (
    text
      .replaceAll(/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?/g, '<time>')
      .replaceAll(/\b\d:\d\d:\d\d\.\d+/g, '<duration>')
      .replaceAll(/ansible-(tmp|local)-[\w.-]+/g, '<temporary>')
      .replaceAll(/\/tmp[\w]{8}\b/g, '/<temporary>')
      .replaceAll(/j\d+\.\d+/g, '<jid>')
      // the bare engine is another user's
      .replaceAll(/CONNECTION FOR USER: \S+/g, 'CONNECTION FOR USER: <user>')
  );
}

/** Ranges are in order, do not overlap and lie inside the output; parents came before; texts are told apart. */
function assertConsistent({ events, stdout }: Finished): void {
  const size = Buffer.byteLength(stdout);
  const seen = new Set(['']);
  let position = 0;
  for (const { event, from, to, uuid, parent_uuid: parent, event_data: data } of events) {
    expect(from, `${event} starts where the text before it ended`).to.equal(position);
    expect(to).to.be.within(from, size);
    expect(seen.has(parent), `the parent of ${event} came before it`).to.equal(true);
    expect(seen.has(uuid), `${event} has a name of its own`).to.equal(false);
    expect(data['uuid']).to.equal(uuid);
    if (event.startsWith('runner_')) expect(data['task_uuid']).to.equal(parent);
    if (event.startsWith('runner_') || event === 'playbook_on_task_start')
      expect(data).to.include.all.keys(
        'playbook',
        'playbook_uuid',
        'play',
        'play_uuid',
        'play_pattern',
        'task',
        'task_action',
        'resolved_action',
        'task_args',
        'task_path',
      );
    seen.add(uuid);
    position = to;
  }
  if (events.length) expect(position, 'the last event ends with the output').to.equal(size);
}
