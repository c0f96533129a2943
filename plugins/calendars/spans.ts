import type { PluginApi } from '@tapline/plugin-sdk';
import type { Calendar, Span } from './calendar.ts';

/** The spans of a calendar that have not ended, soonest first, as far as they are known. */
export type ReadSpans = (calendar: Pick<Calendar, 'timezone' | 'windows'>, now: number) => Promise<Span[]>;

/** More than one, so that windows which follow on each other are told as one. */
const ahead = 10;
const mostKept = 1000;

/**
 * Rules are gone through once for each of their times and node, not for each launch: what was found holds until the first
 * of it has ended.
 */
export function createReadSpans(api: Pick<PluginApi, 'recurrence'>): ReadSpans {
  const kept = new Map<string, { from: number; spans: Span[] }>();
  return async ({ timezone, windows }, now) => {
    const found = await Promise.all(
      windows.map(async ({ rrule, duration }) => {
        const key = JSON.stringify([rrule, duration, timezone]);
        const known = kept.get(key);
        if (known && known.from <= now && (known.spans[0]?.end ?? Infinity) > now) return known.spans;
        const next = await api.recurrence.spans(
          { rrule, duration, zone: timezone },
          { from: new Date(now), most: ahead },
        );
        const spans = next.map(({ start, end }) => ({ start: start.getTime(), end: end.getTime() }));
        kept.delete(key);
        kept.set(key, { from: now, spans });
        if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
        return spans;
      }),
    );
    return joined(found.flat());
  };
}

/** Spans that overlap or follow on each other as one. */
export function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else found.push({ ...span });
  }
  return found;
}
