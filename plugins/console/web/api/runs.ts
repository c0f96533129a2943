import { useEffect } from 'preact/hooks';
import { type StatusChange, onStatus } from './live.ts';
import { type Query, useQuery } from './query.ts';
import type { Page, Run, RunStatus } from './types.ts';

const gatherMs = 400;

/** Calls `work` once for everything that comes within a moment. */
function gathered(work: () => void): { call: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    call: () =>
      void (timer ??= setTimeout(() => {
        timer = undefined;
        work();
      }, gatherMs)),
    cancel: () => clearTimeout(timer),
  };
}

/** Tells of each change once and in order, whatever comes twice or late; `seq` counts the changes of one run. */
function inOrder(listener: (change: StatusChange) => void): (change: StatusChange) => void {
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

/** A list of runs that stays true: a change is shown at once, then the list is read again. */
export function useRuns(path: string): Query<Page<Run>> {
  const query = useQuery<Page<Run>>(path);
  useEffect(() => {
    const again = gathered(() => void query.reload());
    const off = onStatus(
      inOrder((change) => {
        const page = query.data.peek();
        if (page)
          query.data.value = {
            ...page,
            results: page.results.map((run) => (run.id === change.unified_job_id ? changed(run, change) : run)),
          };
        again.call();
      }),
    );
    return () => {
      off();
      again.cancel();
    };
  }, [query.reload]);
  return query;
}

/** One run that stays true. */
export function useRun(path: string, id: number): Query<Run> {
  const query = useQuery<Run>(path);
  useEffect(() => {
    const again = gathered(() => void query.reload());
    const off = onStatus(
      inOrder((change) => {
        const run = query.data.peek();
        if (change.unified_job_id !== id) return;
        if (run) query.data.value = changed(run, change);
        again.call();
      }),
    );
    return () => {
      off();
      again.cancel();
    };
  }, [query.reload, id]);
  return query;
}
