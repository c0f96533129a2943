import { get, type RunEvent } from '@tapline/console-kit';
import { plainText } from './ansi.ts';

/** What is looked for among the events of a run. */
export interface Sought {
  /** how the API narrows the events */
  filter: string;
  /** the lines of such an event that are meant, counted from 0 */
  lines: (event: RunEvent) => number[];
}

const pageRows = 50;
/** An event may hold what is looked for in its colours only: so many pages are looked through before giving up. */
const mostPages = 20;

export const soughtText = (text: string): Sought => ({
  filter: `stdout__icontains=${encodeURIComponent(text)}`,
  lines: ({ stdout, start_line }) =>
    stdout
      .split('\n')
      .flatMap((line, i) => (plainText(line).toLowerCase().includes(text.toLowerCase()) ? [start_line + i] : [])),
});

const failures = 'runner_on_failed,runner_on_unreachable,runner_on_async_failed,runner_item_on_failed';

export const soughtFailure: Sought = {
  filter: `event__in=${failures}&failed=true`,
  lines: (event) => [firstLine(event)],
};

/** Where the event's output says what failed: blank lines and details may come before. */
export function firstLine({ start_line, stdout }: Pick<RunEvent, 'start_line' | 'stdout'>): number {
  const texts = stdout.split('\n').map((text) => plainText(text).trim());
  const verdict = texts.findIndex((text) => /^(?:fatal|failed): \[/.test(text));
  return start_line + Math.max(0, verdict >= 0 ? verdict : texts.findIndex((text) => text !== ''));
}

/** The next line after `from`, or the one before it; null where there is none. However long the output, one request usually does. */
async function seekFrom(events: string, { filter, lines }: Sought, from: number, forward: boolean) {
  let edge = forward ? `end_line__gt=${from + 1}` : `start_line__lt=${from}`;
  for (let page = 0; page < mostPages; page += 1) {
    const order = forward ? 'counter' : '-counter';
    const query = `${filter}&${edge}&order_by=${order}&limit=${pageRows}&no_truncate=1`;
    const { results } = await get<{ results: RunEvent[] }>(`${events}?${query}`, { quiet: true });
    const found = results.flatMap(lines).filter((line) => (forward ? line > from : line < from));
    if (found.length) return forward ? Math.min(...found) : Math.max(...found);
    const last = results.at(-1);
    if (!last || results.length < pageRows) return null;
    edge = `counter__${forward ? 'gt' : 'lt'}=${last.counter}`;
  }
  return null;
}

/** As `seekFrom`, and on from the other end. */
export async function seek(events: string, sought: Sought, from: number, forward: boolean): Promise<number | null> {
  const found = await seekFrom(events, sought, from, forward);
  return found ?? seekFrom(events, sought, forward ? -1 : Number.MAX_SAFE_INTEGER, forward);
}
