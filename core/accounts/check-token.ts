import { type Call, ValidationError, type WriteContext, forbidden, type Row } from '@tapline/plugin-sdk';
import { addRefreshToken } from './oauth/issue.ts';
import { newToken, tokenExpiry, tokenHash } from './token.ts';
import type { Settings } from '../settings/settings.ts';

/** The plain text of a token and of what renews it, for the one answer that shows them. */
const issued = new WeakMap<Call, { access: string; refresh?: string }>();
export const issuedTokens = (call: Call) => issued.get(call);

/** `read`, `write` or both, each once. */
function checkScope(scope: string): void {
  const words = scope.split(' ').filter(Boolean);
  const known =
    words.length > 0 &&
    words.every((word) => word === 'read' || word === 'write') &&
    new Set(words).size === words.length;
  if (!known) throw ValidationError.field('scope', 'Use read, write or both, separated by a space.');
}

/** Whoever may change a token need not be who it stands for. */
function assertNotWider(before: string, after: string): void {
  const had = new Set(before.split(' '));
  if (after.split(' ').some((word) => !had.has(word)))
    throw forbidden('Only a superuser may widen the scope of a token: make another one.');
}

type TokenRow = Row & { scope: string };

export async function checkToken(
  settings: Pick<Settings, 'get'>,
  { call, input, before }: WriteContext<TokenRow>,
): Promise<void> {
  if (input.scope !== undefined) {
    checkScope(input.scope);
    input.scope = input.scope.split(' ').filter(Boolean).join(' ');
    if (before && !call.actor?.is_superuser) assertNotWider(before.scope, input.scope);
  }
  if (before) return;
  input.user_id ??= call.actor?.id;
  if (input.user_id !== call.actor?.id && !call.actor?.is_superuser)
    throw forbidden('Only a superuser may create a token for another user.');
  const access = newToken();
  issued.set(call, { access });
  input.token_hash = tokenHash(access);
  input.expires = tokenExpiry(settings);
}

export async function storeRefreshToken(
  settings: Pick<Settings, 'get'>,
  { trx, call }: WriteContext,
  row: { id: number; application_id: number | null },
): Promise<void> {
  const tokens = issued.get(call);
  if (tokens && row.application_id !== null) tokens.refresh = await addRefreshToken(trx, settings, row.id);
}
