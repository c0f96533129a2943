import { DEAD_AFTER_S } from './living.ts';

/**
 * Whether this node may take others for dead. After an outage of the database, or of this process itself, all look silent:
 * the others are given the time to be heard again that it takes to count as dead.
 *
 * @param now milliseconds of a clock that never goes back
 * @returns to be asked after each heartbeat
 */
export function createJudgement(now: () => number = () => performance.now()): () => boolean {
  const patience = DEAD_AFTER_S * 1000;
  let last = now();
  let back = last - patience;
  return () => {
    const at = now();
    if (at - last >= patience) back = at;
    last = at;
    return at - back >= patience;
  };
}
