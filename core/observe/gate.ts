import { ApiError } from '@tapline/plugin-sdk';

export interface GateOptions {
  atOnce: number;
  /** whoever comes later would wait in vain */
  maxWaiting: number;
  /** what those are told */
  full: string;
}

export interface Gate {
  /** @throws ApiError 503 when too many wait already; `patient` work waits however many there are */
  <T>(work: () => Promise<T>, how?: { patient?: boolean }): Promise<T>;
}

/** Runs work when there is room for it, in the order in which it came. */
export function createGate({ atOnce, maxWaiting, full }: GateOptions): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work, { patient = false } = {}) => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting && !patient) throw new ApiError(503, full, { 'Retry-After': '2' });
      // the one who leaves hands its place over
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
