import type { Bus } from '../../queue/bus.ts';
import type { Hooks } from '../../hooks/hooks.ts';
import type { Queue } from '../../queue/queue.ts';
import { followLaunched } from './follow-launched.ts';
import { queueTaps } from './queue-taps.ts';
import type { RunKinds } from '../kinds.ts';
import { releaseWaiters } from '../locks.ts';
import { isTerminal } from '../states.ts';
import type { Follower, Following } from '../status.ts';
import { tellChanges } from './tell-changes.ts';
import { showActive, showEnd } from './template-status.ts';

export interface FollowerDeps {
  kinds: RunKinds;
  bus: Bus;
  hooks: Hooks;
  queue: Pick<Queue, 'addTasks'>;
}

/**
 * What core itself does when runs move. With the statement: listeners are told, and templates show what goes on. After
 * it, in this order: who waited for them looks again (and takes the locks that come before a template's row), their
 * templates show how they ended, the runs that launched them learn of it, plugins' taps are queued.
 */
export const coreFollowing = ({ kinds, bus, hooks, queue }: FollowerDeps): Following => ({
  along: [tellChanges(bus), showActive],
  followers: [release(bus, kinds), showEnd(kinds), followLaunched({ kinds, queue }), queueTaps({ hooks, queue })],
});

const release = (bus: Bus, kinds: RunKinds): Follower => ({
  writes: (_run, to) => isTerminal(to),
  async follow(trx, moved, to) {
    if (!isTerminal(to)) return;
    const released = await releaseWaiters(trx, moved, kinds.names());
    // a finished run frees capacity even where nobody waited for it by name
    if (released || moved.some(({ instance_id: instance }) => instance !== null)) await bus.notify(trx, 'dispatch', {});
  },
});
