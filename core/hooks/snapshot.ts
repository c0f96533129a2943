/**
 * A frozen copy of plain data: what a tap does to its payload, or keeps of it, reaches neither core nor another tap.
 * Functions and undefined are left out, dates become texts, as in JSON.
 */
export function snapshot<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return Object.freeze(value.map(copy));
  const made: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) if (item !== undefined) made[key] = copy(item);
  return Object.freeze(made);
}

/** Freezes data that nobody else holds, so that it need not be copied. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
