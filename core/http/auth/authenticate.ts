import type { IncomingMessage } from 'node:http';
import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Settings } from '../../settings/settings.ts';
import { actorOf, createBasic } from './basic.ts';
import { createLoginAttempts } from './login-attempts.ts';
import { canWrite, findToken } from './token.ts';
import { unauthenticated } from './unauthenticated.ts';

/** What is needed of a Koa context; the WebSocket upgrade hands in the same. */
export interface Caller {
  req: Pick<IncomingMessage, 'headers'>;
  ip: string;
}

export interface Auth {
  /** null = no credentials were sent. Throws ApiError 401 for wrong ones, 429 after too many failures. */
  authenticate(caller: Caller): Promise<Actor | null>;
}

const header = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)(?: +([^\s]*))? *$/;

export function createAuth({ db, settings }: { db: Knex; settings: Pick<Settings, 'get'> }): Auth {
  const attempts = createLoginAttempts({ db, limit: settings.get('LOGIN_ATTEMPTS_PER_MINUTE') });
  const basic = createBasic({ db, attempts });

  async function bearer(token: string): Promise<Actor> {
    const found = await findToken(db, token);
    if (!found) throw unauthenticated();
    return actorOf(found.user, 'token', !canWrite(found.scope));
  }

  return {
    async authenticate({ req, ip }) {
      const text = req.headers.authorization?.trim();
      if (!text) return null; // the session cookie comes here
      const [, scheme, value = ''] = header.exec(text) ?? [];
      switch (scheme?.toLowerCase()) {
        case 'bearer':
        case 'token':
          return bearer(value);
        case 'basic':
          if (!settings.get('AUTH_BASIC_ENABLED')) return null;
          return actorOf(await basic(value, ip), 'basic');
        default:
          throw unauthenticated();
      }
    },
  };
}
