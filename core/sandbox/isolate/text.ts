import { Float, Tuple, Undefined, isFloat } from './values.ts';

/** `str(value)` */
export function str(value: unknown): string {
  return typeof value === 'string' ? value : repr(value);
}

/** `repr(value)` */
export function repr(value: unknown): string {
  if (value instanceof Undefined) value.fail();
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Float || typeof value === 'number') return number(value);
  if (value instanceof Tuple)
    return value.length === 1 ? `(${repr(value[0])},)` : `(${Array.from(value, repr).join(', ')})`;
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (value instanceof Map) return `{${[...value].map(([key, item]) => `${repr(key)}: ${repr(item)}`).join(', ')}}`;
  return '<function>';
}

function number(value: number | Float): string {
  const n = value instanceof Float ? value.n : value;
  if (!isFloat(value)) return Math.abs(n) < 1e21 ? String(n) : BigInt(n).toString();
  if (!Number.isFinite(n)) return Number.isNaN(n) ? 'nan' : n > 0 ? 'inf' : '-inf';
  const size = Math.abs(n);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) return n.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return Number.isInteger(n) ? `${Object.is(n, -0) ? '-0' : n}.0` : String(n);
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(
    /[\\\n\r\t]|[\u0000-\u001f\u007f]/g,
    (c) => escapes[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return quote + (quote === "'" ? inner.replaceAll("'", "\\'") : inner) + quote;
}
