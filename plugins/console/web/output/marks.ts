import type { RunEvent } from '@tapline/console-kit/types';

export type Mark = Pick<RunEvent, 'counter' | 'start_line' | 'end_line'>;

/** So far off nobody searches: the service goes from event to event, and so many it passes at once. */
const near = 1000;

/**
 * Events of which the lines are known. Lines have no index, counters do: with an event known before or behind a line,
 * the service reads from there, and not through all that was printed.
 */
export class Marks {
  private readonly marks: Mark[] = [{ counter: 0, start_line: 0, end_line: 0 }];

  add(...events: readonly Mark[]): void {
    for (const { counter, start_line, end_line } of events) this.marks.push({ counter, start_line, end_line });
  }

  /** The last event that ends at or before the line. */
  before(line: number): Mark {
    const fitting = this.marks.filter(({ end_line }) => end_line <= line);
    return fitting.reduce((best, mark) => (mark.counter > best.counter ? mark : best));
  }

  /** The first event that begins at or behind the line. */
  behind(line: number): Mark | undefined {
    const fitting = this.marks.filter(({ counter, start_line }) => counter > 0 && start_line >= line);
    return fitting.toSorted((a, b) => a.counter - b.counter)[0];
  }

  /** The counter at which to look for an event that is near to the lines; null where one is known. */
  guess(from: number, to: number): number | null {
    const before = this.before(from);
    const behind = this.behind(to) ?? this.marks.toSorted((a, b) => b.counter - a.counter)[0]!;
    const [room, lines] = [behind.counter - before.counter, behind.start_line - before.end_line];
    if (room < 2 || Math.min(from - before.end_line, behind.start_line - to) <= near) return null;
    // somewhat before it, since one in its midst is neither before nor behind
    const wanted = from - near / 2 - before.end_line;
    const counter = before.counter + Math.round((room * wanted) / lines);
    return Math.min(Math.max(counter, before.counter + 1), behind.counter - 1);
  }

  /** Whether it is a shorter way to the line from what lies behind it. */
  isNearerBehind(from: number, to: number, total: number): boolean {
    return (this.behind(to)?.start_line ?? total) - to < from - this.before(from).end_line;
  }
}
