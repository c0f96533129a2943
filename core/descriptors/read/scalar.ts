/** Text from outside as numbers, booleans, times: one reading for bodies and for filters. */

const truths = new Set(['true', '1', 't', 'yes', 'y', 'on']);
const lies = new Set(['false', '0', 'f', 'no', 'n', 'off']);

export function parseBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).toLowerCase();
  return truths.has(word) ? true : lies.has(word) ? false : undefined;
}

const whole = /^[+-]?\d{1,1000}(\.0*)?$/;

/** Exact at any size; undefined when it is no whole number. */
export function parseWhole(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return whole.test(text) ? BigInt(text.replace(/^\+|\..*$/g, '')) : undefined;
}

const decimal = /^[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})(e[+-]?\d{1,3})?$/i;

/** The number as text, so that no digit is lost; undefined when it is none. */
export function parseNumber(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return decimal.test(text) && Number.isFinite(Number(text)) ? text : undefined;
}

const instant =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** ISO 8601, a date alone meaning its midnight, UTC unless it says otherwise; text that Postgres reads, or undefined. */
export function parseInstant(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const parts = instant.exec(value.trim());
  if (!parts) return undefined;
  const [, year, month, day, hour = '0', minute = '00', second = '00', fraction = '0', zone = 'Z'] = parts;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(Date.UTC(y, mo - 1, d));
  if (y < 1 || date.getUTCMonth() !== mo - 1 || h > 23 || mi > 59 || s > 59) return undefined;
  const [zoneHours = 0, zoneMinutes = 0] =
    zone.toUpperCase() === 'Z' ? [] : (zone.slice(1).replace(':', '').match(/\d{2}/g) ?? []).map(Number);
  if (zoneHours > 14 || zoneMinutes > 59) return undefined;
  const pad = (text: string, size = 2) => text.padStart(size, '0');
  const offset =
    zone.toUpperCase() === 'Z' ? '+00:00' : `${zone[0]}${pad(String(zoneHours))}:${pad(String(zoneMinutes))}`;
  return `${pad(year!, 4)}-${pad(month!)}-${pad(day!)}T${pad(hour)}:${minute}:${pad(second)}.${fraction.slice(0, 6)}${offset}`;
}

/** Text that Postgres cannot store: NUL, and halves of surrogate pairs (they would come back as another character). */
export function storable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The same of a value and all that it holds, whose depth the body parser bounds. */
export function storableDeep(value: unknown): boolean {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(storableDeep);
  return Object.entries(value).every(([key, item]) => storable(key) && storableDeep(item));
}
