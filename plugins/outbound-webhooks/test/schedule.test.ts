import { expect } from 'chai';
import { mostAttempts, pauseAfter } from '../deliver/schedule.ts';
import { eventOf } from '../taps/note-status.ts';

describe('the schedule of deliveries', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  it('is that of Standard Webhooks, each pause a little more or less', () => {
    const wanted = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    wanted.forEach((seconds, index) =>
      expect(pauseAfter(index + 1, undefined, now)).to.be.within(seconds * 0.9, seconds * 1.1),
    );
    expect(pauseAfter(mostAttempts, undefined, now)).to.equal(undefined);
    expect(mostAttempts).to.equal(10);
  });
  it('gives a target the time that it asks for, a day at most', () => {
    expect(pauseAfter(1, '120', now)).to.equal(120);
    expect(pauseAfter(1, 'Thu, 01 Jan 2026 00:10:00 GMT', now)).to.equal(600);
    expect(pauseAfter(1, '99999999', now)).to.equal(86_400);
    for (const odd of ['x', '-5', '1e9', '']) expect(pauseAfter(1, odd, now)).to.be.below(6);
    expect(pauseAfter(2, '1', now)).to.be.above(250);
  });
});

describe('events of outbound webhooks', () => {
  it('are changes of jobs and workflows', () => {
    for (const [kind, to, event] of [
      ['job', 'running', 'job.started'],
      ['job', 'successful', 'job.succeeded'],
      ['job', 'failed', 'job.failed'],
      ['job', 'error', 'job.failed'],
      ['job', 'canceled', 'job.canceled'],
      ['job', 'pending', undefined],
      ['workflow_job', 'running', 'workflow.started'],
      ['workflow_job', 'successful', 'workflow.succeeded'],
      ['workflow_job', 'error', 'workflow.failed'],
      ['workflow_job', 'canceled', undefined],
      ['project_update', 'successful', undefined],
    ] as const)
      expect(eventOf({ kind, to }), `${kind} ${to}`).to.equal(event);
  });
});
