import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Audit, AuditEntry } from './audit.ts';
import type { createLoginAttempts } from './login-attempts.ts';
import { verifyPassword } from './password.ts';
import { unauthenticated } from './unauthenticated.ts';
import { type UserRow, userColumns } from './user-row.ts';

interface Deps {
  db: Knex;
  attempts: ReturnType<typeof createLoginAttempts>;
  audit: Audit;
}

export type Attempt = Pick<AuditEntry, 'ip' | 'via' | 'user_agent'>;

export interface Credentials {
  /** The active user behind a name and password. Throws ApiError 401 when they are wrong, 429 after too many failures. */
  check(username: string, password: string, attempt: Attempt): Promise<UserRow>;
}

const longestName = 150;
const refusals: Readonly<Record<number, AuditEntry['action']>> = { 401: 'login_failed', 429: 'login_throttled' };

/** The one place where passwords are judged: Basic, the login form and the password grant count and wait together. */
export function createCredentials({ db, attempts, audit }: Deps): Credentials {
  async function verify(username: string, password: string, ip: string): Promise<UserRow> {
    const fields = await attempts.take(ip, username);
    // Postgres refuses NUL and half characters in a text, and no user name holds them
    const storable = !username.includes('\0') && username.isWellFormed();
    const user: UserRow | undefined = storable
      ? await db('users').select(userColumns).where({ username }).first()
      : undefined;
    const fits = await verifyPassword(user?.password, password);
    if (!user || !fits || !user.is_active) throw unauthenticated(fields);
    await attempts.giveBack(ip, username);
    return user;
  }

  return {
    async check(username, password, attempt) {
      try {
        const user = await verify(username, password, attempt.ip);
        await db('users')
          .where({ id: user.id })
          .whereRaw(`(last_login is null or last_login < now() - interval '1 minute')`)
          .update({ last_login: db.fn.now() });
        return user;
      } catch (error) {
        const action = error instanceof ApiError && refusals[error.status];
        if (action) await audit({ action, user_id: null, username: username.slice(0, longestName), ...attempt });
        throw error;
      }
    },
  };
}
