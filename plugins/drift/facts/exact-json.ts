/** Numbers that JavaScript would write otherwise than they stand: `1.0`, `1e-05`, integers of 16 digits and more. */
const inexact = /(?:^|[:,[])\s*-?(?:\d+\.\d*0|0\.0000\d*|\d{16,}|\d+(?:\.\d+)?[eE])/;

interface RawJson {
  readonly rawJSON: string;
}

/** ECMAScript's, which the types of the language do not have yet. */
const json = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/** A number that `JSON.stringify` writes as the engine's language does. */
export const isRawNumber = json.isRawJSON;

/** As `JSON.parse`, but for numbers, which stay what the engine's language takes them for. */
export function parseExactly(text: string): unknown {
  if (!inexact.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    const written = /[.eE]/.test(source) ? floatText(Number(source)) : source;
    return written === String(value) ? value : json.rawJSON(written);
  });
}

/** Python's `repr` of a float: the shortest digits that mean it, with an exponent below 1e-4 and from 1e16 on. */
export function floatText(value: number): string {
  const [digits = '0', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${digits}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('.') ? text : `${text}.0`;
}
