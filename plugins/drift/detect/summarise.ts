import { canonicalText } from '../facts/canonical.ts';
import { isRawNumber } from '../facts/exact-json.ts';
import type { Detail } from './detect.ts';
import { plainName } from './classify.ts';

const mostOfValue = 120;
const mostOfName = 100;
const namedPaths = 3;

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed();
const isPlain = (value: unknown) => typeof value !== 'object' || value === null || isRawNumber(value);
const shown = (value: unknown) => cut(typeof value === 'string' ? value : canonicalText(value), mostOfValue);

/** One line for people: "kernel changed from 6.1.0-18 to 6.1.0-21". */
export function summarise(key: string, { before, after, diff_type, paths }: Detail): string {
  const name = cut(plainName(key), mostOfName);
  if (diff_type === 'added') return isPlain(after) ? `${name} added: ${shown(after)}` : `${name} added`;
  if (diff_type === 'removed') return isPlain(before) ? `${name} removed: ${shown(before)}` : `${name} removed`;
  if (isPlain(before) && isPlain(after)) return `${name} changed from ${shown(before)} to ${shown(after)}`;
  const [only] = paths;
  if (paths.length === 1 && only!.op === 'replace' && isPlain(only!.before) && isPlain(only!.value))
    return `${name}${cut(only!.path, mostOfName)} changed from ${shown(only!.before)} to ${shown(only!.value)}`;
  const places = paths.slice(0, namedPaths).map(({ op, path }) => `${words[op]} ${cut(path.slice(1), mostOfName)}`);
  const more = paths.length > namedPaths ? ', …' : '';
  return `${name} changed: ${places.join(', ')}${more}`;
}

const words = { add: 'added', remove: 'removed', replace: 'changed' };
