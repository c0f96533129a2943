import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

export interface Application {
  id: number;
  name: string;
  client_id: string;
  client_secret_hash: Buffer | null;
  client_type: 'confidential' | 'public';
  redirect_uris: string;
  authorization_grant_type: 'authorization-code' | 'password';
  skip_authorization: boolean;
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest();

export async function findApplication(db: Knex, clientId: string): Promise<Application | undefined> {
  if (!/^[\w-]{1,100}$/.test(clientId)) return undefined;
  return db('applications')
    .where({ client_id: clientId })
    .first(
      'id',
      'name',
      'client_id',
      'client_secret_hash',
      'client_type',
      'redirect_uris',
      'authorization_grant_type',
      'skip_authorization',
    );
}

/** The scope asked for, in our form: `read`, `write` or both; undefined when it is something else. */
export function parseScope(text: string | undefined, fallback = 'write'): string | undefined {
  const words = (text ?? '').split(' ').filter(Boolean);
  if (!words.length) return fallback;
  const known = words.every((word) => word === 'read' || word === 'write') && new Set(words).size === words.length;
  return known ? words.join(' ') : undefined;
}
