import { ValidationError } from '@tapline/plugin-sdk';
import { AsideError, createAside } from '../yaml/aside.ts';
import type { computeTimes, Computing, Times } from './compute.ts';
import { readRule } from './read-rule.ts';
import { type RuleText, wallOf } from './rule-text.ts';
import { msOf, wallAt } from './wall-clock.ts';

const limitMs = 5000;
const reader = { module: new URL('./compute.ts', import.meta.url), name: 'computeTimes' satisfies keyof Exports };
type Exports = { computeTimes: typeof computeTimes };

/** Requests wait in transactions, which may be idle for a minute; a busy machine takes four times the limit. */
const patienceMs = 30_000;

/** What is due does not wait behind what somebody tries out. */
const forRequests = createAside({ threads: 1, limitMs, patienceMs });
const forClock = createAside({ threads: 1, limitMs: 60_000 });

/** @throws ValidationError for a rule whose times take too long to find */
export async function timesOf(rule: RuleText, asked: Omit<Computing, 'rules'>): Promise<Times> {
  try {
    const [times] = await forRequests<Times[]>(reader, { ...asked, rules: [rule] });
    return times!;
  } catch (error) {
    if (!(error instanceof AsideError)) throw error;
    throw ValidationError.field(
      'rrule',
      `Its times take longer than ${limitMs / 1000} s to find: say it in another way.`,
    );
  }
}

/**
 * The next time of each of the rules, as stored, after an instant; null where the rule has none. Each is found by itself:
 * one that cannot be read, or that takes too long, takes nothing from the others, and says nothing of its end.
 */
export const nextTimes = (texts: readonly string[], now: number): Promise<PromiseSettledResult<number | null>[]> =>
  Promise.allSettled(
    texts.map(async (text) => {
      const asked: Computing = { rules: [readRule(text)], now, most: 1, ends: false };
      const [times] = await forClock<Times[]>(reader, asked, { patient: true });
      return times!.next[0] ?? null;
    }),
  );

const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

/** What a schedule stores of its rule, by column. @throws ValidationError */
export async function columnsOfRule(sent: string, { enabled }: { enabled: boolean }) {
  const rule = readRule(sent);
  const { first, last, next } = await timesOf(rule, { now: Date.now(), most: 1, ends: true });
  return {
    rrule: rule.text,
    timezone: rule.zone,
    until: untilOf(rule),
    dtstart: iso(first),
    dtend: iso(last),
    next_run: enabled ? iso(next[0] ?? null) : null,
  };
}

/** Of the first rule that has one, as the clocks of the zone show it; '' where none has. */
function untilOf({ rules, zone }: RuleText): string {
  const text = rules.find(({ excludes, parts }) => !excludes && parts['UNTIL'])?.parts['UNTIL'];
  return text ? new Date(wallAt(msOf(wallOf(text)!), zone)).toISOString().slice(0, 19) : '';
}
