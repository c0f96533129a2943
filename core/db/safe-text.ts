const replacement = '\uFFFD';

/** Text that Postgres takes, no longer than that: no NUL, no half of a surrogate pair, and none made by the cut. */
export function safeText(text: string, longest = Infinity): string {
  const short = cutText(text, longest);
  const whole = short.isWellFormed() ? short : short.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', replacement) : whole;
}

/** The beginning of a text, without half a character at its end. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, Math.max(0, longest));
  return isHighSurrogate(text.charCodeAt(longest - 1)) ? cut.slice(0, -1) : cut;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

/**
 * JSON that jsonb takes. `JSON.stringify` escapes NUL and lone surrogates and nothing else that jsonb refuses,
 * so they are found in its result; an escaped backslash before them is stepped over as a pair.
 */
export function safeJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u')) return json;
  return json.replace(/\\(\\|u0000|ud[89a-f][0-9a-f]{2})/g, (match, what) => (what === '\\' ? match : replacement));
}
