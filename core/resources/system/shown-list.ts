import { type Call, type Field, listParameters, type Reply } from '@tapline/plugin-sdk';
import { badFilter, type FilterTerm, parseFilterKey } from '../../descriptors/read/filter-key.ts';
import { filterBoolean } from '../../descriptors/read/filter-value.ts';
import { envelope, invalidPage, readPage } from '../../descriptors/read/paginate.ts';
import { parseWhole } from '../../descriptors/read/scalar.ts';
import { searchWords } from '../../descriptors/read/search.ts';

type Shown = Record<string, unknown>;

export interface ShownList {
  path: string;
  /** in messages: `Plugin` */
  label: string;
  fields: Record<string, Field>;
  /** names of the fields that `search` looks into */
  search: readonly string[];
}

const texts = new Set<Field['type']>(['string', 'text', 'choice']);
const comparable = new Set<Field['type']>([...texts, 'integer', 'number', 'boolean']);

/** A page of what no table holds, as any list answers it: filters, search, order and pages of its few records. */
export function shownList(
  { path, label, fields, search }: ShownList,
  { query }: Pick<Call, 'query'>,
  all: readonly Shown[],
): Reply {
  const fieldOf = (name: string, doing: string) => {
    const field = Object.hasOwn(fields, name) ? fields[name]! : undefined;
    if (!field) throw badFilter(`${label} has no field named '${name}'.`);
    if (!comparable.has(field.type)) throw badFilter(`${label} cannot be ${doing} by '${name}'.`);
    return field;
  };
  const tests = [...query]
    .filter(([key]) => !listParameters.has(key))
    .map(([key, value]) => testOf(parseFilterKey(key, value), (name) => fieldOf(name, 'filtered')));
  const either = tests.filter(({ or }) => or);
  const words = query.getAll('search').flatMap(searchWords);
  const found = all.filter(
    (one) =>
      tests.every(({ or, holds }) => or || holds(one)) &&
      (!either.length || either.some(({ holds }) => holds(one))) &&
      words.every((word) => search.some((name) => has(one[name], word))) &&
      (!query.has('type') || query.getAll('type').some((type) => type.split(',').includes(String(one.type)))),
  );
  const ordered = inOrder(found, query, (name) => fieldOf(name, 'ordered'));
  const { size, number } = readPage(query);
  const page = number === 'last' ? Math.max(1, Math.ceil(ordered.length / size)) : number;
  const results = ordered.slice((page - 1) * size, page * size);
  if (!results.length && page > 1) throw invalidPage();
  return { status: 200, body: envelope(path, query, { size, number: page }, ordered.length, results) };
}

const lower = (value: unknown) => String(value ?? '').toLowerCase();
const has = (value: unknown, word: string) => lower(value).includes(word.toLowerCase());

interface Test {
  or: boolean;
  holds: (one: Shown) => boolean;
}

function testOf(term: FilterTerm, fieldOf: (name: string) => Field): Test {
  const [name, ...rest] = term.path as [string, ...string[]];
  const field = fieldOf(name);
  if (rest.length) throw badFilter(`${name} is no link, so ${term.key} leads nowhere.`);
  const holds = comparison(term, field);
  return { or: term.or, holds: (one) => holds(one[name] ?? null) !== term.not };
}

type Holds = (value: unknown) => boolean;

function comparison(term: FilterTerm, field: Field): Holds {
  const { key, lookup, value: text } = term;
  const wanted = (part: string) => readValue(key, part, field);
  if (lookup === 'isnull') {
    const empty = filterBoolean(term);
    return (value) => (value === null) === empty;
  }
  if (lookup === 'in') {
    if (!text) throw badFilter(`${key}: the list of values is empty.`);
    const values = text.split(',').map(wanted);
    return (value) => values.includes(value as never);
  }
  if (lookup === 'exact') {
    const one = wanted(text);
    return (value) => value === one;
  }
  if (lookup === 'search') throw badFilter(`${key}: search works behind a relation only.`);
  if (['gt', 'gte', 'lt', 'lte'].includes(lookup)) return inOrderOf(lookup, key, wanted(text));
  if (!texts.has(field.type)) throw badFilter(`${key}: ${lookup} does not work on this kind of field.`);
  return ofTexts(lookup, text);
}

function readValue(key: string, text: string, { type }: Field): string | number | boolean {
  if (type === 'boolean') return filterBoolean({ key, value: text });
  if (texts.has(type)) return text;
  const number = parseWhole(text);
  if (number === undefined) throw badFilter(`${key}: expected a number but got '${text}'.`);
  return Number(number);
}

function inOrderOf(lookup: string, key: string, wanted: string | number | boolean): Holds {
  if (typeof wanted === 'boolean') throw badFilter(`${key}: ${lookup} does not work on this kind of field.`);
  return (value) => {
    if (value === null) return false;
    const [side, equal] = [compare(value, wanted), lookup.endsWith('e')];
    return side === 0 ? equal : lookup.startsWith('g') === side > 0;
  };
}

function ofTexts(lookup: string, text: string): Holds {
  const blind = lookup.startsWith('i');
  const plain = (value: unknown) => (blind ? lower(value) : String(value));
  const part = blind ? text.toLowerCase() : text;
  const how = blind ? lookup.slice(1) : lookup;
  return (value) => {
    if (value === null) return false;
    if (how === 'contains') return plain(value).includes(part);
    if (how === 'startswith') return plain(value).startsWith(part);
    return how === 'endswith' ? plain(value).endsWith(part) : plain(value) === part;
  };
}

const compare = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en');

/** As asked for; else as they come. */
function inOrder(found: Shown[], query: URLSearchParams, fieldOf: (name: string) => Field): Shown[] {
  const keys = [...query.getAll('order_by'), ...query.getAll('order')]
    .flatMap((value) => value.split(','))
    .map((key) => key.trim())
    .filter(Boolean);
  for (const key of keys) fieldOf(key.replace(/^-/, ''));
  return found.toSorted((a, b) => {
    for (const key of keys) {
      const name = key.replace(/^-/, '');
      const side = compare(a[name] ?? '', b[name] ?? '');
      if (side) return key.startsWith('-') ? -side : side;
    }
    return 0;
  });
}
