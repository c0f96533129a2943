import type { Queue } from '../../queue/queue.ts';
import { advanceTask, followTask } from '../waiting/advance.ts';
import type { RunKinds } from '../kinds.ts';
import { isTerminal } from '../states.ts';
import type { Follower } from '../status.ts';

/** A run that launched others learns of each of their moves, by its kind's `follow`, and goes on when one has ended. */
export const followLaunched = ({ kinds, queue }: { kinds: RunKinds; queue: Pick<Queue, 'addTasks'> }): Follower => ({
  writes: ({ kind, parent_id: parent }, to) =>
    parent != null || (to === 'running' && kinds.find(kind)?.advance !== undefined),
  async follow(trx, moved, to) {
    const begun = to === 'running' ? moved.filter(({ kind }) => kinds.find(kind)?.advance) : [];
    const launched = moved.filter(({ parent_id: parent }) => parent !== null);
    const going = new Set<number>();
    if (launched.length) {
      const parents = await trx('runs')
        .whereIn('id', [...new Set(launched.map(({ parent_id: parent }) => parent as number))])
        .select('id', 'kind');
      const kindOf = new Map(parents.map(({ id, kind }) => [id, kinds.find(kind)]));
      for (const child of launched) {
        const kind = kindOf.get(child.parent_id!);
        // in the order of the moves
        // oxlint-disable-next-line no-await-in-loop
        await kind?.follow?.(trx, { id: child.parent_id! }, child);
        if (kind?.advance && isTerminal(to)) going.add(child.parent_id!);
      }
    }
    await queue.addTasks(trx, [...begun.map(({ id }) => advanceTask(id)), ...[...going].map(followTask)]);
  },
});
