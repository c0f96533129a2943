import type { CleanupOptions } from './cleanups/cleanup.ts';

/** How long things are kept where a launch says nothing. */
const DAYS = 90;
/** Few at a time: what else is asked of the database waits for one batch at most. */
const BATCH = 100;
/** a century: more is a slip of the hand */
const mostDays = 36_500;

const known = ['days', 'dry_run', 'batch_size', 'older_than', 'granularity'];

/** What the variables of a launch say. @returns also everything that is wrong with them */
export function readOptions(variables: Readonly<Record<string, unknown>>): {
  options: CleanupOptions;
  problems: string[];
} {
  const problems: string[] = [];
  const { days = DAYS, dry_run: dry = false, batch_size: batch = BATCH } = variables;
  const whole = (value: unknown, most: number, least = 0): value is number =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  const number = (value: unknown) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value);
  if (!whole(number(days), mostDays)) problems.push(`days must be a whole number from 0 to ${mostDays}.`);
  if (typeof dry !== 'boolean') problems.push('dry_run must be true or false.');
  if (!whole(number(batch), 10_000, 1)) problems.push('batch_size must be a whole number from 1 to 10000.');
  const others = Object.keys(variables).filter((name) => !known.includes(name));
  if (others.length) problems.push(`${others.slice(0, 20).join(', ')}: a cleanup knows ${known.join(', ')} only.`);
  return { options: { days: number(days) as number, dry: dry === true, batch: number(batch) as number }, problems };
}
