import { wrong } from './errors.ts';
import { longest } from './operators.ts';
import { str } from './text.ts';
import { type Callable, Tuple, equal, isInt, items, typeName } from './values.ts';

type Method<Self> = (self: Self, args: unknown[], kwargs: Map<string, unknown>) => unknown;

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw wrong(`must be str, not ${typeName(value)}`);
  return value;
};
const escape = (chars: string) => chars.replace(/[\\\]^-]/g, '\\$&');
const set = (chars: unknown) => (chars === undefined || chars === null ? '\\s' : escape(text(chars)));
const trimStart = (self: string, chars?: unknown) => self.replace(new RegExp(`^[${set(chars)}]+`, 'u'), '');
const trimEnd = (self: string, chars?: unknown) => {
  // no regular expression: one anchored at the end is quadratic in runs of blanks
  const stripped = chars === undefined || chars === null ? undefined : new Set(text(chars));
  let end = self.length;
  while (end > 0 && (stripped ? stripped.has(self[end - 1]!) : /\s/.test(self[end - 1]!))) end--;
  return self.slice(0, end);
};

function split(self: string, separator: unknown, most: number): string[] {
  if (separator === undefined || separator === null) {
    const words = self.trim().split(/\s+/).filter(Boolean);
    if (most < 0 || words.length <= most) return words;
    let rest = self.trimStart();
    const parts: string[] = [];
    for (let i = 0; i < most; i++) {
      const word = /^\S+/.exec(rest)![0];
      parts.push(word);
      rest = rest.slice(word.length).trimStart();
    }
    return [...parts, rest];
  }
  if (text(separator) === '') throw wrong('empty separator');
  const parts = self.split(text(separator));
  return most < 0 || parts.length <= most + 1
    ? parts
    : [...parts.slice(0, most), parts.slice(most).join(text(separator))];
}

function rsplit(self: string, separator: unknown, most: number): string[] {
  const parts = split(self, separator, -1);
  if (most < 0 || parts.length <= most + 1) return parts;
  const glue = typeof separator === 'string' ? separator : ' ';
  return [parts.slice(0, -most || undefined).join(glue), ...parts.slice(parts.length - most)];
}

const affix = (given: unknown, has: (part: string) => boolean) =>
  (given instanceof Tuple ? [...given] : [given]).some((part) => has(text(part)));
export const title = (self: string) =>
  self.toLowerCase().replace(/\p{L}+/gu, (word) => word[0]!.toUpperCase() + word.slice(1));
export const capitalize = (self: string) => (self[0] ?? '').toUpperCase() + self.slice(1).toLowerCase();
const every =
  (pattern: RegExp): Method<string> =>
  (self) =>
    pattern.test(self);
const pad = (self: string, width: unknown) => {
  if (!isInt(width) || width > longest) throw wrong('the width must be a number up to 100000');
  return Math.max(0, width - self.length);
};
export function center(self: string, width: unknown, fill = ' '): string {
  const missing = pad(self, width);
  const left = Math.floor(missing / 2) + (missing & Number(width) & 1);
  return fill.repeat(left) + self + fill.repeat(missing - left);
}

export function replace(self: string, from: unknown, to: unknown, most: unknown): string {
  const parts = self.split(text(from));
  const times = isInt(most) && most >= 0 ? Math.min(most, parts.length - 1) : parts.length - 1;
  if (self.length + times * text(to).length > longest * 10) throw wrong('the text would become too long');
  return [parts.slice(0, times + 1).join(text(to)), ...parts.slice(times + 1)].join(text(from));
}

function brace(pattern: string, args: unknown[], kwargs: Map<string, unknown>): string {
  let next = 0;
  return pattern.replace(/\{\{|\}\}|\{(\w*)\}/g, (all, key: string | undefined) => {
    if (key === undefined) return all[0]!;
    const value = key === '' ? args[next++] : /^\d+$/.test(key) ? args[Number(key)] : kwargs.get(key);
    if (value === undefined) throw wrong(`format: there is no value for "{${key}}"`);
    return str(value);
  });
}

const ofText: Record<string, Method<string>> = {
  lower: (self) => self.toLowerCase(),
  upper: (self) => self.toUpperCase(),
  title,
  capitalize,
  swapcase: (self) => [...self].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join(''),
  casefold: (self) => self.toLowerCase(),
  strip: (self, [chars]) => trimEnd(trimStart(self, chars), chars),
  lstrip: (self, [chars]) => trimStart(self, chars),
  rstrip: (self, [chars]) => trimEnd(self, chars),
  split: (self, [by, most = -1], kwargs) =>
    split(self, by ?? kwargs.get('sep'), (kwargs.get('maxsplit') ?? most) as number),
  rsplit: (self, [by, most = -1], kwargs) =>
    rsplit(self, by ?? kwargs.get('sep'), (kwargs.get('maxsplit') ?? most) as number),
  splitlines: (self) =>
    self === '' ? [] : self.replace(/\r\n|\r|\n$/g, (end) => (end === '\n' ? '' : '\n')).split('\n'),
  startswith: (self, [given]) => affix(given, (part) => self.startsWith(part)),
  endswith: (self, [given]) => affix(given, (part) => self.endsWith(part)),
  removeprefix: (self, [part]) => (self.startsWith(text(part)) ? self.slice(text(part).length) : self),
  removesuffix: (self, [part]) => (part && self.endsWith(text(part)) ? self.slice(0, -text(part).length) : self),
  replace: (self, [from, to, most]) => replace(self, from, to, most),
  join: (self, [list]) => items(list).map(text).join(self),
  find: (self, [part]) => self.indexOf(text(part)),
  rfind: (self, [part]) => self.lastIndexOf(text(part)),
  index: (self, [part]) => found(self.indexOf(text(part)), 'substring not found'),
  count: (self, [part]) => (text(part) === '' ? self.length + 1 : self.split(text(part)).length - 1),
  partition: (self, [by]) => cut(self, text(by), self.indexOf(text(by))),
  isdigit: every(/^\p{Nd}+$/u),
  isdecimal: every(/^\p{Nd}+$/u),
  isnumeric: every(/^\p{N}+$/u),
  isalpha: every(/^\p{L}+$/u),
  isalnum: every(/^[\p{L}\p{N}]+$/u),
  isspace: every(/^\s+$/u),
  islower: (self) => self === self.toLowerCase() && self !== self.toUpperCase(),
  isupper: (self) => self === self.toUpperCase() && self !== self.toLowerCase(),
  zfill: (self, [width]) =>
    /^[+-]/.test(self) ? self[0]! + '0'.repeat(pad(self, width)) + self.slice(1) : '0'.repeat(pad(self, width)) + self,
  ljust: (self, [width, fill = ' ']) => self + text(fill).repeat(pad(self, width)),
  rjust: (self, [width, fill = ' ']) => text(fill).repeat(pad(self, width)) + self,
  center: (self, [width, fill = ' ']) => center(self, width, text(fill)),
  format: brace,
};

const cut = (self: string, by: string, at: number) =>
  at < 0 ? Tuple.of(self, '', '') : Tuple.of(self.slice(0, at), by, self.slice(at + by.length));

function found(at: number, message: string): number {
  if (at < 0) throw wrong(message);
  return at;
}

const ofList: Record<string, Method<unknown[]>> = {
  index: (self, [item]) =>
    found(
      self.findIndex((one) => equal(one, item)),
      'the item is not in the list',
    ),
  count: (self, [item]) => self.filter((one) => equal(one, item)).length,
  copy: (self) => [...self],
};

const ofDict: Record<string, Method<Map<unknown, unknown>>> = {
  get: (self, [key, fallback = null]) => (self.has(key) ? self.get(key) : fallback),
  keys: (self) => [...self.keys()],
  values: (self) => [...self.values()],
  items: (self) => [...self].map(([key, value]) => Tuple.of(key, value)),
  copy: (self) => new Map(self),
};

/** Those that change their object: known, and refused. */
const changing = new Set([
  'append',
  'clear',
  'extend',
  'insert',
  'pop',
  'popitem',
  'remove',
  'reverse',
  'setdefault',
  'sort',
  'update',
]);

/** A method of a value, bound to it; undefined where its type has none of that name. */
export function methodOf(value: unknown, name: string): Callable | undefined {
  if (typeof value === 'string') return bound(ofText, value, name);
  if (!(value instanceof Map) && !Array.isArray(value)) return undefined;
  if (changing.has(name)) throw wrong(`${typeName(value)}.${name} is not allowed: values cannot be changed`);
  return value instanceof Map ? bound(ofDict, value, name) : bound(ofList, value, name);
}

function bound<Self>(table: Record<string, Method<Self>>, self: Self, name: string): Callable | undefined {
  const method = Object.hasOwn(table, name) ? table[name] : undefined;
  return method && ((args, kwargs) => method(self, args, kwargs));
}
