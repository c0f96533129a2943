import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const newCsrfToken = () => randomBytes(32).toString('base64url');
export const isCsrfToken = (text: string | null): text is string => text !== null && /^[\w-]{43}$/.test(text);

/**
 * The token of a session follows from the session's secret: it needs no storage, changes at every login,
 * and a cookie that a neighbouring host planted cannot stand in for it.
 */
export const csrfTokenOf = (sessionSecret: string) =>
  createHmac('sha256', sessionSecret).update('csrf').digest('base64url');

export function isSame(given: unknown, expected: string): boolean {
  const [a, b] = [Buffer.from(typeof given === 'string' ? given : ''), Buffer.from(expected)];
  return a.length === b.length && a.length > 0 && timingSafeEqual(a, b);
}
