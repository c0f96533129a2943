import { t } from '@tapline/console-kit/texts';
import { type Frequency, type RuleParts, weekdayOf, weekdays, weekOf } from './rule-parts.ts';

const dayNames = [t`Monday`, t`Tuesday`, t`Wednesday`, t`Thursday`, t`Friday`, t`Saturday`, t`Sunday`];
const every: Record<Exclude<Frequency, 'ONCE'>, [one: string, several: (many: string) => string]> = {
  MINUTELY: [t`Every minute`, (many) => t`Every ${many} minutes`],
  HOURLY: [t`Every hour`, (many) => t`Every ${many} hours`],
  DAILY: [t`Every day`, (many) => t`Every ${many} days`],
  WEEKLY: [t`Every week`, (many) => t`Every ${many} weeks`],
  MONTHLY: [t`Every month`, (many) => t`Every ${many} months`],
  YEARLY: [t`Every year`, (many) => t`Every ${many} years`],
};
const weeks: Record<number, string> = { 1: t`first`, 2: t`second`, 3: t`third`, 4: t`fourth`, [-1]: t`last` };
const listed = new Intl.ListFormat('en', { type: 'conjunction' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

export const dayName = (day: string): string => dayNames[weekdays.findIndex((one) => one === day)] ?? day;
const dateOf = (local: string) => (Number.isNaN(Date.parse(`${local}Z`)) ? local : dates.format(new Date(`${local}Z`)));

/** `Every 2 weeks on Monday and Friday at 09:00 (Europe/Berlin), from 15 January 2030, 10 times.` */
export function ruleWords(parts: RuleParts): string {
  const { start, zone, frequency, interval, ends, count, until } = parts;
  const time = start.slice(11);
  if (frequency === 'ONCE') return t`Once, on ${dateOf(start)} at ${time} (${zone}).`;
  const often = frequency === 'MINUTELY' || frequency === 'HOURLY' ? '' : t` at ${time}`;
  const end = { never: '', count: t`, ${count} times`, until: t`, until ${dateOf(until)} at ${until.slice(11)}` }[ends];
  const [one, several] = every[frequency];
  const turn = interval === '1' ? one : several(interval);
  return t`${turn}${onWords(parts)}${often} (${zone}), from ${dateOf(start)}${end}.`;
}

function onWords({ frequency, days, monthly, start }: RuleParts): string {
  if (frequency === 'WEEKLY') return t` on ${listed.format((days.length ? days : [weekdayOf(start)]).map(dayName))}`;
  if (frequency === 'YEARLY') return t` on ${dateOf(start).replace(/ \d+$/, '')}`;
  if (frequency !== 'MONTHLY') return '';
  return monthly === 'day' ? t` on day ${Number(start.slice(8, 10))}` : t` on the ${monthlyWord(start)}`;
}

/** `first Monday` */
export const monthlyWord = (start: string): string => `${weeks[weekOf(start)]} ${dayName(weekdayOf(start))}`;
