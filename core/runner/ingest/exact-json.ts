/** What the engine's language tells apart and JavaScript does not: `1.0` is no `1`, and integers have as many digits as they have. */
const inexact = /[:,[]\s*-?(?:\d{16,}|\d+(?:\.\d*0|(?:\.\d+)?[eE][+-]?\d+))\s*[,\]}]/;
const mostDigits = 1000;

interface RawJson {
  readonly rawJSON: string;
}

/** ECMAScript's, which the types of the language do not have yet. */
const json = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): RawJson;
};

/** A number that stays as it was written: `JSON.stringify` writes its text. */
export const isRawNumber = (JSON as unknown as { isRawJSON(value: unknown): value is RawJson }).isRawJSON;

/** `JSON.parse` whose numbers stay what they were, so that jsonb keeps them: it has the digits, but no exponents. */
export function parseExactly(text: string): unknown {
  if (!inexact.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
    const digits = withoutExponent(value, source);
    return digits === null || digits.length > mostDigits ? value : json.rawJSON(digits);
  });
}

function withoutExponent(value: number, source: string): string | null {
  if (!/[eE]/.test(source)) return source;
  if (!Number.isFinite(value)) return null;
  if (Number.isInteger(value)) return `${BigInt(value)}.0`;
  return source;
}
