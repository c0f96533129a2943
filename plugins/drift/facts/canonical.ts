import { createHash } from 'node:crypto';
import { isRawNumber } from './exact-json.ts';

/**
 * JSON as Python's `json.dumps(value, sort_keys=True)` writes it: keys by code point at every level, `", "` and `": "` between,
 * nothing but ASCII, floats as its `repr`. The hash of facts is over this text.
 */
export function canonicalText(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isRawNumber(value)) return value.rawJSON;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(', ')}]`;
  const source = value as Record<string, unknown>;
  return `{${sortedKeys(source)
    .map((key) => `${quoted(key)}: ${canonicalText(source[key])}`)
    .join(', ')}}`;
}

/** The text of each top-level fact, by its key, in the order of the whole. */
export const factTexts = (facts: Record<string, unknown>): Map<string, string> =>
  new Map(sortedKeys(facts).map((key) => [key, canonicalText(facts[key])]));

/** The whole of what `factTexts` tells, and its hash. */
export function wholeOf(texts: ReadonlyMap<string, string>): { text: string; hash: string } {
  const text = `{${[...texts].map(([key, value]) => `${quoted(key)}: ${value}`).join(', ')}}`;
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}

const beyondAscii = /[\u007f-\uffff]/;

function quoted(text: string): string {
  const json = JSON.stringify(text);
  if (!beyondAscii.test(json)) return json;
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const surrogate = /[\ud800-\udfff]/;

/** JavaScript sorts by UTF-16 units, in which what is beyond the first plane comes before U+E000. */
function sortedKeys(source: Record<string, unknown>): string[] {
  const keys = Object.keys(source).toSorted();
  return keys.some((key) => surrogate.test(key)) ? keys.toSorted(byCodePoint) : keys;
}

function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = left[at]!.codePointAt(0)! - right[at]!.codePointAt(0)!;
    if (difference) return difference;
  }
  return left.length - right.length;
}
