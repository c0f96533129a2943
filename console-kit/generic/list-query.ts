import { t } from '../texts/t.ts';
import type { FieldOption } from '../resources/resource.ts';

export const pageSize = 25;
/** In the address, but no filter of the list. */
const own = new Set(['page', 'order_by', 'search', 'tab', 'page_size']);

export interface ListQuery {
  page: number;
  order: string;
  search: string;
  /** `kind=ssh`, as the API takes them */
  filters: readonly (readonly [string, string])[];
}

export function readQuery(query: URLSearchParams, order: string): ListQuery {
  return {
    page: Math.max(1, Math.floor(Number(query.get('page'))) || 1),
    order: query.get('order_by') ?? order,
    search: query.get('search') ?? '',
    filters: [...query].filter(([name]) => !own.has(name)),
  };
}

/** The same place with some of its query changed; null takes a parameter away. Another narrowing starts at page one. */
export function addressWith(path: string, query: URLSearchParams, changes: Record<string, string | null>): string {
  const next = new URLSearchParams(query);
  if (!('page' in changes)) next.delete('page');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text ? `${path}?${text}` : path;
}

export function addressWithout(path: string, query: URLSearchParams, name: string, value: string): string {
  const next = new URLSearchParams(query);
  next.delete('page');
  next.delete(name, value);
  return `${path}?${next}`;
}

/** What the API is asked for. */
export function listPath(api: string, { page, order, search, filters }: ListQuery): string {
  const [path = '', given = ''] = api.split('?');
  const parameters = new URLSearchParams(given);
  for (const [name, value] of filters) parameters.append(name, value);
  if (search) parameters.set('search', search);
  if (order) parameters.set('order_by', order);
  parameters.set('page', String(page));
  parameters.set('page_size', String(pageSize));
  return `${path}?${parameters}`;
}

const lookups: Record<string, string> = {
  icontains: t`contains`,
  gte: t`from`,
  lte: t`until`,
  gt: t`after`,
  lt: t`before`,
  in: t`one of`,
  id: '',
  isnull: t`is empty`,
  not: t`is not`,
};

/** `name__icontains=web` → `Name contains web`, with the words that choices have, and with what records are called. */
export function chipText(name: string, value: string, options: Record<string, FieldOption>, called?: string): string {
  const [field = '', ...rest] = name.replace(/^not__/, '').split('__');
  const option = options[field];
  const label = option?.label ?? field.replaceAll('_', ' ');
  const lookup = [...(name.startsWith('not__') ? ['not'] : []), ...rest]
    .map((part) => lookups[part] ?? part)
    .filter(Boolean)
    .join(' ');
  const shown =
    called ??
    (value === '' ? t`empty` : undefined) ??
    option?.choices?.find(([choice]) => String(choice) === value)?.[1] ??
    (option?.type === 'datetime' ? momentText(value) : undefined) ??
    (value === 'true' ? t`yes` : value === 'false' ? t`no` : value);
  return lookup ? `${label} ${lookup} ${shown}` : `${label}: ${shown}`;
}

/** A moment as the clock here has it, a midnight as the day that it begins; a bare day is the API's and stays as it is. */
function momentText(value: string): string | undefined {
  const moment = new Date(value);
  if (!value.includes('T') || Number.isNaN(moment.getTime())) return undefined;
  const midnight = moment.getHours() + moment.getMinutes() + moment.getSeconds() === 0;
  return midnight ? moment.toLocaleDateString() : moment.toLocaleString();
}

/** How a value typed for a field narrows the list: a day begins at midnight here, which the API would take as that of UTC. */
export function filterOf(field: string, { type }: FieldOption, typed: string): Record<string, string> {
  if (type === 'string') return { [`${field}__icontains`]: typed };
  if (type === 'datetime') return { [`${field}__gte`]: new Date(`${typed}T00:00`).toISOString() };
  return { [field]: typed };
}
