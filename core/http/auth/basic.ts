import type { Knex } from 'knex';
import { runPrepared } from '../../db/prepared.ts';
import { shareReads } from '../../db/shared-reads.ts';
import type { Credentials } from '../../accounts/credentials.ts';
import { unauthenticated } from '../../accounts/unauthenticated.ts';
import { type UserRow, userColumns } from '../../accounts/user-row.ts';
import { createVerifiedPairs } from '../../accounts/verified-pairs.ts';

/** The name and password of a Basic header's value; null when it is none. */
export function parseBasic(value: string): { username: string; password: string } | null {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return null;
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  // Postgres refuses NUL in a text, and no user name holds one
  if (colon < 1 || text.includes('\0')) return null;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

const userById = { name: 'user_by_id', text: `select ${userColumns.join(', ')} from users where id = $1` };

interface Deps {
  db: Knex;
  credentials: Credentials;
}

/** Checks a user name and password: `(value of the header, client address) → user row`, or a 401 or 429. */
export function createBasic({ db, credentials }: Deps) {
  const pairs = createVerifiedPairs();
  const running = new Map<string, Promise<UserRow>>();
  const readUser = shareReads((id) => runPrepared<UserRow>(db, userById, [id]));

  async function verify(username: string, password: string, ip: string, key: string): Promise<UserRow> {
    const user = await credentials.check(username, password, { ip, via: 'basic' });
    pairs.set(key, user);
    return user;
  }

  return async (value: string, ip: string): Promise<UserRow> => {
    const pair = parseBasic(value);
    if (!pair) throw unauthenticated();
    const key = pairs.keyOf(pair.username, pair.password);
    const known = pairs.get(key);
    if (known) {
      const [user] = await readUser(String(known.user.id));
      if (user?.is_active && user.username === pair.username && user.password === known.user.password)
        return (known.user = user);
      pairs.delete(key);
    }
    // a client that opens ten connections at once pays for one check, and takes one attempt
    const shared = `${key} ${ip}`;
    let pending = running.get(shared);
    if (!pending) {
      pending = verify(pair.username, pair.password, ip, key).finally(() => running.delete(shared));
      running.set(shared, pending);
    }
    return pending;
  };
}
