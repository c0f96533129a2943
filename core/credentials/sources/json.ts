import { withoutEndingSlashes } from '../../outbound/addresses.ts';
import type { HttpRequest, SecretLookup } from '@tapline/plugin-sdk';

/** What a server said, read as JSON; null where it said something else. */
export interface Said {
  status: number;
  body: unknown;
}

const longestQuoted = 300;

export async function ask({ http }: SecretLookup, url: string, request: HttpRequest = {}): Promise<Said> {
  const { status, body } = await http.request(url, request);
  return { status, body: parsed(body.toString('utf8')) };
}

/** The same, where anything but a success is an error in the words of the server. @throws Error */
export async function askFor(lookup: SecretLookup, what: string, url: string, request?: HttpRequest): Promise<unknown> {
  const { status, body } = await ask(lookup, url, request);
  if (status < 200 || status > 299) throw new Error(`${what} was refused with ${status}${because(body)}`);
  if (body === null) throw new Error(`${what} was answered with something that is no JSON`);
  return body;
}

export const json = (body: unknown, headers: Record<string, string> = {}): HttpRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

export const form = (fields: Record<string, string>, headers: Record<string, string> = {}): HttpRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  body: new URLSearchParams(fields).toString(),
});

/** A value in what was said, by the names on the way; undefined where there is none. */
export const within = (said: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    said,
  );

/** @throws Error where it is no text */
export function textWithin(what: string, said: unknown, ...path: (string | number)[]): string {
  const value = within(said, ...path);
  if (typeof value === 'string') return value;
  throw new Error(`${what} was answered without ${path.map(String).join('.')}`);
}

/** Below the address of a server, whatever slashes stand between. */
export const below = (server: string, ...parts: string[]): string =>
  [withoutEndingSlashes(server), ...parts.map((part) => part.split('/').filter(Boolean).join('/'))]
    .filter(Boolean)
    .join('/');

/** A path that a user wrote, each part of it escaped. */
export const escapedPath = (path: string): string => path.split('/').filter(Boolean).map(encodeURIComponent).join('/');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Servers say why in one of a few ways. */
function because(body: unknown): string {
  const errors = within(body, 'errors');
  const reason = Array.isArray(errors)
    ? errors.filter((one) => typeof one === 'string').join('; ')
    : [
        within(body, 'error_description'),
        within(body, 'error', 'message'),
        within(body, 'error'),
        within(body, 'message'),
        within(body, 'Message'),
        within(body, 'ErrorMsg'),
      ].find((one) => typeof one === 'string');
  return reason ? `: ${String(reason).slice(0, longestQuoted)}` : '';
}
