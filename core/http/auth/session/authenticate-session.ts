import type { IncomingMessage } from 'node:http';
import type { Actor } from '@tapline/plugin-sdk';
import type { Settings } from '../../../settings/settings.ts';
import { readCookie, sessionCookie } from '../cookies.ts';
import { assertCsrf } from '../csrf.ts';
import { actorOf } from '../../../accounts/user-row.ts';
import { announceSession, type Responder } from './session-cookies.ts';
import type { Session, Sessions } from '../../../accounts/sessions.ts';

/** A Koa context, or for the WebSocket upgrade its first two members. */
export type Caller = {
  req: Pick<IncomingMessage, 'headers'> & { method?: string; socket?: unknown };
  ip: string;
} & Partial<Omit<Responder, 'req'>>;

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);
const canAnswer = (caller: Caller): caller is Caller & Responder =>
  caller.append !== undefined && caller.set !== undefined;

/**
 * The live session of the caller's cookie, announced in the answer's headers. Requests in the background say
 * so in a header; a WebSocket, which has no answer to put a cookie into, does not put off the end either.
 */
export async function openSession(sessions: Sessions, caller: Caller): Promise<Session | null> {
  const secret = readCookie(caller.req, sessionCookie);
  if (!secret) return null;
  const renew = canAnswer(caller) && caller.req.headers['x-ws-session-quiet'] === undefined;
  const session = await sessions.find(secret, { renew });
  if (session && canAnswer(caller)) announceSession(caller, secret, session, renew);
  return session;
}

/** Who the session cookie stands for; null without a live session. Throws 403 for a change that no page of ours asked for. */
export async function authenticateSession(
  sessions: Sessions,
  settings: Pick<Settings, 'get'>,
  caller: Caller,
): Promise<Actor | null> {
  const session = await openSession(sessions, caller);
  if (!session) return null;
  if (!safe.has(caller.req.method ?? 'GET'))
    assertCsrf({ req: caller.req, expected: session.csrf, trustedOrigins: settings.get('CSRF_TRUSTED_ORIGINS') });
  return { ...actorOf(session.user, 'session'), session: { id: session.id, assurance: session.assurance } };
}
