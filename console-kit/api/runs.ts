import { useEffect } from 'preact/hooks';
import { type StatusChange, onStatus } from './live.ts';
import { type Query, useQuery } from './query.ts';
import type { Page, Run, RunStatus } from './types.ts';

/** Changes are shown at once; reading again is for what they do not tell. */
const listPauseMs = 1000;
const runPauseMs = 400;

/** Calls `work` once for everything that comes within a moment. */
export function gathered(work: () => void, pauseMs: number): { call: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    call: () =>
      void (timer ??= setTimeout(() => {
        timer = undefined;
        work();
      }, pauseMs)),
    cancel: () => clearTimeout(timer),
  };
}

/** Tells of each change once and in order, whatever comes twice or late; `seq` counts the changes of one run. */
export function inOrder<Change extends StatusChange>(listener: (change: Change) => void): (change: Change) => void {
  const seen = new Map<number, number>();
  return (change) => {
    if ((seen.get(change.unified_job_id) ?? -1) >= change.seq) return;
    seen.set(change.unified_job_id, change.seq);
    listener(change);
  };
}

const bad = new Set(['failed', 'error', 'canceled']);

/** As the list will show it once it is read again. */
function changed(run: Run, { status, finished: ended }: StatusChange): Run {
  const started = run.started ?? (status === 'running' ? new Date().toISOString() : null);
  const finished = ended ?? run.finished;
  const elapsed = started && finished ? (Date.parse(finished) - Date.parse(started)) / 1000 : run.elapsed;
  return { ...run, status: status as RunStatus, failed: bad.has(status), started, finished, elapsed };
}

/** `show` puts a change on the page and says whether it concerns the page; then what it does not tell is read again. */
function useChanges(reload: () => Promise<void>, pauseMs: number, show: (change: StatusChange) => boolean): void {
  useEffect(() => {
    const again = gathered(() => void reload(), pauseMs);
    const off = onStatus(inOrder((change) => show(change) && again.call()));
    return () => {
      off();
      again.cancel();
    };
  }, [reload]);
}

/** A list of runs that stays true. */
export function useRuns(path: string): Query<Page<Run>> {
  const query = useQuery<Page<Run>>(path);
  useChanges(query.reload, listPauseMs, (change) => {
    const page = query.data.peek();
    const update = (run: Run) => (run.id === change.unified_job_id ? changed(run, change) : run);
    if (page) query.data.value = { ...page, results: page.results.map(update) };
    return true;
  });
  return query;
}

/** One run that stays true. */
export function useRun(path: string, id: number): Query<Run> {
  const query = useQuery<Run>(path);
  useChanges(query.reload, runPauseMs, (change) => {
    const run = query.data.peek();
    if (change.unified_job_id !== id) return false;
    if (run) query.data.value = changed(run, change);
    return true;
  });
  return query;
}
