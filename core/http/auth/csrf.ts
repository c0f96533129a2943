import type { IncomingMessage } from 'node:http';
import { ApiError } from '@tapline/plugin-sdk';
import { csrfTokenOf, isSame } from '../../accounts/csrf-token.ts';
import { csrfCookie, isSecure, readCookie, sessionCookie } from './cookies.ts';

type Request = Pick<IncomingMessage, 'headers'> & { socket?: unknown };

const failed = (why: string) => new ApiError(403, `CSRF Failed: ${why}`);

/** What a page repeats over a WebSocket, which has no headers of its own after the upgrade. */
export const sessionCsrfToken = (req: Request): string => csrfTokenOf(readCookie(req, sessionCookie) ?? '');

interface Check {
  req: Request;
  /** from the form; the header counts first */
  field?: unknown;
  /** the token of the session that vouches for the caller */
  expected?: string;
  trustedOrigins: readonly string[];
}

/** Double submit: what the page read from its cookie comes back in a header or field, which no foreign page can arrange. */
export function assertCsrf({ req, field, expected, trustedOrigins }: Check): void {
  assertOrigin(req, trustedOrigins, true);
  const cookie = readCookie(req, csrfCookie);
  if (!cookie) throw failed('the csrftoken cookie is missing.');
  if (!isSame(req.headers['x-csrftoken'] ?? field, cookie))
    throw failed('the X-CSRFToken header is missing or differs from the csrftoken cookie.');
  if (expected !== undefined && !isSame(cookie, expected))
    throw failed('the csrftoken cookie does not belong to this session.');
}

/**
 * A browser says whose page it sends for. `strict`: over HTTPS something must say so.
 * Without Origin and Referer a request comes from no browser's page, or from one over plain HTTP that hides where it comes from.
 */
export function assertOrigin(req: Request, trustedOrigins: readonly string[], strict: boolean): void {
  const { origin, referer } = req.headers;
  const source = origin ?? referer;
  if (source === undefined) {
    if (strict && isSecure(req)) throw failed('neither Origin nor Referer was sent.');
    return;
  }
  if (!isOwn(req, source) && !trustedOrigins.some((trusted) => matches(source, trusted)))
    throw failed(`the ${origin === undefined ? 'Referer' : 'Origin'} is not this server.`);
}

function isOwn(req: Request, source: string): boolean {
  const url = parse(source);
  // TLS may end in front of us without telling: then either scheme will do
  if (!url || !/^https?:$/.test(url.protocol) || (isSecure(req) && url.protocol !== 'https:')) return false;
  return url.host === parse(`${url.protocol}//${req.headers.host ?? ''}`)?.host;
}

/** `https://host[:port]`, or `https://*.domain` for every host below it. */
function matches(source: string, trusted: string): boolean {
  const url = parse(source);
  const wanted = parse(trusted.replace('//*.', '//'));
  if (!url || !wanted || url.protocol !== wanted.protocol || url.port !== wanted.port) return false;
  return trusted.includes('//*.') ? url.hostname.endsWith(`.${wanted.hostname}`) : url.hostname === wanted.hostname;
}

const parse = (text: string): URL | null => URL.parse(text);
