import { wrong } from './errors.ts';
import { methodOf } from './methods.ts';
import { Tuple, Undefined, isInt, numeric, typeName } from './values.ts';

/**
 * `value.key` (attribute first) and `value[key]` (item first). Values have no attributes but the methods of their
 * type: nothing else is reachable.
 */
export function lookup(value: unknown, key: unknown, first: 'attribute' | 'item'): unknown {
  if (value instanceof Undefined) value.fail();
  if (key instanceof Undefined) key.fail();
  const method = () => (typeof key === 'string' ? methodOf(value, key) : undefined);
  const found = first === 'attribute' ? (method() ?? item(value, key)) : (item(value, key) ?? method());
  if (found !== undefined) return found;
  return new Undefined(
    typeof key === 'string'
      ? `'${typeName(value)} object' has no attribute '${key}'`
      : `${typeName(value)} object has no element ${String(numeric(key) ?? key)}`,
  );
}

function item(value: unknown, key: unknown): unknown {
  if (value instanceof Map) return value.get(typeof key === 'boolean' ? Number(key) : key);
  if (!isInt(key)) return undefined;
  if (Array.isArray(value)) return value.at(key);
  return typeof value === 'string' ? [...value].at(key) : undefined;
}

/** `value[start:stop:step]` */
export function slice(value: unknown, start: unknown, stop: unknown, step: unknown): unknown {
  if (value instanceof Undefined) value.fail();
  if (typeof value !== 'string' && !Array.isArray(value))
    throw wrong(`'${typeName(value)}' object is not subscriptable by a slice`);
  const by = step === null ? 1 : numeric(step)!;
  if (!Number.isInteger(by) || by === 0) throw wrong('slice step cannot be zero');
  const list: unknown[] = typeof value === 'string' ? [...value] : value;
  const bound = (given: unknown, otherwise: number) => {
    if (given === null) return otherwise;
    const n = numeric(given);
    if (n === undefined) throw wrong('slice indices must be integers or None');
    const at = n < 0 ? n + list.length : n;
    return by > 0 ? Math.min(Math.max(at, 0), list.length) : Math.min(Math.max(at, -1), list.length - 1);
  };
  const [from, to] =
    by > 0 ? [bound(start, 0), bound(stop, list.length)] : [bound(start, list.length - 1), bound(stop, -1)];
  const taken: unknown[] = [];
  for (let i = from; by > 0 ? i < to : i > to; i += by) taken.push(list[i]);
  if (typeof value === 'string') return taken.join('');
  return value instanceof Tuple ? Tuple.of(...taken) : taken;
}
