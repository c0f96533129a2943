import { ValidationError } from '@tapline/plugin-sdk';
import { toUtc, wallAt } from './wall-clock.ts';

/** Days of the calendar, which clocks may make shorter or longer, and time that passes. */
export interface Duration {
  days: number;
  ms: number;
}

const longestDays = 366;
const dayMs = 86_400_000;
const form = /^P(?:(\d{1,3})W|(?:(\d{1,3})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)$/;

/** RFC 5545, 3.3.6, without a sign. @throws ValidationError */
export function readDuration(text: string): Duration {
  const [whole, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = form.exec(text.trim()) ?? [];
  const duration = {
    days: Number(weeks) * 7 + Number(days),
    ms: (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000,
  };
  if (whole === undefined || (duration.days === 0 && duration.ms === 0))
    throw ValidationError.field('duration', 'Must be a duration as RFC 5545 has them, like PT8H, P1DT12H or P2W.');
  if (duration.days + duration.ms / dayMs > longestDays)
    throw ValidationError.field('duration', `Must not be longer than ${longestDays} days.`);
  return duration;
}

/** A time that clocks leave out is taken as if they were not changed. */
export function endOf(start: number, { days, ms }: Duration, zone: string): number {
  const shifted = days === 0 ? start : toUtc(wallAt(start, zone) + days * dayMs, zone, { gap: 'after' })!;
  return shifted + ms;
}
