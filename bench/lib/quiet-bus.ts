import type { Bus } from '@tapline/core/queue/bus.ts';

/** Nobody listens. */
export const quietBus: Bus = {
  on: () => () => undefined,
  notify: async () => undefined,
  notifyAll: async () => undefined,
  parcel: () => ['nobody', '{}'],
};
