import { safeJson } from '../../db/safe-text.ts';
import { isRawNumber } from './exact-json.ts';

/** Whether JSON text nests deeper than so many levels. Linear, and no deeper on the stack itself. */
export function nestsDeeper(json: string, most: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (quoted) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** One text per value whatever the order of keys, so that equal documents have equal hashes. */
export function canonicalJson(value: unknown): string {
  return safeJson(sortKeys(value));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const source = value as Record<string, unknown>;
  // fromEntries defines keys, so that "__proto__" stays an ordinary one
  return Object.fromEntries(
    Object.keys(source)
      .toSorted()
      .map((key) => [key, sortKeys(source[key])]),
  );
}
