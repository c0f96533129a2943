import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiFailure, get } from '../api/http.ts';
import { toast } from '../components/toasts.tsx';
import { type BulkAction, howMany, type Named } from './action.ts';
import { findAll } from './find-all.ts';
import { begin, type Judge, type Refusal, type Work, workOff } from './work.ts';

/** The records themselves, or the list of all of them and how many it holds. */
export type Chosen<T> = { rows: readonly T[] } | { list: string; count: number };

export interface BulkProps<T> {
  action: BulkAction<T>;
  names: Named<T>;
  chosen: Chosen<T>;
  /** those with which it was not done */
  onDone: (left: readonly T[]) => Promise<void>;
  onClose: () => void;
}

/** Nothing of the record: the service is away or busy, or the session has ended. */
const passing = new Set([0, 401, 429, 502, 503, 504]);

const judge: Judge = (error) => {
  if (!(error instanceof ApiFailure)) throw error;
  return { message: error.message, passing: passing.has(error.status) };
};

type Phase = 'finding' | 'asked' | 'working' | 'held' | 'over';

export interface Bulk<T> {
  phase: Phase;
  /** looked at so far, of a list of all */
  found: number;
  rows: readonly T[];
  done: number;
  refused: readonly Refusal<T>[];
  /** why it does not go on by itself, or did not begin */
  problem: string;
  start: () => Promise<void>;
  stop: () => void;
}

/** Finds the records, and does it with a few at once until nothing is left or somebody stops it. */
export function useBulk<T extends { id: number }>({ action, names, chosen, onDone, onClose }: BulkProps<T>): Bulk<T> {
  const known = 'rows' in chosen;
  const phase = useSignal<Phase>(known ? 'asked' : 'finding');
  const found = useSignal(0);
  const problem = useSignal('');
  const step = useSignal(0);
  const rows = useRef<readonly T[]>(known ? chosen.rows : []);
  const work = useRef<Work<T> | null>(null);
  const stopping = useRef(new AbortController());

  const find = async (list: string) => {
    try {
      const { signal } = stopping.current;
      const all = await findAll<T>(
        list,
        (path) => get(path, { signal }),
        (count) => void (found.value = count),
      );
      rows.current = all.filter(action.fits);
      phase.value = 'asked';
    } catch (error) {
      if (stopping.current.signal.aborted) return;
      if (!(error instanceof ApiFailure)) throw error;
      problem.value = error.message;
    }
  };
  const finish = async ({ done, refused, left }: Work<T>) => {
    if (done) toast(`${howMany(names, done)} ${done === 1 ? 'is' : 'are'} ${action.done}.`, 'good');
    phase.value = 'over';
    await onDone([...refused.map(({ row }) => row), ...left]);
    if (!refused.length && !left.length) onClose();
  };
  const start = async () => {
    if (phase.value === 'working') return;
    phase.value = 'working';
    work.current ??= begin(rows.current);
    const { signal } = stopping.current;
    await workOff(work.current, { act: action.act, judge, signal, onStep: () => void (step.value += 1) });
    if (work.current.held && !stopping.current.signal.aborted) phase.value = 'held';
    else await finish(work.current);
  };
  const stop = () => {
    stopping.current.abort();
    // what is on its way is waited for; else there is nobody to notice
    if (phase.value === 'held') void finish(work.current!);
  };
  useEffect(() => {
    if (!known) void find(chosen.list);
    const warn = (event: BeforeUnloadEvent) => phase.peek() === 'working' && event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      removeEventListener('beforeunload', warn);
      stopping.current.abort();
    };
  }, []);
  // each step is drawn
  void step.value;
  const { done = 0, refused = [], held = '' } = work.current ?? {};
  const shown = { phase: phase.value, found: found.value, rows: rows.current, done, refused };
  return { ...shown, problem: held || problem.value, start, stop };
}
