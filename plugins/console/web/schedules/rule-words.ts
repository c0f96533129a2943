import { t } from '@tapline/console-kit/texts';
import { type Frequency, type RuleParts, weekdayOf, weekdays, weekOf } from './rule-parts.ts';

const dayNames = [t`Monday`, t`Tuesday`, t`Wednesday`, t`Thursday`, t`Friday`, t`Saturday`, t`Sunday`];
const units: Partial<Record<Frequency, string>> = {
  MINUTELY: 'minute',
  HOURLY: 'hour',
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
};
const weeks: Record<number, string> = { 1: 'first', 2: 'second', 3: 'third', 4: 'fourth', [-1]: 'last' };
const listed = new Intl.ListFormat('en', { type: 'conjunction' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

export const dayName = (day: string): string => dayNames[weekdays.findIndex((one) => one === day)] ?? day;
const dateOf = (local: string) => (Number.isNaN(Date.parse(`${local}Z`)) ? local : dates.format(new Date(`${local}Z`)));

/** `Every 2 weeks on Monday and Friday at 09:00 (Europe/Berlin), from 15 January 2030, 10 times.` */
export function ruleWords(parts: RuleParts): string {
  const { start, zone, frequency, ends, count, until } = parts;
  const time = start.slice(11);
  if (frequency === 'ONCE') return t`Once, on ${dateOf(start)} at ${time} (${zone}).`;
  const often = frequency === 'MINUTELY' || frequency === 'HOURLY' ? '' : ` at ${time}`;
  const end = { never: '', count: `, ${count} times`, until: `, until ${dateOf(until)} at ${until.slice(11)}` }[ends];
  return `${everyWords(parts)}${onWords(parts)}${often} (${zone}), from ${dateOf(start)}${end}.`;
}

function everyWords({ frequency, interval }: RuleParts): string {
  const unit = units[frequency] ?? '';
  return interval === '1' ? t`Every ${unit}` : t`Every ${interval} ${unit}s`;
}

function onWords({ frequency, days, monthly, start }: RuleParts): string {
  if (frequency === 'WEEKLY') return ` on ${listed.format((days.length ? days : [weekdayOf(start)]).map(dayName))}`;
  if (frequency === 'YEARLY') return ` on ${dateOf(start).replace(/ \d+$/, '')}`;
  if (frequency !== 'MONTHLY') return '';
  return monthly === 'day' ? ` on day ${Number(start.slice(8, 10))}` : ` on the ${monthlyWord(start)}`;
}

/** `first Monday` */
export const monthlyWord = (start: string): string => `${weeks[weekOf(start)]} ${dayName(weekdayOf(start))}`;
