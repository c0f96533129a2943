import { expect } from 'chai';
import { explainFailure } from '../../core/runner/explain.ts';
import { type Finished, makeStage, type Stage } from './stage.ts';

const explain = ({ status, events, stdout }: Finished) => explainFailure({ status, events, text: stdout });
const exit = (changes: object) => ({
  state: 'exited' as const,
  exit: { rc: 2, signal: null, reason: 'exit' as const, detail: '', started: '', finished: '', ...changes },
});
const result = (msg: string, event = 'runner_on_failed', more: object = {}) => [
  { event, event_data: { host: 'web1', res: { msg, ...more } } },
];

describe('runner: explainFailure', function () {
  let stage: Stage;
  before(() => (stage = makeStage()));
  after(() => stage.end());

  const real: [string, string, RegExp, Parameters<Stage['spec']>[1]?][] = [
    ['an unreachable host', 'unreachable.yml', /^here refuses connections: nothing listens at that port\.$/],
    ['a syntax error', 'syntax_error.yml', /^Syntax error in syntax_error\.yml, line \d+: /],
    ['a missing role', 'missing_role.yml', /^The role "nowhere_to_be_found" was not found\./],
    [
      'a missing collection',
      'missing_module.yml',
      /^The module example\.absent\.thing was not found: the collection example\.absent is not installed\./,
    ],
    ['a missing playbook', 'absent.yml', /^The playbook absent\.yml does not exist in this revision/],
    ['a limit that matches nothing', 'success.yml', /^The job's limit matches no host/, { run: { limit: 'nobody' } }],
    [
      'a missing interpreter',
      'success.yml',
      /^here has no usable Python at \/nowhere\/python3\./,
      {
        inventory: {
          all: { hosts: ['here'] },
          _meta: {
            hostvars: { here: { ansible_connection: 'local', ansible_python_interpreter: '/nowhere/python3' } },
          },
        },
      },
    ],
    [
      'an escalation that the sandbox forbids',
      'become.yml',
      /^Becoming another user on here does not work inside the sandbox/,
    ],
  ];
  for (const [name, playbook, expected, changes] of real) {
    it(`explains ${name}`, async () => {
      const done = await stage.run(await stage.spec(playbook, changes));
      expect(done.status).to.not.have.nested.property('exit.rc', 0);
      expect(explain(done), done.stdout).to.match(expected);
    });
  }

  it('says nothing of a success, and nothing more of tasks that failed', async () => {
    expect(explain(await stage.run(await stage.spec('success.yml')))).to.equal('');
    expect(explain(await stage.run(await stage.spec('failure.yml')))).to.equal('');
  });

  it('explains how a run was ended', () => {
    const said = (changes: object) => explainFailure({ status: exit(changes), events: [], text: '' });
    expect(said({ reason: 'timeout', rc: null })).to.match(/longer than its timeout/);
    expect(said({ reason: 'disk_full', rc: null })).to.match(/^The disk is full/);
    expect(said({ reason: 'killed', rc: null, signal: 'SIGKILL' })).to.match(
      /^The engine was killed by SIGKILL; often .* out of memory/,
    );
    expect(said({ reason: 'start_failed', rc: null, detail: 'no such file' })).to.equal(
      'The engine could not be started: no such file.',
    );
    expect(explainFailure({ status: { state: 'lost', detail: 'gone' }, events: [], text: '' })).to.equal('gone');
  });

  it('repeats the last words of an engine that began no play', () => {
    const said = (rc: number, text: string, recap = false) =>
      explainFailure({ status: exit({ rc }), events: [], text, recap });
    expect(said(127, 'setpriv: failed to execute /x/ansible-playbook: No such file or directory\n')).to.equal(
      'The engine could not be started: setpriv: failed to execute /x/ansible-playbook: No such file or directory.',
    );
    expect(said(126, '')).to.equal('The engine could not be started and said nothing.');
    expect(said(250, 'Traceback\nKeyError: 1\n\n')).to.equal('The engine ended with exit code 250: KeyError: 1.');
    expect(said(2, 'h999 : ok=1 failed=1\n', true)).to.equal('');
  });

  it('explains what hosts answer', () => {
    const said = (msg: string, event?: string) =>
      explainFailure({ status: exit({}), events: result(msg, event), text: '' });
    expect(
      said('Failed to connect to the host via ssh: Host key verification failed.', 'runner_on_unreachable'),
    ).to.match(/host key of web1/);
    expect(said('ssh: Could not resolve hostname web1: Name or service not known', 'runner_on_unreachable')).to.match(
      /web1 cannot be resolved/,
    );
    expect(said('connect to host 192.0.2.1 port 22: Connection timed out', 'runner_on_unreachable')).to.match(
      /web1 cannot be reached/,
    );
    expect(said('Missing sudo password')).to.match(/sudo password for web1 is missing/);
    expect(said('anything', 'runner_on_unreachable')).to.equal('web1 is unreachable.');
    expect(
      explainFailure({
        status: exit({}),
        events: [
          {
            event: 'runner_on_failed',
            event_data: { ignore_errors: true, host: 'x', res: { msg: 'Missing sudo password' } },
          },
        ],
        text: '',
      }),
    ).to.equal('');
  });

  it('does not list a thousand hosts', () => {
    const events = Array.from({ length: 1000 }, (_, index) => ({
      event: 'runner_on_unreachable',
      event_data: { host: `h${index}`, res: { msg: 'Connection refused' } },
    }));
    expect(explainFailure({ status: exit({ rc: 4 }), events, text: '' })).to.match(
      /^h0 .* h1 .* h2 .* \(and 997 more like these\)$/,
    );
  });
});
