/**
 * Where to go after a login: a path of this host, or the entry page. Browsers read `\` as `/`, drop control
 * characters and resolve `/.//host`, so the result is judged once more after it was resolved.
 */
export function safeNext(next: unknown): string {
  const fallback = '/api/';
  if (
    typeof next !== 'string' ||
    next.length > 2000 ||
    !/^\/(?!\/)/.test(next) ||
    /[\x00-\x1f\x7f\\]/.test(next) ||
    !next.isWellFormed()
  )
    return fallback;
  const base = 'http://host.invalid';
  const url = URL.parse(next, base);
  if (!url || url.origin !== base || url.pathname.startsWith('//')) return fallback;
  return `${url.pathname}${url.search}${url.hash}`;
}
