import type { Knex } from 'knex';
import type { AuditEntry } from './audit.ts';

interface Deps {
  db: Knex;
  settings: { get: (key: 'ACTIVITY_STREAM_ENABLED') => unknown };
  /** name of this node */
  node: string;
}

/** How the activity stream, which knows few operations, tells of it; what is not here stands in the log alone. */
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

/** Writes logins, failed ones and tokens of applications into the activity stream. Tokens made through the API are there already. */
export function createAuditStream({ db, settings, node }: Deps): (entry: AuditEntry) => Promise<void> {
  const admit = createFailureGate();
  return async (entry) => {
    const [operation, object] = told[entry.action] ?? [];
    if (!operation || settings.get('ACTIVITY_STREAM_ENABLED') === false) return;
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
    await db.raw(
      `with entry as (
         insert into activity_stream (operation, actor_id, actor_names, object1, action_node, subject_id, changes)
         select ?, a.id, json_build_object('username', a.username, 'first_name', a.first_name, 'last_name', a.last_name), ?, ?, s.id, ?::jsonb
         from (select 1) as one left join users a on a.id = ? left join users s on s.id = a.id or s.username = ?
         returning id
       )
       insert into activity_objects (activity_id, type, object_id, summary) select id, ?, ?, ?::jsonb from entry`,
      [
        operation,
        object!,
        node,
        storable(changes),
        user,
        user === null ? clean(name ?? '') : '',
        object!,
        id,
        storable({ id, ...(name === undefined ? {} : { name }) }),
      ] as any,
    );
  };
}

// anybody can send these: Postgres refuses NUL, and no half characters belong into a document
const clean = (text: string) => text.replaceAll('\0', '\u{fffd}').toWellFormed().slice(0, 300);
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
