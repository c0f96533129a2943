import { t } from '@tapline/console-kit';

const daily = 'FREQ=DAILY;INTERVAL=1';

/** How often a window comes, as rules say it. */
export const repeats = [
  { value: 'FREQ=DAILY;INTERVAL=1;COUNT=1', label: t`Once` },
  { value: daily, label: t`Every day` },
  { value: 'FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TU,WE,TH,FR', label: t`Every working day` },
  { value: 'FREQ=WEEKLY;INTERVAL=1', label: t`Every week` },
  { value: 'FREQ=MONTHLY;INTERVAL=1', label: t`Every month` },
  { value: 'FREQ=YEARLY;INTERVAL=1', label: t`Every year` },
];

/** A beginning by the clock of the calendar's zone, and the rest of the rule. */
const parts = /^DTSTART:(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)\d\d(?=\s|$)(.*)$/s;

/** As a field for a time has it; '' for one of a zone of its own, or none. */
export function beginOf(rrule) {
  const [, year, month, day, hours, minutes] = parts.exec(rrule) ?? [];
  return year ? `${year}-${month}-${day}T${hours}:${minutes}` : '';
}

/** One of `repeats`; '' for a rule that says something else. */
export function repeatOf(rrule) {
  const said = /^\s*RRULE:(\S+)\s*$/.exec(restOf(rrule))?.[1];
  return repeats.some(({ value }) => value === said) ? said : '';
}

/** All behind DTSTART, of whatever zone it is. */
const restOf = (rrule) => /^DTSTART\S*(.*)$/s.exec(rrule)?.[1] ?? '';

/** The rule with another beginning, which is of the calendar's zone then. */
export const withBegin = (rrule, begins) =>
  `DTSTART:${begins.replaceAll(/[-:]/g, '').slice(0, 13)}00${restOf(rrule).trim() ? restOf(rrule) : ` RRULE:${daily}`}`;

/** The rule with its beginning, if it has one, that comes so often. */
export const withRepeat = (rrule, repeat, now) =>
  `${/^DTSTART\S*/.exec(rrule)?.[0] ?? `DTSTART:${tonight(now)}`} RRULE:${repeat}`;

/** What a new window is until somebody says something else. */
export const firstWindow = (now) => ({ rrule: `DTSTART:${tonight(now)} RRULE:${daily}`, duration: 'PT8H' });

const two = (number) => String(number).padStart(2, '0');

/** At ten, by the clock of who looks at it. */
const tonight = (now) => `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}T220000`;
