import { ApiError } from '@tapline/plugin-sdk';

export const lookups = [
  'exact',
  'iexact',
  'contains',
  'icontains',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'isnull',
  'search',
] as const;
export type Lookup = (typeof lookups)[number];

export interface FilterTerm {
  key: string;
  value: string;
  or: boolean;
  not: boolean;
  chain: boolean;
  /** names between the prefixes and the lookup */
  path: string[];
  lookup: Lookup;
}

export const badFilter = (message: string) => new ApiError(400, message);

/** `or__not__organization__name__icontains` in its parts. */
export function parseFilterKey(key: string, value: string): FilterTerm {
  const parts = key.split('__');
  const term: FilterTerm = { key, value, or: false, not: false, chain: false, path: [], lookup: 'exact' };
  while (parts.length > 1 && (parts[0] === 'or' || parts[0] === 'not' || parts[0] === 'chain'))
    term[parts.shift() as 'or' | 'not' | 'chain'] = true;
  // an old client's cast: it says nothing that the field's type does not
  if (parts.length > 1 && parts.at(-1) === 'int') parts.pop();
  const last = parts.at(-1)!;
  if (last === 'regex' || last === 'iregex') throw badFilter(`Filter ${key}: regular expressions are not supported.`);
  if (parts.length > 1 && (lookups as readonly string[]).includes(last)) term.lookup = parts.pop() as Lookup;
  if (!/^[\x20-\x7e]+$/.test(key) || parts.some((part) => !part))
    throw badFilter(`${JSON.stringify(key)} is not a valid field name to filter by.`);
  term.path = parts;
  return term;
}
