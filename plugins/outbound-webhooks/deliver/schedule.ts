const [second, minute, hour] = [1, 60, 3600];

/** Seconds before each try, as Standard Webhooks recommends. */
const pauses = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;
export const mostAttempts = pauses.length;
const longestWait = 24 * hour;
/** Of a pause, so that what failed together does not come back together. */
const jitter = 0.1;

/** Seconds until the next try after so many; undefined: it was the last. A target may ask for more time, a day at most. */
export function pauseAfter(attempts: number, retryAfter: string | undefined, now: Date): number | undefined {
  const pause = pauses[attempts];
  if (pause === undefined) return undefined;
  const spread = pause * (1 + jitter * (2 * Math.random() - 1));
  return Math.max(spread, Math.min(longestWait, secondsOf(retryAfter, now)));
}

/** RFC 9110: a number of seconds, or a time. */
function secondsOf(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now.getTime()) / 1000);
}
