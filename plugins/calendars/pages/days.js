import { t } from '@tapline/console-kit';

const shown = 14;

/** The clock of a calendar's zone. */
export function clockOf(timeZone) {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const named = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'long', day: 'numeric', month: 'long' });
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  const at = (instant) => `${named.format(instant)}, ${time.format(instant)}`;
  return { day: (instant) => day.format(instant), named, time, at };
}

/** The days that follow, each with those parts of the spans that fall on it, by the clock of the zone. */
export function daysOf(spans, now, clock) {
  const days = new Map();
  // an hour at a time meets each day, also those of 23 and 25 hours
  for (let instant = now; days.size < shown; instant += 3_600_000) {
    const key = clock.day(instant);
    if (!days.has(key)) days.set(key, { name: clock.named.format(instant), times: [] });
  }
  for (const { start, end } of spans) {
    const [from, to] = [Math.max(Date.parse(start), now), Date.parse(end)];
    const [first, last] = [clock.day(from), clock.day(to - 1)];
    for (const [key, day] of days) {
      if (key < first || key > last) continue;
      const begins = key === first ? clock.time.format(from) : '00:00';
      const ends = key === last ? clock.time.format(to) : '24:00';
      const until = ends === '00:00' ? '24:00' : ends;
      day.times.push(begins === '00:00' && until === '24:00' ? t`all day` : t`${begins} to ${until}`);
    }
  }
  return [...days.values()];
}
