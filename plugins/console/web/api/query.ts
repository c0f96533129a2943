import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { ApiFailure, get } from './http.ts';
import { onResync } from './live.ts';

export interface Query<T> {
  data: Signal<T | undefined>;
  error: Signal<ApiFailure | null>;
  /** Reads it again, in the background. */
  reload: () => Promise<void>;
}

/** What the API answers at `path`, read again when the path changes and after a lost connection; null reads nothing. */
export function useQuery<T>(path: string | null): Query<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<ApiFailure | null>(null);
  const asked = useRef(0);

  const load = useCallback(
    async (quiet: boolean) => {
      if (path === null) return;
      const turn = ++asked.current;
      try {
        const found = await get<T>(path, { quiet });
        if (turn !== asked.current) return;
        data.value = found;
        error.value = null;
      } catch (failure) {
        if (turn !== asked.current) return;
        error.value = failure instanceof ApiFailure ? failure : new ApiFailure(0, null);
      }
    },
    [path],
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
