/** A rule as the form has it: what most schedules need. Others are written as text. */
export interface RuleParts {
  /** local time of the zone: `2030-01-15T09:00` */
  start: string;
  zone: string;
  frequency: Frequency;
  interval: string;
  /** of a week: `MO` */
  days: readonly string[];
  /** of a month: the day of the start, or its weekday as the n-th (-1: the last) */
  monthly: 'day' | 'weekday';
  ends: 'never' | 'count' | 'until';
  count: string;
  /** local time of the zone */
  until: string;
}

export const frequencies = ['ONCE', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export type Frequency = (typeof frequencies)[number];

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

const compact = (local: string) => `${local.replaceAll(/[-:]/g, '')}00`.slice(0, 15);
const local = (text: string) => text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d).*$/, '$1-$2-$3T$4:$5');
/** As if the zone were UTC: only the calendar matters. */
const calendar = (at: string) => new Date(`${at}Z`);

export const weekdayOf = (at: string): string => weekdays[(calendar(at).getUTCDay() + 6) % 7] ?? 'MO';
/** The last of a month counts from its end. */
export const weekOf = (at: string): number => {
  const week = Math.ceil(calendar(at).getUTCDate() / 7);
  return week > 4 ? -1 : week;
};

/** The clock of a zone at an instant: `2030-01-15T09:00` */
export function clockOf(instant: Date, zone: string): string {
  const options = { timeZone: zone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'short' } as const;
  // Swedish writes dates as ISO 8601 does
  return new Intl.DateTimeFormat('sv', options).format(instant).replace(' ', 'T');
}

/** What a new schedule begins with: tomorrow at the full hour, here. */
export function firstParts(now: Date): RuleParts {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const start = `${clockOf(new Date(now.getTime() + 86_400_000), zone).slice(0, 13)}:00`;
  const rest = { interval: '1', days: [], monthly: 'day', ends: 'never', count: '10', until: start } as const;
  return { start, zone, frequency: 'DAILY', ...rest };
}

export function ruleText(parts: RuleParts): string {
  const { start, zone, frequency, interval, days, monthly, ends, count, until } = parts;
  const utc = zone === 'UTC' ? 'Z' : '';
  const begin = utc ? `DTSTART:${compact(start)}Z` : `DTSTART;TZID=${zone}:${compact(start)}`;
  if (frequency === 'ONCE') return `${begin} RRULE:FREQ=DAILY;INTERVAL=1;COUNT=1`;
  const rule = [`FREQ=${frequency}`, `INTERVAL=${interval}`];
  if (frequency === 'WEEKLY')
    rule.push(`BYDAY=${(days.length ? weekdays.filter((day) => days.includes(day)) : [weekdayOf(start)]).join(',')}`);
  if (frequency === 'MONTHLY' && monthly === 'day') rule.push(`BYMONTHDAY=${calendar(start).getUTCDate()}`);
  if (frequency === 'MONTHLY' && monthly === 'weekday')
    rule.push(`BYDAY=${weekdayOf(start)}`, `BYSETPOS=${weekOf(start)}`);
  if (ends === 'count') rule.push(`COUNT=${count}`);
  if (ends === 'until') rule.push(`UNTIL=${compact(until)}${utc}`);
  return `${begin} RRULE:${rule.join(';')}`;
}

/** The parts of a rule; null where it says what the form has no fields for. */
export function ruleParts(text: string, now: Date): RuleParts | null {
  const [, tzid, at, utc, rule] =
    /^DTSTART(?:;TZID=([^:\s]+))?:(\d{8}T\d{6})(Z?)\s+RRULE:(\S+)$/.exec(text.trim()) ?? [];
  if (!at || !rule || Boolean(tzid) === Boolean(utc)) return null;
  const given = Object.fromEntries(rule.split(';').map((pair) => pair.split('=')));
  const zone = tzid ?? 'UTC';
  const start = local(at);
  const parts: RuleParts = {
    ...firstParts(now),
    start,
    zone,
    frequency: given.FREQ === 'DAILY' && given.COUNT === '1' ? 'ONCE' : given.FREQ,
    interval: given.INTERVAL ?? '1',
    days: given.FREQ === 'WEEKLY' ? (given.BYDAY ?? '').split(',').filter(Boolean) : [],
    monthly: given.BYSETPOS ? 'weekday' : 'day',
    ends: given.COUNT ? 'count' : given.UNTIL ? 'until' : 'never',
    count: given.COUNT ?? '10',
    until: given.UNTIL ? untilLocal(given.UNTIL, zone) : start,
  };
  // what the fields make of it must be what was read
  return sameRule(ruleText(parts), text, zone) ? parts : null;
}

function untilLocal(until: string, zone: string): string {
  return until.endsWith('Z') && zone !== 'UTC' ? clockOf(new Date(`${local(until)}Z`), zone) : local(until);
}

/** Parts in any order, an end in UTC or in the zone. */
function sameRule(a: string, b: string, zone: string): boolean {
  const known = (text: string) => {
    const [begin = '', rule = ''] = text.trim().split(/\s+/);
    const parts = rule
      .replace('RRULE:', '')
      .split(';')
      .filter((part) => part !== 'WKST=MO');
    return [
      begin,
      ...parts.map((part) => (part.startsWith('UNTIL=') ? untilLocal(part.slice(6), zone) : part)).toSorted(),
    ].join(' ');
  };
  return known(a) === known(b);
}
