import { timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import type { Context } from 'koa';
import { type Application, findApplication, sha256 } from '../../../accounts/oauth/application.ts';
import { oauthError } from '../../../accounts/oauth/oauth-error.ts';
import { parseBasic } from '../basic.ts';

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

/** Only the texts of a body: a repeated parameter comes as a list and is refused (RFC 6749 §3.2). */
export function parameters(body: Record<string, unknown>): Record<string, string> {
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string')
      throw oauthError('invalid_request', `The parameter ${name.slice(0, 50)} must be given once, as a text.`);
  }
  return body as Record<string, string>;
}
