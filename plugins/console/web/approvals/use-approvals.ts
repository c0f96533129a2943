import { signal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { gathered, onResync, onStatus, type Page, type Query, type Row, useQuery, useRead } from '@tapline/console-kit';
import { type Open, readOpen } from './open.ts';

const pauseMs = 500;
const type = 'workflow_approval';

/** Calls `work` after approvals began to wait, were voted on or decided. */
export function whenApprovalsChange(work: () => void): () => void {
  const again = gathered(work, pauseMs);
  const off = onStatus((change) => change.type === type && again.call());
  return () => {
    off();
    again.cancel();
  };
}

/** Approvals, or one of them, as they are by now. */
export function useApprovals<T = Page<Row>>(path: string): Query<T> {
  return useChanging(useQuery<T>(path));
}

/** So many at least that wait for the caller, or all. */
export function useOpenApprovals(enough: number): Query<Open> {
  const read = useCallback((quiet: boolean) => readOpen(enough, quiet), [enough]);
  return useChanging(useRead(read));
}

function useChanging<T>(query: Query<T>): Query<T> {
  useEffect(() => whenApprovalsChange(() => void query.reload()), [query.reload]);
  return query;
}

/** More are not counted for the menu. */
const mostCounted = 99;

/** How many wait for the caller, for the menu; undefined until somebody has asked. */
export const waitingApprovals = signal<string | undefined>(undefined);

const count = async () => {
  const { rows, more } = await readOpen(mostCounted, true);
  const shown = Math.min(rows.length, mostCounted);
  waitingApprovals.value = shown === 0 ? '' : `${shown}${more || rows.length > shown ? '+' : ''}`;
};

/** Keeps the number true while somebody is logged in. */
export function useWaitingApprovals(): void {
  useEffect(() => {
    const read = () => void count().catch(() => undefined);
    read();
    const [off, stop] = [whenApprovalsChange(read), onResync(read)];
    return () => {
      off();
      stop();
    };
  }, []);
}
