import type { ApiError } from '@tapline/plugin-sdk';

export interface LaneOptions {
  /** 0 = any number */
  atOnce: () => number;
  /** whoever comes later would wait in vain */
  maxWaiting: () => number;
  /** a place that is not free within this time is not waited for any longer */
  patienceMs?: number;
  /** what those are told */
  full: () => ApiError;
}

interface Lane {
  running: number;
  waiting: (() => void)[];
}

/** Resolves to what gives the place back. `patient` work waits however many do. */
export type Enter<Key> = (key: Key, how?: { patient?: boolean }) => Promise<() => void>;

/** So many places for each key, in the order in which they are asked for. */
export function createLanes<Key>({ atOnce, maxWaiting, patienceMs, full }: LaneOptions): Enter<Key> {
  const lanes = new Map<Key, Lane>();

  const turn = ({ waiting }: Lane) =>
    new Promise<void>((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(full());
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      waiting.push(go);
    });

  return async (key, { patient = false } = {}) => {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    if (lane.running < (atOnce() || Number.POSITIVE_INFINITY)) {
      lane.running += 1;
      lanes.set(key, lane);
    } else if (lane.waiting.length >= maxWaiting() && !patient) throw full();
    // the one who leaves hands its place over
    else await turn(lane);
    return () => {
      const next = lane.waiting.shift();
      if (next) next();
      else if (--lane.running === 0) lanes.delete(key);
    };
  };
}
