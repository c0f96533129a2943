import { isText } from './scalars.ts';
import { exactDigits } from './variables.ts';

/** One variable of a file that the engine reads. An inert one holds no expressions, whatever its texts look like. */
export const variableEntry = (name: string, value: unknown, inert: boolean): string =>
  `? ${quote(name)}\n: ${render(value, inert)}`;

/** JSON but for `!unsafe` before the texts that must stay text, which makes it YAML. */
export const variablesFile = (entries: readonly string[]): string => `{\n${entries.join(',\n')}\n}\n`;

function render(value: unknown, inert: boolean): string {
  // of what would not be a text without its quotes, the tag makes a number; nothing of that can be an expression
  if (typeof value === 'string') return `${inert && isText(value) ? '!unsafe ' : ''}${quote(value)}`;
  const digits = exactDigits(value) ?? (typeof value === 'number' ? JSON.stringify(value) : undefined);
  if (digits !== undefined) return number(digits);
  if (Array.isArray(value)) return `[${value.map((item) => render(item, inert)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, item]) => `? ${quote(name)} : ${render(item, inert)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** YAML 1.1 takes `1e21` for a text: its exponent needs a point and a sign. */
const number = (digits: string) => digits.replace(/^(-?\d+)e/i, '$1.0e').replace(/e(\d)/i, 'e+$1');

/**
 * JSON's escapes are YAML's, but for halves of surrogate pairs; some characters that JSON leaves alone are
 * line breaks or forbidden in YAML.
 */
const quote = (text: string) =>
  JSON.stringify(text.toWellFormed()).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
