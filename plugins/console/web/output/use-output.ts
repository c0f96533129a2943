import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { get, onEvents, onResync, type RunEvent } from '@tapline/console-kit';
import { OutputLines } from './lines.ts';

interface OutputSource {
  id: number;
  /** `jobs/5/job_events/` */
  events: string;
  /** the WebSocket's group */
  group: string;
}

export interface Output {
  lines: OutputLines;
  /** changes with every change of the lines */
  version: Signal<number>;
  failed: Signal<boolean>;
  /** Reads what is missing from `from` to `to`. */
  need: (from: number, to: number) => void;
}

const pageRows = 200;
type Found = { results: RunEvent[] };

/** Lines, kept true by the WebSocket and read where they are looked at. `ended` makes the last count certain. */
export function useOutput({ id, events, group }: OutputSource, ended: boolean): Output {
  const version = useSignal(0);
  const failed = useSignal(false);
  const changed = useFrame(() => void (version.value += 1));
  const reader = useMemo(() => createReader(events, changed, failed), [events]);

  useEffect(() => {
    reader.readEnd();
    const offEvents = ended
      ? undefined
      : onEvents(
          group,
          id,
          (event) => {
            reader.lines.add(event);
            changed();
          },
          reader.readEnd,
        );
    const offResync = onResync(reader.readEnd);
    return () => {
      offEvents?.();
      offResync();
    };
  }, [reader, ended]);

  return { lines: reader.lines, version, failed, need: reader.need };
}

/** Reads lines of one run, one request at a time; a newer wish replaces an older one that has not begun. */
function createReader(events: string, changed: () => void, failed: Signal<boolean>) {
  const lines = new OutputLines();
  let wanted: { from: number; to: number } | null = null;
  let busy = false;
  const read = async (query: string) => (await get<Found>(`${events}?${query}`, { quiet: true })).results;

  async function readMissing(): Promise<void> {
    busy = true;
    try {
      for (;;) {
        const { from, to } = wanted!;
        const first = lines.firstMissing(from, to);
        if (first === null) break;
        const query = `order_by=counter&end_line__gt=${first}&start_line__lt=${to}&limit=${pageRows}&no_truncate=1`;
        const found = await read(query);
        lines.addRead(first, to, found, found.length < pageRows);
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

/** At most one call for each picture that is drawn. */
function useFrame(work: () => void): () => void {
  const asked = useRef(false);
  return () => {
    if (asked.current) return;
    asked.current = true;
    const run = () => {
      if (!asked.current) return;
      asked.current = false;
      work();
    };
    requestAnimationFrame(run);
    // a page in the background draws no pictures
    setTimeout(run, 250);
  };
}
