import { wrong } from './errors.ts';
import { str } from './text.ts';
import { Float, Tuple, Undefined, float, isFloat, isInt, numeric, typeName } from './values.ts';

/** Longest text or list that `*` and `range` make: an expression is no way to fill the memory. */
export const longest = 100_000;

const unsupported = (operator: string, a: unknown, b: unknown) =>
  wrong(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);

function operands(operator: string, a: unknown, b: unknown): [number, number] {
  for (const value of [a, b]) if (value instanceof Undefined) value.fail();
  const [x, y] = [numeric(a), numeric(b)];
  if (x === undefined || y === undefined) throw unsupported(operator, a, b);
  return [x, y];
}

const sameKind = (a: unknown, b: unknown, result: number) => (isFloat(a) || isFloat(b) ? float(result) : result);

export function add(a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (Array.isArray(a) && Array.isArray(b) && typeName(a) === typeName(b))
    return a instanceof Tuple ? Tuple.of(...a, ...b) : [...a, ...b];
  const [x, y] = operands('+', a, b);
  return sameKind(a, b, x + y);
}

export function subtract(a: unknown, b: unknown): unknown {
  const [x, y] = operands('-', a, b);
  return sameKind(a, b, x - y);
}

export function multiply(a: unknown, b: unknown): unknown {
  if (isInt(a) && (typeof b === 'string' || Array.isArray(b))) return multiply(b, a);
  if ((typeof a === 'string' || Array.isArray(a)) && isInt(b)) {
    const times = Math.max(0, b);
    if (a.length * times > longest) throw wrong(`a text or list of more than ${longest} items is not made`);
    if (typeof a === 'string') return a.repeat(times);
    const items = Array.from({ length: times }, () => [...a]).flat();
    return a instanceof Tuple ? Tuple.of(...items) : items;
  }
  const [x, y] = operands('*', a, b);
  return sameKind(a, b, x * y);
}

function divisor(operator: string, a: unknown, b: unknown): [number, number] {
  const [x, y] = operands(operator, a, b);
  if (y === 0) throw wrong('division by zero');
  return [x, y];
}

export function divide(a: unknown, b: unknown): unknown {
  const [x, y] = divisor('/', a, b);
  return float(x / y);
}

export function floorDivide(a: unknown, b: unknown): unknown {
  const [x, y] = divisor('//', a, b);
  return sameKind(a, b, Math.floor(x / y));
}

/** The result has the divisor's sign; a text on the left is a format. */
export function modulo(a: unknown, b: unknown): unknown {
  if (typeof a === 'string') return format(a, b instanceof Tuple ? [...b] : [b], b);
  const [x, y] = divisor('%', a, b);
  return sameKind(a, b, x - y * Math.floor(x / y));
}

export function power(a: unknown, b: unknown): unknown {
  const [x, y] = operands('**', a, b);
  const result = x ** y;
  if (!Number.isFinite(result)) throw wrong('the result of ** is too large');
  return isFloat(a) || isFloat(b) || y < 0 ? float(result) : result;
}

export function negate(a: unknown): unknown {
  if (a instanceof Undefined) a.fail();
  const n = numeric(a);
  if (n === undefined) throw wrong(`bad operand type for unary -: '${typeName(a)}'`);
  return a instanceof Float ? new Float(-n) : n === 0 ? 0 : -n;
}

/** printf-style: `%s %d %f %x %%`, widths, precisions and `%(name)s`. */
export function format(pattern: string, values: unknown[], named?: unknown): string {
  let next = 0;
  const directive = /%(?:\((\w+)\))?([-0+ ]*)(\d*)(?:\.(\d+))?([sdifrxoX%])/g;
  const text = pattern.replace(directive, (_all, name, flags: string, width, precision, kind: string) => {
    if (kind === '%') return '%';
    if (!name && next >= values.length) throw wrong('not enough arguments for format string');
    const value = name ? (named instanceof Map ? named.get(name) : undefined) : values[next++];
    const shown = directiveText(kind, value, precision);
    const wanted = Math.min(Number(width || 0), 1000);
    if (flags.includes('-')) return shown.padEnd(wanted);
    const signed = flags.includes('+') && !shown.startsWith('-') && kind !== 's' ? `+${shown}` : shown;
    return signed.padStart(wanted, flags.includes('0') && kind !== 's' ? '0' : ' ');
  });
  if (next < values.length && !(named instanceof Map))
    throw wrong('not all arguments converted during string formatting');
  return text;
}

function directiveText(kind: string, value: unknown, precision?: string): string {
  if (kind === 's' || kind === 'r') return precision ? str(value).slice(0, Number(precision)) : str(value);
  const n = numeric(value);
  if (n === undefined) throw wrong(`%${kind} format: a real number is required, not ${typeName(value)}`);
  if (kind === 'f') return n.toFixed(Math.min(100, Number(precision ?? 6)));
  const whole = Math.trunc(n);
  if (kind === 'x') return whole.toString(16);
  if (kind === 'X') return whole.toString(16).toUpperCase();
  return kind === 'o' ? whole.toString(8) : String(whole);
}
