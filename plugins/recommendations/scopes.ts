import { ValidationError } from '@tapline/plugin-sdk';

export const scopes = [
  'dashboard',
  'automation',
  'self_service',
  'tenancy',
  'compliance',
  'resources',
  'access',
] as const;
export type Scope = (typeof scopes)[number];

/** `all` is only a query value: no rule carries it. */
export const queriedScopes = ['all', ...scopes] as const;
export type QueriedScope = (typeof queriedScopes)[number];

/** @throws ValidationError for what is no scope: an empty list would hide a misspelling */
export function readScope(query: URLSearchParams): QueriedScope {
  const given = query.getAll('scope').at(-1) ?? 'all';
  if (!isQueried(given)) throw ValidationError.field('scope', `"${given}" is not a valid choice.`);
  return given;
}

const isQueried = (text: string): text is QueriedScope => (queriedScopes as readonly string[]).includes(text);
