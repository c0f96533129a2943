import { safeText } from './safe-text.ts';

const longest = 2000;

/** What was thrown may be anything and may have any text; this one can be stored: short, and such that Postgres takes it. */
export function errorText(error: unknown): string {
  try {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return safeText(text, longest);
  } catch {
    return 'something without a text was thrown';
  }
}
