/** For texts; JSON below. */
export { cutText, safeText } from '@tapline/plugin-sdk';

const replacement = '\uFFFD';

/**
 * JSON that jsonb takes. `JSON.stringify` escapes NUL and lone surrogates and nothing else that jsonb refuses,
 * so they are found in its result; an escaped backslash before them is stepped over as a pair.
 */
export function safeJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u')) return json;
  return json.replace(/\\(\\|u0000|ud[89a-f][0-9a-f]{2})/g, (match, what) => (what === '\\' ? match : replacement));
}
