/** Between instants and what clocks on the wall of a zone show. Walls are ISO texts, or milliseconds as if they were UTC. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    const numeric = 'numeric' as const;
    const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
    format = new Intl.DateTimeFormat('en-US', { ...parts, era: 'short', hourCycle: 'h23', timeZone: zone });
    formats.set(zone, format);
  }
  return format;
}

/** Zones by their names only: an offset is none. */
export function isZone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && Boolean(formatOf(zone));
  } catch {
    return false;
  }
}

export function msOf(wall: string): number {
  return Date.parse(`${wall}Z`);
}

/** What clocks show at an instant, in milliseconds as if it were UTC. */
export function wallAt(instant: number, zone: string): number {
  if (zone === 'UTC') return instant;
  const shown = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const wall = new Date(0);
  wall.setUTCFullYear(
    shown['era'] === 'BC' ? 1 - Number(shown['year']) : Number(shown['year']),
    Number(shown['month']) - 1,
    Number(shown['day']),
  );
  wall.setUTCHours(Number(shown['hour']), Number(shown['minute']), Number(shown['second']));
  return wall.getTime();
}

const dayMs = 86_400_000;

/** What has four digits of a year in UTC: neither texts nor the database take others. */
export const [earliest, latest] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')];
export const isStorable = (instant: number): boolean => instant >= earliest && instant <= latest;

/**
 * The instant at which clocks show this; of two the first. @returns undefined where they are put over it, unless
 * `gap` says to take the time as if they were not
 */
export function toUtc(wall: string | number, zone: string, { gap }: { gap?: 'after' } = {}): number | undefined {
  const shown = typeof wall === 'number' ? wall : msOf(wall);
  if (zone === 'UTC') return shown;
  // offsets change within two days at most once
  const offsets = [shown - dayMs, shown + dayMs].map((near) => wallAt(near, zone) - near);
  const found = offsets.map((offset) => shown - offset).filter((instant) => wallAt(instant, zone) === shown);
  if (found.length) return Math.min(...found);
  return gap ? shown - offsets[0]! : undefined;
}

/** `2030-01-15T12:00:00-05:00`, with `Z` in UTC. */
export function localText(instant: number, zone: string): string {
  const wall = wallAt(instant, zone);
  const text = new Date(wall).toISOString().slice(0, 19);
  if (zone === 'UTC') return `${text}Z`;
  const minutes = Math.round((wall - Math.floor(instant / 1000) * 1000) / 60_000);
  const pad = (number: number) => String(Math.floor(number)).padStart(2, '0');
  return `${text}${minutes < 0 ? '-' : '+'}${pad(Math.abs(minutes) / 60)}:${pad(Math.abs(minutes) % 60)}`;
}
