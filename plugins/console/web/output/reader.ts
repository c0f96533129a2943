import type { RunEvent } from '@tapline/console-kit/types';
import { OutputLines } from './lines.ts';
import { Marks } from './marks.ts';

/** More than are in sight, mostly: each tells all of itself, so that more cost time. */
const pageRows = 120;
/** Events print more or less than others: so often it is looked closer. */
const mostGuesses = 4;

type Printed = Pick<RunEvent, 'counter' | 'stdout' | 'start_line' | 'end_line'>;
type Ask = (query: string) => Promise<readonly Printed[]>;

/** Reads part of a gap from the nearest event of which the lines are known. */
function createGaps(lines: OutputLines, ask: Ask) {
  const marks = new Marks();

  async function read(query: string): Promise<readonly Printed[]> {
    const found = await ask(query);
    marks.add(...[found[0], found.at(-1)].filter((event) => event !== undefined));
    return found;
  }

  async function approach(from: number, to: number): Promise<void> {
    for (let guesses = 0; guesses < mostGuesses; guesses += 1) {
      const counter = marks.guess(from, to);
      // oxlint-disable-next-line no-await-in-loop -- each guess goes by the one before it
      if (counter === null || !(await read(`order_by=counter&counter__gte=${counter}&limit=1`)).length) return;
    }
  }

  async function readGap(from: number, to: number): Promise<void> {
    await approach(from, to);
    const page = `limit=${pageRows}&no_truncate=1`;
    if (marks.isNearerBehind(from, to, lines.total)) {
      const behind = marks.behind(to);
      const edge = behind ? `counter__lt=${behind.counter}&` : '';
      const found = await read(`order_by=-counter&${edge}start_line__lt=${to}&${page}`);
      lines.addReadBack(to, found.toReversed(), found.length < pageRows);
    } else {
      const { counter } = marks.before(from);
      const found = await read(`order_by=counter&counter__gt=${counter}&end_line__gt=${from}&${page}`);
      lines.addRead(from, to, found, found.length < pageRows);
    }
  }
  return { read, readGap };
}

/**
 * Reads lines of one run, one request at a time; a newer wish replaces an older one that has not begun.
 * @param ask events of the run by a query
 */
export function createReader(ask: Ask, changed: () => void, failed: { value: boolean }) {
  const lines = new OutputLines();
  const { read, readGap } = createGaps(lines, ask);
  let wanted: { from: number; to: number } | null = null;
  let busy = false;

  async function readMissing(): Promise<void> {
    busy = true;
    try {
      for (;;) {
        const { from, to } = wanted!;
        const first = lines.firstMissing(from, to);
        if (first === null) break;
        await readGap(first, lines.gapEnd(first, Math.min(to, lines.total)));
        failed.value = false;
        changed();
      }
    } catch {
      failed.value = true;
    } finally {
      busy = false;
    }
  }

  return {
    lines,
    need(from: number, to: number): void {
      wanted = { from, to };
      if (!busy) void readMissing();
    },
    /** How many lines there are by now. */
    readEnd(): void {
      read('order_by=-counter&limit=1')
        .then(([last]) => {
          if (last) lines.reachTo(last.end_line);
          changed();
        })
        .catch(() => void (failed.value = true));
    },
  };
}
