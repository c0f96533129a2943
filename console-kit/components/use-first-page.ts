import { useLayoutEffect } from 'preact/hooks';
import type { Query } from '../api/query.ts';
import { go, place } from '../router.ts';

/** Leads to the first page of a list where the page asked for is gone: all of its rows went, or its address is old. */
export function useFirstPage({ error }: Pick<Query<unknown>, 'error'>, page: number): void {
  const gone = page > 1 && error.value?.status === 404;
  // before it is painted: that there is no such list would be told for a moment
  useLayoutEffect(() => {
    if (!gone) return;
    const { path, query } = place.peek();
    const rest = new URLSearchParams(query);
    rest.delete('page');
    go(rest.size ? `${path}?${rest}` : path, { replace: true });
  }, [gone]);
}
