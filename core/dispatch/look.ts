import type { Candidate, Decision, Reason, Room } from './decide.ts';
import { ANY_IMPACT, type GroupLoad, largestPlaced, type NodeLoad } from './place.ts';

/** Higher priority comes first, then the older run. */
export interface Position {
  priority: number;
  id: number;
}

/** More of them would cost each pass more than it spares. */
const MOST_CLOSED = 100;

/**
 * What the passes of one look at the queue hand on. Runs may end between two passes: what they free belongs to those
 * who stood before, so a later pass gives none of it away, and the next look does.
 */
export class Look {
  /** the next pass goes on behind it */
  after: Position = { priority: 2 ** 31 - 1, id: 0 };
  /** of the last pass that read a run */
  nodes: readonly NodeLoad[] | undefined;
  /** shapes of runs that found no place, each with the reason */
  readonly #closed = new Map<string, Reason>();
  readonly #awaited = new Set<string>();
  readonly #consumed = new Map<number, number>();
  readonly #groups = new Map<number, Pick<GroupLoad, 'jobs' | 'forks'>>();

  get closed(): ReadonlyMap<string, Reason> {
    return this.#closed;
  }

  /** Later passes read no run that needs more: however long the queue is, no node has room for it. */
  get largest(): number {
    return this.nodes ? largestPlaced(this.nodes) : ANY_IMPACT;
  }

  /** Somebody who stood before waits for that key, though it may be free by now. */
  isAwaited(key: string): boolean {
    return this.#awaited.has(key);
  }

  roomOf(nodes: readonly NodeLoad[], groups: readonly GroupLoad[]): Room {
    return {
      nodes: nodes.map((node) => ({ ...node, consumed: Math.max(node.consumed, this.#consumed.get(node.id) ?? 0) })),
      groups: new Map(
        groups.map((group) => {
          const { jobs = 0, forks = 0 } = this.#groups.get(group.id) ?? {};
          return [group.id, { ...group, jobs: Math.max(group.jobs, jobs), forks: Math.max(group.forks, forks) }];
        }),
      ),
    };
  }

  /** @param decisions about `candidates`, in the same order */
  goOn(candidates: readonly Candidate[], decisions: readonly Decision[], { nodes, groups }: Room): void {
    if (candidates.length) this.nodes = nodes;
    for (const { id, consumed } of nodes) this.#consumed.set(id, consumed);
    for (const [id, { jobs, forks }] of groups) this.#groups.set(id, { jobs, forks });
    const last = candidates.at(-1);
    if (last) this.after = { priority: last.priority, id: last.id };
    for (const [at, decision] of decisions.entries()) {
      if (decision.do === 'block') this.#awaited.add(decision.on);
      const shape = candidates[at]!.shape;
      if (decision.do === 'wait' && shape !== null && this.#closed.size < MOST_CLOSED)
        this.#closed.set(shape, decision.reason);
    }
  }
}
