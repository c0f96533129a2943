import type { Calendar, Span } from './calendar.ts';

/** A calendar where it is bound: `organization 5`. */
export interface Bound {
  calendar: Calendar;
  at: string;
}

/** Why nothing starts now: one calendar that denies, or those of one object of which none allows. */
export interface Closed {
  calendars: readonly Calendar[];
  /** when it opens again, in milliseconds; null: never, as far as the rules tell */
  until: number | null;
}

/**
 * A window of a calendar that denies closes, whatever others say. Of the calendars of one object that allow, one must have a window
 * now; each object is judged for itself, so that a template's window does not open what its organization keeps shut.
 */
export function judge(bound: readonly Bound[], spans: ReadonlyMap<number, readonly Span[]>, now: number): Closed[] {
  const of = ({ id }: Calendar) => spans.get(id) ?? [];
  const denying = new Map(
    bound.filter(({ calendar }) => calendar.kind === 'deny').map((one) => [one.calendar.id, one]),
  );
  const denied = [...denying.values()].flatMap(({ calendar }) => {
    const open = of(calendar).find((span) => holds(span, now));
    return open ? [{ calendars: [calendar], until: open.end }] : [];
  });
  const allowing = Map.groupBy(
    bound.filter(({ calendar }) => calendar.kind === 'allow'),
    ({ at }) => at,
  );
  const shut = [...allowing.values()].flatMap((group): Closed[] => {
    const calendars = group.map(({ calendar }) => calendar);
    if (calendars.some((calendar) => of(calendar).some((span) => holds(span, now)))) return [];
    const starts = calendars.flatMap((calendar) => of(calendar).map(({ start }) => start));
    return [{ calendars, until: starts.length ? Math.min(...starts) : null }];
  });
  return [...denied, ...shut];
}

const holds = ({ start, end }: Span, now: number) => start <= now && now < end;
