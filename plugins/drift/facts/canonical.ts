import { createHash } from 'node:crypto';
import { isRawNumber } from './exact-json.ts';

type Order = (keys: string[]) => string[];

/**
 * JSON as Python's `json.dumps(value, sort_keys=True)` writes it: keys by code point at every level, `", "` and `": "` between,
 * nothing but ASCII, floats as its `repr`. The hash of facts is over this text.
 */
export function canonicalText(value: unknown, order: Order = byCodePoints): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isRawNumber(value)) return value.rawJSON;
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? canonicalText(item, order) : `, ${canonicalText(item, order)}`;
    return `[${text}]`;
  }
  const source = value as Record<string, unknown>;
  for (const key of order(Object.keys(source)))
    text += `${text === '' ? '' : ', '}${quoted(key)}: ${canonicalText(source[key], order)}`;
  return `{${text}}`;
}

/** The text of each top-level fact, by its key, in the order of the whole. `json`: what the facts were parsed from. */
export function factTexts(facts: Record<string, unknown>, json: string): Map<string, string> {
  const order = beyondFirstPlane.test(json) ? byCodePoints : byUnits;
  return new Map(order(Object.keys(facts)).map((key) => [key, canonicalText(facts[key], order)]));
}

/** The whole of what `factTexts` tells, and its hash. */
export function wholeOf(texts: ReadonlyMap<string, string>): { text: string; hash: string } {
  const text = `{${[...texts].map(([key, value]) => `${quoted(key)}: ${value}`).join(', ')}}`;
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}

const asItIs = /^[ !#-[\]-~]*$/;
const beyondAscii = /[\u007f-\uffff]/g;

function quoted(text: string): string {
  if (asItIs.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const beyondFirstPlane = /[\ud800-\udfff]|\\u[dD][89a-fA-F]/;

/** What was sorted before stays as it is. */
const byUnits: Order = (keys) => {
  for (let at = 1; at < keys.length; at++) if (keys[at - 1]! > keys[at]!) return keys.toSorted();
  return keys;
};

/** JavaScript sorts by UTF-16 units, in which what is beyond the first plane comes before U+E000. */
const byCodePoints: Order = (keys) => keys.toSorted(compareCodePoints);

function compareCodePoints(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = left[at]!.codePointAt(0)! - right[at]!.codePointAt(0)!;
    if (difference) return difference;
  }
  return left.length - right.length;
}
