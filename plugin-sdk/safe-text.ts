const replacement = '\uFFFD';

/**
 * Text that Postgres takes, in a column of text or within JSON, and no longer than that: U+FFFD in place of NUL and of half a
 * surrogate pair; the cut makes no half. `longest`: UTF-16 units, as `length` counts. For what others say, such as answers and
 * errors: what somebody enters is refused by its field instead.
 */
export function safeText(text: string, longest = Infinity): string {
  const short = cutText(text, longest);
  const whole = short.isWellFormed() ? short : short.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', replacement) : whole;
}

/** The beginning of a text, without half a character at its end. `longest`: UTF-16 units. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, Math.max(0, longest));
  return isHighSurrogate(text.charCodeAt(longest - 1)) ? cut.slice(0, -1) : cut;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;
