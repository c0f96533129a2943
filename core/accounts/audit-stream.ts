import type { Knex } from 'knex';
import { type ActivityEntry, activityEntrySql } from '../db/activity-entry.ts';
import { requestContext } from '../db/current-request.ts';
import { safeText } from '../db/safe-text.ts';
import type { AuditEntry } from './audit.ts';

interface Deps {
  db: Knex;
  settings: { get: (key: 'ACTIVITY_STREAM_ENABLED') => unknown };
  /** name of this node */
  node: string;
}

/** How the activity stream, which knows few operations, tells of it; what is not here stands in the audit log alone. */
const told: Partial<Record<AuditEntry['action'], [operation: string, object: string]>> = {
  login: ['create', 'session'],
  logout: ['delete', 'session'],
  sessions_dropped: ['delete', 'session'],
  login_failed: ['create', 'login_failure'],
  login_throttled: ['create', 'login_failure'],
  token_issued: ['create', 'o_auth2_access_token'],
  token_refreshed: ['update', 'o_auth2_access_token'],
  token_revoked: ['delete', 'o_auth2_access_token'],
  token_reused: ['delete', 'o_auth2_access_token'],
};

/** Writes logins, failed ones and tokens of applications into the activity stream and the audit log. Tokens made through the API are there already. */
export function createAuditStream({ db, settings, node }: Deps): (entry: AuditEntry) => Promise<void> {
  const admit = createFailureGate();
  return async (entry) => {
    const [operation, object] = told[entry.action] ?? [];
    const { action, user_id: user, username: name, session_id, token_id, ...more } = entry;
    const leftOut = user === null ? admit(`${entry.ip} ${name}`) : 0;
    if (leftOut === null) return;
    const id = session_id ?? token_id ?? 0;
    const changes = {
      id,
      action,
      ...(user === null ? { username: name } : {}),
      ...more,
      left_out: leftOut || undefined,
    };
    const summary = { id, ...(name === undefined ? {} : { name }) };
    const about = [{ type: object ?? 'session', object_id: id, summary }];
    const document: ActivityEntry = {
      ...requestContext(),
      operation: operation ?? 'create',
      action,
      told: operation !== undefined && settings.get('ACTIVITY_STREAM_ENABLED') !== false,
      ip: entry.ip,
      who: name,
      object: object ?? 'session',
      node,
      user,
      organization: null,
      changes,
      about,
    };
    // a login that failed names whom it concerns, who need not exist
    const subject = 'coalesce(?::bigint, (select id from users where username = ?))';
    await db.raw(activityEntrySql(`select ?::jsonb || jsonb_build_object('subject', ${subject})`), [
      storable(document),
      user,
      clean(name ?? ''),
    ] as Knex.RawBinding[]);
  };
}

// anybody can send these: Postgres refuses NUL, and no half characters belong into a document
const clean = (text: string) => safeText(text, 300);
const storable = (document: object) =>
  JSON.stringify(document, (_, value) => (typeof value === 'string' ? clean(value) : value));

const windowMs = 60_000;
const mostPerWindow = 60;

/**
 * Failed attempts cost their sender nothing, so only the first of each address and name in a minute is written, and no
 * more than some; the log has all of them. Resolves to how many were left out since the last one, null for one more.
 */
export function createFailureGate(now: () => number = Date.now): (who: string) => number | null {
  let began = 0;
  let leftOut = 0;
  let seen = new Set<string>();
  return (who) => {
    if (now() - began >= windowMs) [began, seen] = [now(), new Set()];
    if (seen.has(who) || seen.size >= mostPerWindow) {
      leftOut += 1;
      return null;
    }
    seen.add(who);
    const told = leftOut;
    leftOut = 0;
    return told;
  };
}
