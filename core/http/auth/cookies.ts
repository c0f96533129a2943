import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

export const sessionCookie = 'tapline_sessionid';
export const csrfCookie = 'csrftoken';
/** Read by web clients, whose only sign of being logged in it is. */
export const loggedInCookie = 'userLoggedIn';

/** Some clients send the value in double quotes. */
export function readCookie(req: Pick<IncomingMessage, 'headers'>, name: string): string | null {
  for (const pair of req.headers.cookie?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return null;
}

interface CookieOptions {
  secure: boolean;
  httpOnly?: boolean;
  /** seconds; absent = until the browser is closed, 0 = at once */
  maxAge?: number;
}

/** A Set-Cookie value; koa's own cookies know no Max-Age. Values are ours and need no encoding. */
export function cookieText(name: string, value: string, { secure, httpOnly, maxAge }: CookieOptions): string {
  const parts = [`${name}=${value}`, 'Path=/', 'SameSite=Lax'];
  if (maxAge !== undefined) parts.push(`Max-Age=${maxAge}`);
  if (maxAge === 0) parts.push('Expires=Thu, 01 Jan 1970 00:00:00 GMT');
  if (httpOnly) parts.push('HttpOnly');
  if (secure) parts.push('Secure');
  return parts.join('; ');
}

/**
 * Whether the client speaks HTTPS. A forged X-Forwarded-Proto only makes the checks on its sender stricter,
 * so it needs no list of proxies.
 */
export function isSecure(req: Pick<IncomingMessage, 'headers'> & { socket?: unknown }): boolean {
  if ((req.socket as TLSSocket | undefined)?.encrypted) return true;
  return (
    String(req.headers['x-forwarded-proto'] ?? '')
      .split(',', 1)[0]!
      .trim()
      .toLowerCase() === 'https'
  );
}
