import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { brokenTicks, brokenWords } from './clock.ts';
import { brokenEvents } from './events.ts';
import { Ledger } from './ledger.ts';
import { secrets } from './plays.ts';
import { brokenPromises } from './promises.ts';
import { problemsOf, type StoredRun } from './verdict.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const good: StoredRun = {
  id: 7,
  kind: 'job',
  play: 'append',
  status: 'successful',
  job_explanation: '',
  launch_type: 'manual',
  mark: 'mark-1',
  started: new Date(1000),
  finished: new Date(2000),
  artifacts: {},
  event_count: 20,
  whole: true,
  steps: 8,
  begins: 1,
  ends: 1,
  summaries: 1,
  needed: [],
  unhandled: [],
  open: [],
  stdout: 'PLAY RECAP',
};

describe('the judge of chaos', () => {
  let proof: string;
  let ledger: Ledger;
  let struck: Set<number>;
  before(() => (proof = mkdtempSync(join(tmpdir(), 'tapline-judge-'))));
  after(() => removeFolder(proof));
  beforeEach(() => {
    struck = new Set();
    ledger = new Ledger();
    ledger.launched(ledger.began(true), 7, 'append');
    steps(1, 2, 3, 4, 5, 6, 7, 8);
  });

  const steps = (...lines: number[]) => writeFileSync(join(proof, '7'), lines.map((line) => `${line}\n`).join(''));
  const judged = (change: Partial<StoredRun>) => problemsOf({ ...good, ...change }, { proof, struck }, ledger).join();
  const promises = (...stored: Partial<StoredRun>[]) =>
    brokenPromises(
      ledger,
      stored.map((change) => ({ ...good, ...change })),
    ).join();

  it('finds nothing where nothing is wrong', () => {
    expect(judged({})).to.equal('');
    expect(promises({})).to.equal('');
  });

  const wrong: [what: string, change: Partial<StoredRun>, said: RegExp][] = [
    ['a gap between events', { whole: false }, /gaps or doubles/],
    ['an event too many', { begins: 2 }, /playbook_on_start: stored 2 times/],
    ['a lost end', { ends: 0 }, /playbook_on_stats: stored 0 times/],
    ['a lost step', { steps: 7 }, /7 of 8 steps/],
    ['a lost summary', { summaries: 0 }, /summaries/],
    ['lost output', { stdout: '' }, /recap/],
    ['a secret', { stdout: `PLAY RECAP ${secrets.asked}` }, /secret/],
    ['a run that never ends', { status: 'running' }, /not ended/],
    ['an end that nobody wanted', { status: 'canceled' }, /nobody canceled/],
    ['an end without a reason', { status: 'error' }, /nothing explains/],
    ['an error of a run whose process lives', { status: 'error', job_explanation: 'lost' }, /process survived/],
    ['lost statistics', { play: 'stats' }, /artifacts/],
  ];
  for (const [what, change, said] of wrong) it(`finds ${what}`, () => expect(judged(change)).to.match(said));

  it('finds a step that ran twice, and one that was lost', () => {
    steps(1, 2, 3, 3, 4, 5, 6, 7, 8);
    expect(judged({})).to.match(/ran twice or was lost/);
    steps(1, 2, 4, 5, 6, 7, 8);
    expect(judged({})).to.match(/ran twice or was lost/);
  });

  it('forgives what was done to a run', () => {
    struck.add(7);
    expect(judged({ status: 'error', job_explanation: 'its process was killed' })).to.equal('');
    ledger.runs.get(7)!.cancelAsked = true;
    expect(judged({ status: 'canceled' })).to.equal('');
    expect(judged({ status: 'failed', job_explanation: 'what it needed failed', needed: ['error'] })).to.equal('');
  });

  it('blames a workflow that failed though none of its nodes made it', () => {
    rmSync(join(proof, '7'));
    const workflow = { kind: 'workflow_job', play: null, steps: 0, job_explanation: 'Some of its nodes failed.' };
    expect(judged({ ...workflow })).to.equal('');
    // the play that is to fail has a node after it that runs all the same
    const failed = { ...workflow, status: 'failed', needed: ['successful', 'failed'] };
    expect(judged(failed)).to.match(/none of its nodes made it fail/);
    struck.add(7);
    expect(judged(failed)).to.match(/none of its nodes made it fail/);
    expect(judged({ ...failed, unhandled: ['last error'] })).to.equal('');
    expect(judged({ ...workflow, unhandled: ['last error'] })).to.match(/nobody handled last error/);
    expect(judged({ ...workflow, open: ['joined'] })).to.match(/left joined undone/);
    struck.delete(7);
    expect(judged({ ...workflow, status: 'error' })).to.match(/process survived/);
  });

  it('finds what clients were told and what is not so', () => {
    expect(promises()).to.match(/201 and is not there/);
    expect(promises({}, { id: 8 })).to.match(/also made 8/);
    ledger.runs.get(7)!.ended = { status: 'failed', at: 1 };
    expect(promises({})).to.match(/said to have ended failed/);
    ledger.runs.get(7)!.deleted = 1;
    expect(promises({})).to.match(/was deleted and is there/);
  });

  it('finds events that launched nothing or twice, and ends of jobs that nobody or somebody twice was told of', async () => {
    const log = { id: 1, status: 'action_fired', runs: 1 };
    const message = { event: 'job.succeeded', run: 7, seq: 2, times: 2 };
    const events = async (logs: object[], told: (typeof message)[], answered = [1]) => {
      const query = async (sql: string) => (sql.includes('event_logs') ? logs : [{ id: 7, status: 'successful' }]);
      const target = { told: new Map(told.map((one, index) => [String(index), one])) };
      return (await brokenEvents({ query }, target, new Set(answered))).join();
    };
    const started = { ...message, event: 'job.started', seq: 1 };
    expect(await events([log], [started, message])).to.equal('');
    expect(await events([log], [started])).to.match(/run 7 ended successful, and the target heard nothing/);
    expect(await events([log], [{ ...message, event: 'job.failed' }])).to.match(/heard job.failed/);
    expect(await events([log], [message, message])).to.match(/under 2 webhook-ids.*heard job.succeeded,job.succeeded/);
    expect(await events([{ ...log, runs: 2 }], [message])).to.match(/made 2 runs/);
    expect(await events([{ ...log, status: 'error', runs: 0 }], [message])).to.match(/is error and made 0 runs/);
    expect(await events([], [message])).to.match(/event 1 was answered and is not there/);
  });

  it('finds minutes of a schedule that were left out or launched twice', async () => {
    const at = '2030-01-01T00:00:00Z';
    const ticks = (...runs: number[]) =>
      brokenTicks({ query: async () => runs.map((n) => ({ name: 'Tick 0', at, runs: n })) });
    expect(await ticks(1, 1)).to.deep.equal({ ticks: 2, problems: [] });
    expect((await ticks(1, 0)).problems.join()).to.match(/made 0 runs at 2030/);
    expect((await ticks(2)).problems.join()).to.match(/made 2 runs/);
  });

  it('finds notifications that never came, came unmarked or were given up, and ends without one', async () => {
    const word = { id: 1, event: 'success', status: 'successful', run: 7, told: 'successful', attempts: 1 };
    const words = async (stored: object[], came: [string, number][], bare: object[] = []) => {
      const query = async (sql: string) => (sql.includes('having') ? bare : stored);
      return (await brokenWords({ query }, new Map(came))).join();
    };
    expect(await words([word], [['7 successful', 1]])).to.equal('');
    expect(await words([{ ...word, attempts: 2 }], [['7 successful', 2]])).to.equal('');
    expect(await words([word], [['7 failed', 1]])).to.match(/never came/);
    expect(await words([word], [['7 successful', 2]])).to.match(/came 2 times and is marked 1 times/);
    expect(await words([{ ...word, status: 'failed' }], [['7 successful', 1]])).to.match(/is failed/);
    const ended = { id: 8, status: 'failed', words: 0 };
    expect(await words([], [], [ended])).to.match(/run 8 ended failed and has 0 notifications/);
  });

  it('finds runs beside each other that must not be', () => {
    const [first, second] = [{ play: 'alone' as const }, { play: 'alone' as const, id: 8, launch_type: 'relaunch' }];
    expect(promises(first, { ...second, started: new Date(1999), finished: new Date(3000) })).to.match(/ran/);
    expect(promises(first, { ...second, started: new Date(2001), finished: new Date(3000) })).to.equal('');
  });
});
