/** All limits count by the minute. */
export const windowSeconds = 60;

/** The fields by which an answer tells of a limit that is in force (draft-ietf-httpapi-ratelimit-headers-11). */
export const rateLimitFields = (
  policy: string,
  { quota, left, milliseconds }: { quota: number; left: number; milliseconds: number },
): Record<string, string> => ({
  'RateLimit-Policy': `"${policy}";q=${quota};w=${windowSeconds}`,
  RateLimit: `"${policy}";r=${Math.max(0, left)};t=${secondsOf(milliseconds)}`,
});

export const secondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
