import { firstOccurrence, lastOccurrence, occurrencesAfter } from './occurrences.ts';
import type { RuleText } from './rule-text.ts';
import { type Duration, endOf } from './duration.ts';

export interface Times {
  /** instants in milliseconds; null: there is none */
  first: number | null;
  last: number | null;
  /** of the next ones, as many as were asked for */
  next: number[];
}

export interface Computing {
  rules: readonly RuleText[];
  /** milliseconds */
  now: number;
  most: number;
  /** false: the next ones are enough */
  ends: boolean;
}

/** Run on a thread of its own: a rule may take longer than anybody waits. */
export const computeTimes = ({ rules, now, most, ends }: Computing): Times[] =>
  rules.map((rule) => ({
    first: ends ? (firstOccurrence(rule) ?? null) : null,
    last: ends ? (lastOccurrence(rule) ?? null) : null,
    next: occurrencesAfter(rule, now, most),
  }));

/** Beyond these, times that overlap are as good as one that never ends. */
const mostStarts = 5000;
/** By how much clocks are changed at most, and more. */
const day = 86_400_000;

/** Spans of time that end after `from`, as their two instants; null: too many overlap. On a thread of its own as well. */
export function computeSpans({ rule, duration, from, most }: SpansAsked): [start: number, end: number][] | null {
  const begun = from - duration.days * day - duration.ms - day;
  const starts = occurrencesAfter(rule, begun, mostStarts, true);
  const found: [number, number][] = [];
  for (const start of starts) {
    const end = endOf(start, duration, rule.zone);
    if (end > from) found.push([start, end]);
    if (found.length === most) break;
  }
  return found.length < most && starts.length === mostStarts ? null : found;
}

export interface SpansAsked {
  rule: RuleText;
  duration: Duration;
  /** milliseconds */
  from: number;
  most: number;
}
