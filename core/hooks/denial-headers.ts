import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Headers of the service itself (security, cookies, the connection) are not a tap's to set. */
const allowed = /^(retry-after|link|ratelimit|ratelimit-policy|x-tapline-[\w-]+)$/i;
const mostCharacters = 4096;

export interface ReadHeaders {
  headers: Record<string, string>;
  /** what cannot be sent, each with the reason */
  leftOut: string[];
}

/** The headers of a denial that may be sent. One that may not is left out: a launch must not go on over it. */
export function readHeaders(given: unknown): ReadHeaders {
  const headers: Record<string, string> = {};
  const leftOut: string[] = [];
  let room = mostCharacters;
  if (given === undefined || given === null) return { headers, leftOut };
  if (typeof given !== 'object' || Object.getPrototypeOf(Object.getPrototypeOf(given) ?? null) !== null)
    return { headers, leftOut: ['headers, which must be a plain object'] };
  for (const [name, value] of Object.entries(given)) {
    const text = typeof value === 'number' ? String(value) : (value as string);
    const problem = problemOf(name, text, room);
    if (problem) leftOut.push(`header ${JSON.stringify(name.slice(0, 100))}, ${problem}`);
    else {
      headers[name] = text;
      room -= name.length + text.length;
    }
  }
  return { headers, leftOut };
}

function problemOf(name: string, value: unknown, room: number): string | undefined {
  if (typeof value !== 'string') return 'which must be a text or a number';
  if (name.length + value.length > room) return `since all together may have ${mostCharacters} characters`;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    return 'whose name or value no HTTP message can carry';
  }
  return allowed.test(name)
    ? undefined
    : 'which is none of Retry-After, Link, RateLimit, RateLimit-Policy and X-Tapline-…';
}
