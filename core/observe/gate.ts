import { ApiError } from '@tapline/plugin-sdk';
import { createLanes } from './lanes.ts';

export interface GateOptions {
  atOnce: number;
  /** whoever comes later would wait in vain */
  maxWaiting: number;
  /** whoever has waited so long waits no longer; default: for ever */
  patienceMs?: number;
  /** what those are told */
  full: string;
}

export interface Gate {
  /** @throws ApiError 503 when too many wait already; `patient` work waits however many there are */
  <T>(work: () => Promise<T>, how?: { patient?: boolean }): Promise<T>;
}

/** Runs work when there is room for it, in the order in which it came. */
export function createGate({ atOnce, maxWaiting, patienceMs, full }: GateOptions): Gate {
  const enter = createLanes<'all'>({
    atOnce: () => atOnce,
    maxWaiting: () => maxWaiting,
    ...(patienceMs !== undefined && { patienceMs }),
    full: () => new ApiError(503, full, { 'Retry-After': '2' }),
  });
  return async (work, how) => {
    const leave = await enter('all', how);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
