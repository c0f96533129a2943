import { type Call, ValidationError, type WriteContext, forbidden } from '@tapline/plugin-sdk';
import { newToken, tokenHash } from '../http/auth/token.ts';
import type { Settings } from '../settings/settings.ts';

/** The plain text of a token, for the one answer that shows it. */
const issued = new WeakMap<Call, string>();
export const issuedToken = (call: Call) => issued.get(call);

/** `read`, `write` or both, each once. */
function checkScope(scope: string): void {
  const words = scope.split(' ').filter(Boolean);
  const known = words.length > 0 && words.every((word) => word === 'read' || word === 'write') && new Set(words).size === words.length;
  if (!known) throw ValidationError.field('scope', 'Use read, write or both, separated by a space.');
}

/** The end of the year 9999 is as far as clients can read. */
const latest = Date.UTC(9999, 11, 31);

export async function checkToken(settings: Pick<Settings, 'get'>, { call, input, before }: WriteContext): Promise<void> {
  if (input.scope !== undefined) {
    checkScope(input.scope);
    input.scope = input.scope.split(' ').filter(Boolean).join(' ');
  }
  if (before) return;
  input.user_id ??= call.actor?.id;
  if (input.user_id !== call.actor?.id && !call.actor?.is_superuser) throw forbidden('Only a superuser may create a token for another user.');
  if (call.body.application !== undefined && call.body.application !== null && call.body.application !== '') {
    throw ValidationError.field('application', 'Applications are not available yet.');
  }
  const plain = newToken();
  issued.set(call, plain);
  input.token_hash = tokenHash(plain);
  input.expires = new Date(Math.min(Date.now() + settings.get('TOKEN_EXPIRE_SECONDS') * 1000, latest)).toISOString();
}
