import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiFailure, get } from '../api/http.ts';
import { toast } from '../components/toasts.tsx';
import type { Launch } from '../runs/launching.ts';
import { type BulkAction, howMany, type Named } from './action.ts';
import { findAll, type Frozen } from './find-all.ts';
import { begin, type Judge, type Refusal, type Work, workOff } from './work.ts';

/** The records themselves, or all that a list held when they were chosen. */
export type Chosen<T> = { rows: readonly T[] } | Frozen;

export interface BulkProps<T> {
  action: BulkAction<T>;
  names: Named<T>;
  chosen: Chosen<T>;
  launch: Launch;
  /** those with which it was not done */
  onDone: (left: readonly T[]) => Promise<void>;
  onClose: () => void;
}

/** Nothing of the record: the service is away or busy, or the session has ended. */
const passing = new Set([0, 401, 429, 502, 503, 504]);

/** It may have been done: the connection broke, or one between here and the service did. */
const lost = new Set([0, 502, 504]);

const judge: Judge = (error) => {
  if (error instanceof ApiFailure)
    return { message: error.message, passing: passing.has(error.status), unsure: lost.has(error.status) };
  // a fault of the page with one record keeps nobody from the others
  reportError(error);
  return { message: String(error), passing: false };
};

type Phase = 'finding' | 'asked' | 'working' | 'held' | 'over';

export interface Bulk<T> {
  phase: Phase;
  /** looked at so far, of a list of all */
  found: number;
  rows: readonly T[];
  done: number;
  refused: readonly Refusal<T>[];
  /** asked for, without an answer */
  unsure: readonly T[];
  /** why it does not go on by itself, or did not begin */
  problem: string;
  start: () => Promise<void>;
  /** reads the list again, after that went wrong */
  again: () => Promise<void>;
  stop: () => void;
}

/** Finds the records, and does it with a few at once until nothing is left or somebody stops it. */
export function useBulk<T extends { id: number }>(props: BulkProps<T>): Bulk<T> {
  const { action, names, chosen, launch, onDone, onClose } = props;
  const known = 'rows' in chosen;
  const phase = useSignal<Phase>(known ? 'asked' : 'finding');
  const found = useSignal(0);
  const problem = useSignal('');
  const step = useSignal(0);
  const rows = useRef<readonly T[]>(known ? chosen.rows : []);
  const work = useRef<Work<T> | null>(null);
  const stopping = useRef(new AbortController());

  const find = async () => {
    if (known) return;
    problem.value = '';
    try {
      const { signal } = stopping.current;
      const all = await findAll<T>(
        chosen,
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
    const many = howMany(names, done);
    if (done) toast(done === 1 ? t`${many} is ${action.done}.` : t`${many} are ${action.done}.`, 'good');
    phase.value = 'over';
    await onDone([...refused.map(({ row }) => row), ...left]);
    if (!refused.length && !left.length) onClose();
  };
  const start = async () => {
    if (phase.value === 'working') return;
    phase.value = 'working';
    work.current ??= begin(rows.current);
    const { signal } = stopping.current;
    await workOff(work.current, {
      act: (row) => action.act(row, launch),
      judge,
      signal,
      onStep: () => void (step.value += 1),
    });
    if (work.current.held && !stopping.current.signal.aborted) phase.value = 'held';
    else await finish(work.current);
  };
  const stop = () => {
    stopping.current.abort();
    // what is on its way is waited for; else there is nobody to notice
    if (phase.value === 'held') void finish(work.current!);
  };
  useEffect(() => {
    void find();
    const warn = (event: BeforeUnloadEvent) => phase.peek() === 'working' && event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      removeEventListener('beforeunload', warn);
      stopping.current.abort();
    };
  }, []);
  // each step is drawn
  void step.value;
  const { done = 0, refused = [], unsure = [], held = '' } = work.current ?? {};
  const shown = { phase: phase.value, found: found.value, rows: rows.current, done, refused, unsure: [...unsure] };
  return { ...shown, problem: held || problem.value, start, again: find, stop };
}
