/** The first of these keys of a JSON object that holds a text or a number. */
export function textAt(payload: unknown, ...keys: string[]): string {
  if (typeof payload !== 'object' || payload === null) return '';
  for (const key of keys) {
    const value: unknown = Object.hasOwn(payload, key) ? (payload as Record<string, unknown>)[key] : undefined;
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value);
  }
  return '';
}
