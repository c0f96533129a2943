import { wrong } from './errors.ts';
import { lookup } from './lookup.ts';
import { capitalize, center, replace, title } from './methods.ts';
import { add, format } from './operators.ts';
import { testNamed } from './tests.ts';
import { str } from './text.ts';
import {
  Float,
  Tuple,
  Undefined,
  equal,
  float,
  isFloat,
  isInt,
  items,
  numeric,
  order,
  size,
  toJson,
  truthy,
  typeName,
} from './values.ts';

type Named = Map<string, unknown>;
type Filter = (value: unknown, args: unknown[], named: Named) => unknown;

/** `a.b.0` of each item. */
const attribute = (path: unknown) => (item: unknown) =>
  String(path)
    .split('.')
    .reduce<unknown>((found, part) => lookup(found, /^\d+$/.test(part) ? Number(part) : part, 'item'), item);
const lowered = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);
const keyOf = (named: Named) => {
  const path = named.get('attribute');
  const pick = path === undefined || path === null ? (item: unknown) => item : attribute(path);
  return truthy(named.get('case_sensitive') ?? false) ? pick : (item: unknown) => lowered(pick(item));
};
/** Equal items keep their order in both directions. */
const sorted = <Item>(list: Item[], key: (item: Item) => unknown, reverse = false) =>
  list.toSorted((a, b) => (reverse ? order(key(b), key(a)) : order(key(a), key(b))));
const escaped: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };

function chosen(
  value: unknown,
  [test, ...args]: unknown[],
  wanted: boolean,
  by: (item: unknown) => unknown = (item) => item,
) {
  const holds = test === undefined ? truthy : (item: unknown) => testNamed(String(test))(item, ...args);
  return items(value).filter((item) => holds(by(item)) === wanted);
}

function mapped(value: unknown, [name, ...args]: unknown[], named: Named): unknown[] {
  const path = named.get('attribute');
  if (path === undefined) return items(value).map((item) => filterNamed(String(name))(item, args, named));
  const pick = attribute(path);
  return items(value).map((item) => {
    const found = pick(item);
    return found instanceof Undefined && named.has('default') ? named.get('default') : found;
  });
}

function unique(value: unknown, key: (item: unknown) => unknown): unknown[] {
  const seen: unknown[] = [];
  return items(value).filter((item) => {
    const own = key(item);
    if (seen.some((one) => equal(one, own))) return false;
    seen.push(own);
    return true;
  });
}

function extreme(value: unknown, named: Named, sign: 1 | -1): unknown {
  const key = keyOf(named);
  const list = items(value);
  if (!list.length) return new Undefined('No aggregated item, sequence was empty.');
  return list.reduce((best, item) => (order(key(item), key(best)) * sign > 0 ? item : best));
}

/** Half to even, as Python rounds. */
function round(value: unknown, digits: number, method: unknown): unknown {
  const n = numeric(value);
  if (n === undefined) throw wrong(`type ${typeName(value)} doesn't define __round__ method`);
  const shift = 10 ** digits;
  if (isInt(value) && method === 'common' && digits >= 0) return value;
  if (method === 'ceil' || method === 'floor') return float(Math[method](n * shift) / shift);
  if (method !== 'common') throw wrong('method must be common, ceil or floor');
  const exact = n * shift;
  const low = Math.floor(exact);
  const near = exact - low === 0.5 ? low + (low % 2 === 0 ? 0 : 1) : Math.round(exact);
  return digits > 0 && exact - low !== 0.5 ? float(Number(n.toFixed(digits))) : float(near / shift);
}

function integer(value: unknown, fallback: unknown, base: unknown): unknown {
  const n = numeric(value);
  if (n !== undefined) return Number.isFinite(n) ? Math.trunc(n) : fallback;
  if (typeof value !== 'string') return fallback;
  const digits = value.trim().replace(/^([+-]?)0[xob]/i, '$1');
  if (base === 10)
    return /^[+-]?\d+$/.test(value.trim())
      ? Number(value)
      : /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value.trim())
        ? Math.trunc(Number(value))
        : fallback;
  const parsed = Number.parseInt(digits, Number(base));
  return Number.isNaN(parsed) ? fallback : parsed;
}

const decimal = (value: unknown, fallback: unknown) => {
  const n = numeric(value) ?? (typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN);
  return Number.isNaN(n) ? fallback : float(n);
};

function truncate(text: string, length: number, whole: boolean, end: string, leeway: number): string {
  if (text.length <= length + leeway) return text;
  const cut = text.slice(0, length - end.length);
  if (whole) return cut + end;
  const space = cut.lastIndexOf(' ');
  return (space < 0 ? cut : cut.slice(0, space)) + end;
}

function grouped(value: unknown, path: unknown, fallback: unknown): unknown[] {
  const by = (item: unknown) => {
    const found = attribute(path)(item);
    return found instanceof Undefined && fallback !== undefined ? fallback : found;
  };
  const groups: [unknown, unknown[]][] = [];
  for (const item of sorted(items(value), (one) => lowered(by(one)))) {
    const last = groups.at(-1);
    if (last && equal(lowered(last[0]), lowered(by(item)))) last[1].push(item);
    else groups.push([by(item), [item]]);
  }
  return groups.map(([grouper, list]) => Tuple.of(grouper, list));
}

function batch(value: unknown, count: unknown, fill: unknown): unknown[][] {
  if (!isInt(count) || count < 1) throw wrong('the size of a batch must be a positive number');
  const list = items(value);
  const batches = Array.from({ length: Math.ceil(list.length / count) }, (_, i) =>
    list.slice(i * count, (i + 1) * count),
  );
  const last = batches.at(-1);
  if (fill !== undefined && fill !== null && last) while (last.length < count) last.push(fill);
  return batches;
}

/** Python's `json.dumps` with sorted keys, safe inside HTML. */
function json(value: unknown, indent: unknown): string {
  const ordered = (one: unknown): unknown =>
    Array.isArray(one)
      ? one.map(ordered)
      : typeof one === 'object' && one !== null
        ? Object.fromEntries(
            Object.keys(one)
              .toSorted()
              .map((key) => [key, ordered((one as Record<string, unknown>)[key])]),
          )
        : one;
  const plain = JSON.stringify(ordered(toJson(value)), null, (indent ?? 1) as string | number);
  const text = indent
    ? plain
    : plain
        .replace(/\n\s*/g, ' ')
        .replace(/([[{]) /g, '$1')
        .replace(/ ([\]}])/g, '$1');
  return text.replace(/[<>&']/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
}

const escapeHtml = (value: unknown) => str(value).replace(/[&<>"']/g, (c) => escaped[c]!);
const indent = (text: string, width: unknown, first: boolean, blank: boolean) => {
  const by = isInt(width) ? ' '.repeat(Math.min(width, 1000)) : str(width);
  return text
    .split('\n')
    .map((line, i) => ((i === 0 && !first) || (line === '' && !blank) ? line : by + line))
    .join('\n');
};

const filters: Record<string, Filter> = {
  abs: (value) => (isFloat(value) ? float(Math.abs(numeric(value)!)) : Math.abs(numeric(value) ?? Number.NaN)),
  batch: (value, [count, fill], named) => batch(value, count, fill ?? named.get('fill_with')),
  capitalize: (value) => capitalize(str(value)),
  center: (value, [width = 80]) => center(str(value), width),
  default: (value, [fallback = '', also = false], named) =>
    value instanceof Undefined || (truthy(named.get('boolean') ?? also) && !truthy(value)) ? fallback : value,
  dictsort: (value, [, by = 'key'], named) =>
    sorted(
      [...(value as Map<unknown, unknown>)].map(([key, item]) => Tuple.of(key, item)),
      (pair) => lowered(pair[(named.get('by') ?? by) === 'value' ? 1 : 0]),
      truthy(named.get('reverse') ?? false),
    ),
  escape: escapeHtml,
  first: (value) => items(value)[0] ?? new Undefined('No first item, sequence was empty.'),
  float: (value, [fallback = new Float(0)], named) => decimal(value, named.get('default') ?? fallback),
  format: (value, args, named) => format(str(value), args, named.size ? named : undefined),
  groupby: (value, [path], named) => grouped(value, path ?? named.get('attribute'), named.get('default')),
  indent: (value, [width = 4, first = false, blank = false], named) =>
    indent(
      str(value),
      named.get('width') ?? width,
      truthy(named.get('first') ?? first),
      truthy(named.get('blank') ?? blank),
    ),
  int: (value, [fallback = 0, base = 10], named) =>
    integer(value, named.get('default') ?? fallback, named.get('base') ?? base),
  items: (value) =>
    value instanceof Undefined ? [] : [...(value as Map<unknown, unknown>)].map(([key, item]) => Tuple.of(key, item)),
  join: (value, [by = ''], named) =>
    items(value)
      .map((item) => str(named.has('attribute') ? attribute(named.get('attribute'))(item) : item))
      .join(str(named.get('d') ?? by)),
  last: (value) => items(value).at(-1) ?? new Undefined('No last item, sequence was empty.'),
  length: (value) => size(value),
  list: (value) => [...items(value)],
  lower: (value) => str(value).toLowerCase(),
  map: mapped,
  max: (value, _args, named) => extreme(value, named, 1),
  min: (value, _args, named) => extreme(value, named, -1),
  reject: (value, args) => chosen(value, args, false),
  rejectattr: (value, [path, ...args]) => chosen(value, args, false, attribute(path)),
  replace: (value, [from, to, most]) => replace(str(value), str(from), str(to), most),
  reverse: (value) => (typeof value === 'string' ? [...value].toReversed().join('') : items(value).toReversed()),
  round: (value, [digits = 0, method = 'common'], named) =>
    round(value, Number(named.get('precision') ?? digits), named.get('method') ?? method),
  safe: (value) => value,
  select: (value, args) => chosen(value, args, true),
  selectattr: (value, [path, ...args]) => chosen(value, args, true, attribute(path)),
  sort: (value, [reverse = false], named) =>
    sorted(items(value), keyOf(named), truthy(named.get('reverse') ?? reverse)),
  string: (value) => str(value),
  sum: (value, [path, start = 0], named) => {
    const by = named.get('attribute') ?? path;
    return items(value)
      .map((item) => (by === undefined ? item : attribute(by)(item)))
      .reduce(add, named.get('start') ?? start);
  },
  title: (value) => title(str(value)),
  tojson: (value, [width], named) => json(value, named.get('indent') ?? width),
  trim: (value) => str(value).trim(),
  truncate: (value, [length = 255, whole = false, end = '...', leeway = 5], named) =>
    truncate(
      str(value),
      (named.get('length') ?? length) as number,
      truthy(named.get('killwords') ?? whole),
      (named.get('end') ?? end) as string,
      (named.get('leeway') ?? leeway) as number,
    ),
  unique: (value, _args, named) => unique(value, keyOf(named)),
  upper: (value) => str(value).toUpperCase(),
  urlencode: (value) => encodeURIComponent(str(value)).replaceAll('%2F', '/'),
  wordcount: (value) => (str(value).match(/\w+/g) ?? []).length,
};
const aliases: Record<string, string> = { count: 'length', d: 'default', e: 'escape' };
/** Those that may be given a name without a value. */
const lenient = new Set(['default', 'items']);

export function filterNamed(name: string): Filter {
  const known = Object.hasOwn(aliases, name) ? aliases[name]! : name;
  if (!Object.hasOwn(filters, known)) throw wrong(`No filter named '${name}'.`);
  const filter = filters[known]!;
  if (lenient.has(known)) return filter;
  return (value, args, named) => {
    if (value instanceof Undefined) value.fail();
    return filter(value, args, named);
  };
}
