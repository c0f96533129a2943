import type { Rule } from '../rule.ts';

type Known = Pick<Rule, 'id' | 'modified'>;

/** Events of a rule that took too long, one after the other, before it has a rest. */
export const mostInARow = 3;
const restMs = 60_000;
/** Tasks that one node gives to such rules at once: its other places are for everybody else. */
const mostAtOnce = 2;
const mostKept = 1000;

/**
 * Rules whose conditions take too long, as far as this node has seen: their events are evaluated one by one in tasks of their own, few at
 * once, and those of a rule that goes on so are errors for a while without being asked about. A rule that is changed begins anew.
 */
export class SlowRules {
  readonly #late = new Map<string, { inARow: number; at: number }>();
  #underWay = 0;

  isSlow(rule: Known): boolean {
    return this.#late.has(keyOf(rule));
  }

  /** When that is over one event tells whether it goes on. */
  isResting(rule: Known): boolean {
    const { inARow = 0, at = 0 } = this.#late.get(keyOf(rule)) ?? {};
    return inARow >= mostInARow && performance.now() - at < restMs;
  }

  note(rule: Known, late: boolean): void {
    const key = keyOf(rule);
    const inARow = (this.#late.get(key)?.inARow ?? 0) + 1;
    this.#late.delete(key);
    if (!late) return;
    if (this.#late.size >= mostKept) this.#late.clear();
    this.#late.set(key, { inARow, at: performance.now() });
  }

  /** Undefined where as many are under way as may be. */
  async inTurn<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#underWay >= mostAtOnce) return undefined;
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }
}

const keyOf = ({ id, modified }: Known): string => `${id} ${modified}`;
