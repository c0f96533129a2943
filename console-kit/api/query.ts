import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { ApiFailure, request } from './http.ts';
import { onResync } from './live.ts';
import type { Page } from './types.ts';

export interface Query<T> {
  data: Signal<T | undefined>;
  error: Signal<ApiFailure | null>;
  /** Reads it again, in the background. */
  reload: () => Promise<void>;
}

/** What the API answers at `path`, read again when the path changes and after a lost connection; null reads nothing. */
export function useQuery<T>(path: string | null, method: 'GET' | 'OPTIONS' = 'GET'): Query<T> {
  const read = useCallback((quiet: boolean) => request<T>(method, path ?? '', { quiet }), [path, method]);
  return useRead(path === null ? null : read);
}

const longestPage = 200;

/** Every record of a list that somebody has to see as a whole, in pages of the longest that the API gives. */
export function useAll<T>(list: string): Query<T[]> {
  const read = useCallback(
    async (quiet: boolean) => {
      const all: T[] = [];
      let next: string | null = `${list}?page_size=${longestPage}`;
      while (next) {
        const page: Page<T> = await request('GET', next, { quiet });
        all.push(...page.results);
        ({ next } = page);
      }
      return all;
    },
    [list],
  );
  return useRead(read);
}

/** As long as `read` stays the same function, what it found is kept. */
export function useRead<T>(read: ((quiet: boolean) => Promise<T>) | null): Query<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<ApiFailure | null>(null);
  const asked = useRef(0);

  const load = useCallback(
    async (quiet: boolean) => {
      if (!read) return;
      const turn = ++asked.current;
      try {
        const found = await read(quiet);
        if (turn !== asked.current) return;
        data.value = found;
        error.value = null;
      } catch (failure) {
        if (turn !== asked.current) return;
        error.value = failure instanceof ApiFailure ? failure : new ApiFailure(0, null);
      }
    },
    [read],
  );

  useEffect(() => {
    data.value = undefined;
    error.value = null;
    void load(false);
    const stop = onResync(() => void load(true));
    return () => {
      stop();
      asked.current += 1;
    };
  }, [load]);

  const reload = useCallback(() => load(true), [load]);
  return { data, error, reload };
}
