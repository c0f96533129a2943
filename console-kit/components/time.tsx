import { t } from '../texts/t.ts';
import { signal } from '@preact/signals';

/** The present, a few times a minute; every second while something is running. */
const now = signal(Date.now());
const ticking: unknown = setInterval(() => void (now.value = Date.now()), 1000);
// without a browser, in tests of pages, it would keep the process
(ticking as { unref?: () => void }).unref?.();

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Clocks differ a little: what just happened may seem to come. */
const clocksDifferBy = 5;

/** How far it is from now; of what comes, seconds are negative. */
export function distance(seconds: number): string {
  const found = units.find(([, length]) => Math.abs(seconds) >= length);
  if (found) return relative.format(-Math.trunc(seconds / found[1]), found[0]);
  return seconds < -clocksDifferBy ? t`in a moment` : t`just now`;
}

interface WhenProps {
  at: string | null | undefined;
  /** the time of the clock here in sight as well, where there is room for it; else it is told on hover */
  exact?: boolean | undefined;
}

export function When({ at, exact }: WhenProps) {
  if (!at) return <span class="muted">–</span>;
  const date = new Date(at);
  const here = date.toLocaleString();
  return (
    <time dateTime={at} title={t`${here} (${date.toISOString().slice(0, 19).replace('T', ' ')} UTC)`}>
      {distance((now.value - date.getTime()) / 1000)}
      {exact && <span class="muted sub">{here}</span>}
    </time>
  );
}

export function duration(seconds: number): string {
  if (seconds < 10) return t`${seconds.toFixed(1)} s`;
  if (seconds < 60) return t`${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? t`${minutes} min ${Math.floor(seconds % 60)} s`
    : t`${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long a run took, or has taken so far. */
export function Elapsed({
  started,
  finished,
  elapsed,
}: {
  started: string | null;
  finished: string | null;
  elapsed: number;
}) {
  if (!started) return <span class="muted">–</span>;
  if (finished) return <>{duration(elapsed)}</>;
  return <>{duration(Math.floor(Math.max(0, (now.value - new Date(started).getTime()) / 1000)))}</>;
}
