import { useRef } from 'preact/hooks';
import { ApiFailure, attemptKey, post } from '../api/http.ts';

/** Starts a run by a POST. @throws ApiFailure */
export type Launch = <T = any>(path: string, body?: unknown) => Promise<T>;

const mostWaits = 60;
const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** After so long without an answer whoever launches the same wants another run. */
const forgottenMs = 5 * 60_000;

/**
 * Each launch has a key of its own until the service has answered it: pressed twice, or once more soon after an answer that
 * was lost, it starts one run.
 */
export function launcher(): Launch {
  const keys = new Map<string, { key: string; at: number }>();
  const underway = new Map<string, Promise<any>>();
  return (path, body = {}) => {
    const what = JSON.stringify([path, body]);
    const already = underway.get(what);
    if (already) return already;
    const known = keys.get(what);
    const kept = known && Date.now() - known.at < forgottenMs ? known : { key: attemptKey(), at: 0 };
    keys.set(what, kept);
    const sent = answer(path, body, kept.key, () => keys.delete(what));
    underway.set(what, sent);
    const over = () => {
      kept.at = Date.now();
      underway.delete(what);
    };
    sent.then(over, over);
    return sent;
  };
}

/** For as long as the component stands: whoever comes again later wants another run. */
export const useLauncher = (): Launch => (useRef<Launch>(null).current ??= launcher());

async function answer(path: string, body: unknown, key: string, onKnown: () => void): Promise<any> {
  for (let waits = 0; ; waits++) {
    try {
      const found = await post(path, body, { headers: { 'Idempotency-Key': key } });
      onKnown();
      return found;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      const { status, retryAfter } = error;
      // the first request under this key goes on: what it does is the answer
      if (status === 409 && retryAfter !== null && waits < mostWaits) await wait(retryAfter);
      else {
        // refused for good; after all else it may have been launched, or its answer is still to come
        if (status >= 400 && status < 500 && retryAfter === null) onKnown();
        throw error;
      }
    }
  }
}
