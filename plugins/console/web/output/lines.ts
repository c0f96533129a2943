import type { RunEvent } from '@tapline/console-kit/types';

type PrintedEvent = Pick<RunEvent, 'counter' | 'stdout' | 'start_line' | 'end_line'>;

/** What events printed on one line: nearly always one of them. */
type Line = { counter: number; text: string }[];

/**
 * The lines of a run's output, as far as they are known: the newest arrive over the WebSocket, any others are read
 * where somebody looks. Events may come twice, late or not at all.
 */
export class OutputLines {
  private readonly lines: Line[] = [];
  private readonly seen = new Set<number>();
  /** read from the API: a line without text there is an empty one */
  private readonly read: { from: number; to: number }[] = [];
  /** how many there are */
  total = 0;

  add({ counter, stdout, start_line, end_line }: PrintedEvent): void {
    const unfinished = stdout !== '' && end_line === start_line;
    this.total = Math.max(this.total, end_line + (unfinished ? 1 : 0));
    if (this.seen.has(counter) || (stdout === '' && end_line === start_line)) return;
    const texts = stdout.split('\n');
    const count = Math.max(1, end_line - start_line);
    // long texts are cut on their way over the WebSocket: what is missing is read when somebody looks at it
    const cut = texts.length < count;
    if (!cut) this.seen.add(counter);
    for (const [i, text] of texts.slice(0, cut ? -1 : count).entries())
      this.put(start_line + i, { counter, text: text.replace(/\r$/, '') });
  }

  /** A line that one event began may be ended by a later one. */
  private put(at: number, part: Line[number]): void {
    const others = this.lines[at]?.filter(({ counter }) => counter !== part.counter) ?? [];
    this.lines[at] = others.length ? [...others, part].toSorted((a, b) => a.counter - b.counter) : [part];
  }

  /** What a read of the lines from `from` on brought: everything up to the last event of it is known now. */
  addRead(from: number, to: number, events: readonly PrintedEvent[], complete: boolean): void {
    for (const event of events) this.add(event);
    const last = events.at(-1)?.end_line ?? to;
    this.read.push({ from, to: Math.max(complete ? Math.max(to, last) : last, from + 1) });
  }

  /** The same of a read that went backwards from `to`; its events are in their order. */
  addReadBack(to: number, events: readonly PrintedEvent[], complete: boolean): void {
    for (const event of events) this.add(event);
    this.read.push({ from: Math.min(complete ? 0 : (events[0]?.start_line ?? to), to - 1), to });
  }

  text(at: number): string | undefined {
    const line = this.lines[at];
    if (line) return line.length === 1 ? line[0]!.text : line.map(({ text }) => text).join('');
    return this.isRead(at) ? '' : undefined;
  }

  private isRead(at: number): boolean {
    return this.read.some(({ from, to }) => from <= at && at < to);
  }

  /** The first line from `from` to `to` that is not known yet. */
  firstMissing(from: number, to: number): number | null {
    for (let at = Math.max(0, from); at < Math.min(to, this.total); at += 1)
      if (this.lines[at] === undefined && !this.isRead(at)) return at;
    return null;
  }

  /** Where the gap ends that begins at `from`. */
  gapEnd(from: number, to: number): number {
    let at = from + 1;
    while (at < to && this.lines[at] === undefined && !this.isRead(at)) at += 1;
    return at;
  }

  /** The run may have printed more than we have heard of. */
  reachTo(total: number): void {
    this.total = Math.max(this.total, total);
  }
}
