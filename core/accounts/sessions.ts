import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Settings } from '../settings/settings.ts';
import { csrfTokenOf } from './csrf-token.ts';
import { type UserRow, userColumns } from './user-row.ts';

/** How strongly the user proved who it is. */
export type Assurance = 'password' | 'passkey';

export interface Session {
  id: number;
  user: UserRow;
  assurance: Assurance;
  /** seconds until it ends if nothing more comes */
  timeout: number;
  csrf: string;
}

export interface Sessions {
  /** A new session under a new secret; the oldest ones beyond SESSIONS_PER_USER end. */
  start(
    user: UserRow,
    from: { ip: string; userAgent: string; assurance: Assurance },
  ): Promise<{ secret: string; dropped: number[]; session: Session }>;
  /** The live session of a cookie's value. `renew` puts off its end, which a request in the background must not. */
  find(secret: string, options: { renew: boolean }): Promise<Session | null>;
  /** Resolves to what was ended, or null where nothing was. */
  end(secret: string): Promise<{ id: number; user_id: number } | null>;
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
const isSecret = (text: string) => /^[\w-]{43}$/.test(text);
const forever = 40_000_000_000;

interface Deps {
  db: Knex;
  settings: Pick<Settings, 'get'>;
}

export function createSessions({ db, settings }: Deps): Sessions {
  return {
    start: (user, from) => startSession({ db, settings }, user, from),

    async find(secret, { renew }) {
      if (!isSecret(secret)) return null;
      const { idle, absolute, writeEvery } = limits(settings);
      const row = await db('sessions as s')
        .join('users as u', 'u.id', 's.user_id')
        .select(
          ...userColumns.map((column) => `u.${column}`),
          's.id as session_id',
          's.assurance',
          db.raw('extract(epoch from now() - s.created)::float8 as age'),
          db.raw('extract(epoch from now() - s.last_seen)::float8 as unseen'),
        )
        .where('s.secret_hash', hashOf(secret))
        .whereRaw('s.expires > now() and u.is_active')
        .first();
      if (!row || row.age >= absolute) return null;
      if (renew && row.unseen > writeEvery) await renewSession({ db, settings }, row.session_id);
      const timeout = Math.floor(Math.max(0, Math.min(renew ? idle : idle - row.unseen, absolute - row.age)));
      return { id: row.session_id, user: row, assurance: row.assurance, timeout, csrf: csrfTokenOf(secret) };
    },

    async end(secret) {
      if (!isSecret(secret)) return null;
      const [row] = await db('sessions')
        .where({ secret_hash: hashOf(secret) })
        .delete()
        .returning(['id', 'user_id']);
      return row ?? null;
    },
  };
}

function limits(settings: Deps['settings']) {
  const idle = settings.get('SESSION_COOKIE_AGE');
  // last_seen is written once in this time, so the stored end lies as much later: nobody is put out early
  const writeEvery = Math.min(60, Math.max(1, idle / 30));
  return { idle, absolute: settings.get('SESSION_ABSOLUTE_AGE') || forever, writeEvery };
}

async function startSession({ db, settings }: Deps, user: UserRow, from: Parameters<Sessions['start']>[1]) {
  const { idle, absolute, writeEvery } = limits(settings);
  const secret = randomBytes(32).toString('base64url');
  const { ip, userAgent, assurance } = from;
  return db.transaction(async (trx) => {
    // logins of one user at once count each other
    await trx('users').where({ id: user.id }).select('id').forNoKeyUpdate();
    const [row] = await trx('sessions')
      .insert({
        secret_hash: hashOf(secret),
        user_id: user.id,
        assurance,
        ip,
        user_agent: userAgent.slice(0, 300),
        expires: trx.raw('now() + make_interval(secs => ?)', [Math.min(idle + writeEvery, absolute)]),
      })
      .returning('id');
    const dropped = await dropOldest(trx, user.id, settings.get('SESSIONS_PER_USER'));
    const session: Session = {
      id: row.id,
      user,
      assurance,
      timeout: Math.min(idle, absolute),
      csrf: csrfTokenOf(secret),
    };
    return { secret, dropped, session };
  });
}

/** Requests at once renew it once. */
async function renewSession({ db, settings }: Deps, id: number): Promise<void> {
  const { idle, absolute, writeEvery } = limits(settings);
  const end = 'least(now() + make_interval(secs => ?), created + make_interval(secs => ?))';
  await db('sessions')
    .where({ id })
    .whereRaw('last_seen < now() - make_interval(secs => ?)', [writeEvery])
    .update({ last_seen: db.fn.now(), expires: db.raw(end, [idle + writeEvery, absolute]) });
}

/** What is over goes as well, of everybody: that needs no task of its own. */
async function dropOldest(trx: Knex.Transaction, userId: number, limit: number): Promise<number[]> {
  await trx('sessions')
    .whereRaw(
      'id in (select id from sessions where expires < now() order by expires limit 1000 for update skip locked)',
    )
    .delete();
  if (limit < 0) return [];
  const kept = trx('sessions').select('id').where({ user_id: userId }).orderBy('id', 'desc').limit(Math.max(1, limit));
  const ended = await trx('sessions').where({ user_id: userId }).whereNotIn('id', kept).delete().returning('id');
  return ended.map(({ id }) => id);
}

/** In the transaction that changes a user's password: the caller's own session outlives it, all others of that user end. */
export async function keepOwnSession(trx: Knex, sessionId: number | undefined): Promise<void> {
  if (sessionId !== undefined) await trx.raw(`select set_config('tapline.session', ?, true)`, [String(sessionId)]);
}
