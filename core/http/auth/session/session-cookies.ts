import type { IncomingMessage } from 'node:http';
import { cookieText, csrfCookie, isSecure, loggedInCookie, readCookie, sessionCookie } from '../cookies.ts';
import { csrfTokenOf, isCsrfToken, newCsrfToken } from '../../../accounts/csrf-token.ts';
import type { Session } from '../../../accounts/sessions.ts';

/** What is needed of a Koa context to answer. */
export interface Responder {
  req: Pick<IncomingMessage, 'headers'> & { socket?: unknown };
  set(name: string, value: string): unknown;
  append(name: string, value: string): unknown;
}

const add = (to: Responder, name: string, value: string, options: { httpOnly?: boolean; maxAge?: number } = {}) =>
  void to.append('Set-Cookie', cookieText(name, value, { ...options, secure: isSecure(to.req) }));

/** The countdown of web clients, and the cookie's new end unless the request came from the background. */
export function announceSession(
  to: Responder,
  secret: string,
  { timeout }: Pick<Session, 'timeout'>,
  renewed: boolean,
): void {
  to.set('Session-Timeout', String(timeout));
  if (renewed) add(to, sessionCookie, secret, { httpOnly: true, maxAge: timeout });
}

export function setLoginCookies(to: Responder, secret: string, session: Session): void {
  announceSession(to, secret, session, true);
  add(to, csrfCookie, session.csrf);
  add(to, loggedInCookie, 'true');
  // the command line client learns the name from here, on the redirect itself
  to.set('X-API-Session-Cookie-Name', sessionCookie);
}

export function setLogoutCookies(to: Responder): void {
  add(to, sessionCookie, '', { httpOnly: true, maxAge: 0 });
  add(to, csrfCookie, newCsrfToken());
  add(to, loggedInCookie, 'false');
}

/** Makes sure that the caller has a CSRF cookie, the session's own where it has a live session; resolves to its value. */
export function ensureCsrfCookie(to: Responder, inSession: boolean): string {
  const secret = inSession ? readCookie(to.req, sessionCookie) : null;
  const present = readCookie(to.req, csrfCookie);
  const token = secret ? csrfTokenOf(secret) : isCsrfToken(present) ? present : newCsrfToken();
  add(to, csrfCookie, token);
  return token;
}
