// the package is CommonJS, which Node gives whole
// oxlint-disable-next-line import/default
import rrule from 'rrule';
import { type RulePart, type RuleText, wallOf } from './rule-text.ts';
import { isStorable, latest, msOf, toUtc, wallAt } from './wall-clock.ts';

const { RRule } = rrule;

/**
 * The times of a rule, in milliseconds. The library goes through the wall clock's times as if they were UTC, as python-dateutil
 * does, and each becomes an instant of the zone here; times that the clocks leave out are left out.
 */

const minute = 60_000;
const steps: Record<string, number> = {
  MINUTELY: minute,
  HOURLY: 60 * minute,
  DAILY: 1440 * minute,
  WEEKLY: 10_080 * minute,
};
/**
 * So many in a row that are excluded, or do not exist, are as good as none, where they fill more than a year: months and seasons
 * come again with the next one, and each minute of eleven of them may be excluded.
 */
const mostTries = 20_000;
const mostSpan = 367 * 1440 * minute;

/** The library takes hours and minutes in the order in which they stand, not in that of the clock. */
const times = new Set(['BYHOUR', 'BYMINUTE', 'BYSECOND']);
const sorted = (list: string) =>
  list
    .split(',')
    .toSorted((a, b) => Number(a) - Number(b))
    .join(',');

const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days that no calendar has, such as 30 February: the library would look for them to the end of time. */
function neverMatches({ BYMONTH: months, BYMONTHDAY: days }: RulePart['parts']): boolean {
  if (!days) return false;
  const known = months ? months.split(',').map((month) => longest[Number(month) - 1]!) : longest;
  return days.split(',').every((day) => Math.abs(Number(day)) > Math.max(...known));
}

/** The same rule from a later start, where that changes nothing of what comes after `from`. */
function startFor({ parts }: RulePart, start: number, from: number): number {
  const step = (steps[parts['FREQ']!] ?? 0) * Number(parts['INTERVAL']);
  if (!step || parts['COUNT'] || from - step <= start) return start;
  // one step earlier: the first one may be cut off by the time of its start
  return start + Math.floor((from - step - start) / step) * step;
}

class Series {
  readonly #rule: RulePart;
  readonly #start: number;
  readonly #zone: string;
  readonly #never: boolean;
  #near: { walls: number[]; from: number } = { walls: [], from: Infinity };

  constructor(rule: RulePart, { start, zone }: Pick<RuleText, 'start' | 'zone'>) {
    this.#rule = rule;
    this.#start = msOf(start);
    this.#zone = zone;
    this.#never = neverMatches(rule.parts);
  }

  /** Up to `most` times on the wall after `from`, or at it where `at` says so. */
  after(from: number, most: number, at = false): number[] {
    if (this.#never) return [];
    const found: number[] = [];
    this.#from(from).all((date) => {
      const wall = date.getTime();
      if (wall > from || (at && wall === from)) found.push(wall);
      return found.length < most;
    });
    return found;
  }

  includes(wall: number): boolean {
    const { walls, from } = this.#near;
    // those asked for stand close together
    if (!(wall >= from && wall <= (walls.at(-1) ?? -Infinity)))
      this.#near = { walls: this.after(wall, 50, true), from: wall };
    return this.#near.walls.includes(wall);
  }

  /** Does it end? */
  get ends(): boolean {
    return Boolean(this.#rule.parts['COUNT'] ?? this.#rule.parts['UNTIL']);
  }

  /** Its last times on the wall, the last one first; of one without end none. */
  last(): number[] {
    if (!this.ends || this.#never) return [];
    const until = this.#until();
    if (until === undefined) return this.after(this.#start, 999, true).toReversed();
    for (let back = 2 * 1440 * minute; ; back *= 16) {
      const from = Math.max(this.#start, until - back);
      const found = this.#between(from);
      if (found.length || from === this.#start) return found.toReversed();
    }
  }

  #between(from: number): number[] {
    const found: number[] = [];
    this.#from(from).all((date) => {
      if (date.getTime() >= from) found.push(date.getTime());
      return true;
    });
    return found;
  }

  #from(from: number) {
    const { UNTIL: _until, BYEASTER: easter, ...parts } = this.#rule.parts;
    const options = RRule.parseString(
      Object.entries(parts)
        .map(([name, value]) => `${name}=${times.has(name) ? sorted(value) : value}`)
        .join(';'),
    );
    const until = this.#until();
    return new RRule(
      {
        ...options,
        ...(easter === undefined ? {} : { byeaster: Number(easter) }),
        dtstart: new Date(startFor(this.#rule, this.#start, from)),
        until: until === undefined ? null : new Date(until),
      },
      true,
    );
  }

  /** On the wall. */
  #until(): number | undefined {
    const text = this.#rule.parts['UNTIL'];
    return text === undefined ? undefined : wallAt(msOf(wallOf(text)!), this.#zone);
  }
}

const seriesOf = (rule: RuleText, excludes: boolean) =>
  rule.rules.filter((part) => part.excludes === excludes).map((part) => new Series(part, rule));

/** Up to `most` instants after one, or at it. */
export function occurrencesAfter(rule: RuleText, instant: number, most: number, at = false): number[] {
  const [included, excluded] = [seriesOf(rule, false), seriesOf(rule, true)];
  const found: number[] = [];
  // clocks that were put back show times that were there already
  let from = wallAt(instant, rule.zone) - 3 * 60 * minute;
  let last = { tries: 0, wall: from };
  for (let tries = 0, more = most + 4; ; more = Math.min(more * 2, 2000)) {
    if (tries - last.tries >= mostTries && from - last.wall > mostSpan) return found;
    const lists = included.map((series) => series.after(from, more));
    // what a list that was cut off may still bring comes after its last one
    const known = Math.min(...lists.map((list) => (list.length < more ? Infinity : list.at(-1)!)));
    const walls = [...new Set(lists.flat())].filter((wall) => wall <= known).toSorted((a, b) => a - b);
    for (const wall of walls) {
      tries += 1;
      const utc = toUtc(wall, rule.zone);
      if (utc !== undefined && utc > latest) return found;
      if (utc === undefined || utc < instant || (utc === instant && !at) || utc === found.at(-1)) continue;
      if (excluded.some((series) => series.includes(wall))) continue;
      found.push(utc);
      last = { tries, wall };
      if (found.length === most) return found;
    }
    if (known === Infinity) return found;
    from = known;
  }
}

/** The first of all; undefined: there is none. */
export const firstOccurrence = (rule: RuleText): number | undefined =>
  occurrencesAfter(rule, toUtc(rule.start, rule.zone, { gap: 'after' })!, 1, true)[0];

/** The last of all; undefined: there is none, or no end. */
export function lastOccurrence(rule: RuleText): number | undefined {
  const [included, excluded] = [seriesOf(rule, false), seriesOf(rule, true)];
  if (included.some(({ ends }) => !ends)) return undefined;
  const last = included.flatMap((series) => {
    const wall = series
      .last()
      .find((one) => isStorable(toUtc(one, rule.zone) ?? Infinity) && !excluded.some((other) => other.includes(one)));
    return wall === undefined ? [] : [toUtc(wall, rule.zone)!];
  });
  return last.length ? Math.max(...last) : undefined;
}
