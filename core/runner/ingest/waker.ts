/** Remembers that something happened until it is asked for: nothing that happens between two waits is missed. */
export function createWaker(signal: AbortSignal) {
  let rung = false;
  let resolve: (() => void) | null = null;
  const ring = () => {
    rung = true;
    resolve?.();
  };
  signal.addEventListener('abort', ring, { once: true });
  return {
    ring,
    /** Resolves when rung since the last wait, at the latest after `ms`. */
    async wait(ms: number): Promise<void> {
      if (!rung) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((done) => {
          resolve = done;
          timer = setTimeout(done, ms);
        });
        clearTimeout(timer);
        resolve = null;
      }
      rung = false;
    },
    stop: () => signal.removeEventListener('abort', ring),
  };
}
