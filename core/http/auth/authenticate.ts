import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Settings } from '../../settings/settings.ts';
import type { Audit } from '../../accounts/audit.ts';
import { shareReads } from '../../db/shared-reads.ts';
import { createBasic } from './basic.ts';
import { createCredentials, type Credentials } from '../../accounts/credentials.ts';
import { createLoginAttempts } from '../../accounts/login-attempts.ts';
import { authenticateSession, type Caller } from './session/authenticate-session.ts';
import { createSessions, type Sessions } from '../../accounts/sessions.ts';
import { canWrite, findToken } from '../../accounts/token.ts';
import { unauthenticated } from '../../accounts/unauthenticated.ts';
import { actorOf } from '../../accounts/user-row.ts';

export interface Auth {
  /** null = no credentials were sent. Throws ApiError 401 for wrong ones, 403 for a session's change without CSRF token, 429 after too many failures. */
  authenticate(caller: Caller): Promise<Actor | null>;
  sessions: Sessions;
  credentials: Credentials;
}

interface Deps {
  db: Knex;
  settings: Pick<Settings, 'get'>;
  audit?: Audit;
}

const header = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)(?: +([^\s]*))? *$/;

export function createAuth({ db, settings, audit = async () => undefined }: Deps): Auth {
  const attempts = createLoginAttempts({ db, limit: () => settings.get('LOGIN_ATTEMPTS_PER_MINUTE') });
  const credentials = createCredentials({ db, attempts, audit });
  const sessions = createSessions({ db, settings });
  const checkBasic = createBasic({ db, credentials });
  const readToken = shareReads((token) => findToken(db, token));

  async function bearer(token: string): Promise<Actor> {
    const found = await readToken(token);
    if (!found) throw unauthenticated();
    return { ...actorOf(found.user, 'token', !canWrite(found.scope)), token_id: found.id };
  }

  /** Bearer, then the session cookie, then Basic: a session sent along with Basic stays subject to CSRF. */
  async function authenticate(caller: Caller): Promise<Actor | null> {
    const text = caller.req.headers.authorization?.trim();
    const [, scheme = '', value = ''] = header.exec(text ?? '') ?? [];
    const kind = scheme.toLowerCase();
    if (kind === 'bearer' || kind === 'token') return bearer(value);
    const actor = await authenticateSession(sessions, settings, caller);
    if (actor || !text) return actor;
    if (kind !== 'basic') throw unauthenticated();
    if (!settings.get('AUTH_BASIC_ENABLED')) return null;
    return actorOf(await checkBasic(value, caller.ip), 'basic');
  }

  return { authenticate, sessions, credentials };
}
