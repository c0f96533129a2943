import { badFilter, lookups } from './filter-key.ts';
import { parseNumber, parseWhole } from './scalar.ts';

const lookupNames: ReadonlySet<string> = new Set([...lookups, 'regex', 'iregex']);

/**
 * `a__b[]__c` and a value as the JSON that a document has to contain: `{"a": {"b": [{"c": value}]}}`.
 * @param pieces what follows the document's name
 */
export function containedJson(pieces: readonly string[], value: string, quoted: boolean): string {
  const path = [...pieces];
  const last = path.at(-1)!;
  if (path.length > 1 && lookupNames.has(last)) {
    if (last !== 'exact') throw badFilter(`${last} does not work on facts: they are compared by = alone.`);
    path.pop();
  }
  if (path.some((piece) => piece.replace(/\[\]$/, '') === '')) throw badFilter('a name of the path is empty.');
  return path.reduceRight(
    (inner, piece) => {
      const list = piece.endsWith('[]');
      return `{${JSON.stringify(list ? piece.slice(0, -2) : piece)}:${list ? `[${inner}]` : inner}}`;
    },
    jsonOf(value, quoted),
  );
}

/** Numbers keep all their digits. */
function jsonOf(value: string, quoted: boolean): string {
  if (!quoted && ['null', 'true', 'false'].includes(value)) return value;
  const whole = quoted || value.includes('.') ? undefined : parseWhole(value);
  if (whole !== undefined) return String(whole);
  return quoted || parseNumber(value) === undefined ? JSON.stringify(value) : JSON.stringify(Number(value));
}
