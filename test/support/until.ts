import { until as untilBy } from '@tapline/plugin-sdk/testing';

/** In milliseconds. A limit ends what hangs, and tells nothing of speed: a machine of a third of the speed stays below. */
const least = 150_000;

/** Waits until `condition` returns something truthy, and returns that. */
export const until = <T>(condition: () => T | Promise<T>, ms = least, what = ''): Promise<NonNullable<T>> =>
  untilBy(condition, Math.max(ms, least), what);
