/** One RRULE or EXRULE, as it is written after its colon. */
export interface RulePart {
  excludes: boolean;
  text: string;
  /** by upper case names */
  parts: Readonly<Record<string, string>>;
}

/** What the text of a schedule says; instants on the wall are ISO texts without offset. */
export interface RuleText {
  /** as it is stored: parts separated by one space, UNTIL in UTC */
  text: string;
  /** as it was named; `UTC` for Z */
  zone: string;
  start: string;
  rules: readonly RulePart[];
}

const numbers = (low: number, high: number) => (text: string) =>
  text.split(',').every((one) => /^[+-]?\d{1,5}$/.test(one) && Number(one) >= low && Number(one) <= high);
const signed = (high: number) => (text: string) =>
  numbers(-high, high)(text) && text.split(',').every((one) => Number(one) !== 0);
const whole = (low: number, high: number) => (text: string) =>
  /^\d{1,10}$/.test(text) && Number(text) >= low && Number(text) <= high;

const frequencies = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'];
const day = '(MO|TU|WE|TH|FR|SA|SU)';

/** What each part of a rule may be. */
const valid: Record<string, (text: string) => boolean> = {
  FREQ: (text) => frequencies.includes(text),
  INTERVAL: whole(1, 100_000),
  COUNT: whole(1, 1_000_000_000),
  UNTIL: (text) => wallOf(text) !== undefined,
  WKST: (text) => new RegExp(`^${day}$`).test(text),
  BYDAY: (text) => text.split(',').every((one) => new RegExp(`^([+-]?[1-9]\\d?)?${day}$`).test(one)),
  BYMONTH: numbers(1, 12),
  BYMONTHDAY: signed(31),
  BYYEARDAY: signed(366),
  BYWEEKNO: signed(53),
  BYSETPOS: signed(366),
  BYHOUR: numbers(0, 23),
  BYMINUTE: numbers(0, 59),
  BYSECOND: numbers(0, 59),
  BYEASTER: numbers(-400, 400),
};

/** `20300115T120000`, also without its time or with Z, as ISO; undefined where there is no such time. */
export function wallOf(text: string): string | undefined {
  const [, year, month, dayOf, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d))?Z?$/.exec(text) ?? [];
  const iso = `${year}-${month}-${dayOf}T${hour}:${minute}:${second}`;
  const instant = new Date(`${iso}Z`);
  return Number(year) > 0 && !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(iso)
    ? iso
    : undefined;
}

/** The parser's complaint about a rule; undefined: none. */
export function partsProblem({ parts, text }: RulePart, zoned: boolean): string | undefined {
  if (!parts['FREQ']) return `FREQ is missing in ${text}`;
  for (const [name, value] of Object.entries(parts)) {
    const check = valid[name];
    if (!check) return `unknown parameter '${name}'`;
    if (!check(value)) return `invalid '${name}': ${value.slice(0, 100)}`;
  }
  if (zoned && /^\d{8}$/.test(parts['UNTIL'] ?? '')) return 'UNTIL must be a time where DTSTART names a zone';
  return undefined;
}

/** `FREQ=DAILY;INTERVAL=1` by names; undefined where it is not made of such pairs, or one stands twice. */
export function readParts(text: string): Record<string, string> | undefined {
  const pairs = text
    .split(';')
    .filter(Boolean)
    .map((pair) => pair.toUpperCase().split('='));
  if (pairs.some((pair) => pair.length !== 2)) return undefined;
  const parts = Object.fromEntries(pairs as [string, string][]);
  return Object.keys(parts).length === pairs.length ? parts : undefined;
}
