import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { get, onEvents, onResync, type RunEvent } from '@tapline/console-kit';
import type { OutputLines } from './lines.ts';
import { createReader } from './reader.ts';

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

type Found = { results: RunEvent[] };

/** Lines, kept true by the WebSocket and read where they are looked at. `ended` makes the last count certain. */
export function useOutput({ id, events, group }: OutputSource, ended: boolean): Output {
  const version = useSignal(0);
  const failed = useSignal(false);
  const changed = useFrame(() => void (version.value += 1));
  const reader = useMemo(() => {
    const ask = async (query: string) => (await get<Found>(`${events}?${query}`, { quiet: true })).results;
    return createReader(ask, changed, failed);
  }, [events]);

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
