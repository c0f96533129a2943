import { createHash, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import type { Context } from 'koa';
import { parseBasic } from '../basic.ts';
import { oauthError } from './oauth-error.ts';

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

/** The client of a token request: by Basic or in the body; a confidential one proves itself by its secret. */
export async function authenticateClient(db: Knex, ctx: Context, body: Record<string, string>): Promise<Application> {
  const { id, secret } = clientCredentials(ctx, body);
  const application = await findApplication(db, id);
  if (!application) throw oauthError('invalid_client', 'The client is unknown.');
  const { client_type: type, client_secret_hash: hash } = application;
  if (type === 'confidential' && !(hash && timingSafeEqual(hash, sha256(secret))))
    throw oauthError('invalid_client', 'The client secret is missing or wrong.');
  return application;
}

function clientCredentials(ctx: Context, body: Record<string, string>): { id: string; secret: string } {
  const [, value] = /^basic +(\S+)$/i.exec(ctx.get('Authorization').trim()) ?? [];
  if (value === undefined) return { id: body.client_id ?? '', secret: body.client_secret ?? '' };
  const pair = parseBasic(value);
  if (!pair) throw oauthError('invalid_client', 'The Authorization header is malformed.');
  // RFC 6749 §2.3.1 wants both parts form-encoded; ours hold nothing that encoding changes
  return { id: pair.username, secret: pair.password };
}

/** The scope asked for, in our form: `read`, `write` or both; undefined when it is something else. */
export function parseScope(text: string | undefined, fallback = 'write'): string | undefined {
  const words = (text ?? '').split(' ').filter(Boolean);
  if (!words.length) return fallback;
  const known = words.every((word) => word === 'read' || word === 'write') && new Set(words).size === words.length;
  return known ? words.join(' ') : undefined;
}

/** Only the texts of a body: a repeated parameter comes as a list and is refused (RFC 6749 §3.2). */
export function parameters(body: Record<string, unknown>): Record<string, string> {
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string')
      throw oauthError('invalid_request', `The parameter ${name.slice(0, 50)} must be given once, as a text.`);
  }
  return body as Record<string, string>;
}
