import { createHash } from 'node:crypto';

const longest = 200;

/** As the sender gave it, where it can be kept; of what is too long or no text, its digest. */
export function eventGuid(given: string): string {
  if (given.length <= longest && given.isWellFormed() && !given.includes('\0')) return given;
  return `sha256:${createHash('sha256').update(given).digest('hex')}`;
}
