/** Remembers that something happened until it is asked for: nothing that happens between two waits is missed. */
export function createWaker(signal: AbortSignal) {
  let rung = false;
  let pressing = false;
  let done: (() => void) | null = null;
  let until: 'any' | 'pressing' = 'any';
  const ring = (urgent = false) => {
    rung = true;
    pressing ||= urgent;
    if (urgent || until === 'any') done?.();
  };
  const abort = () => ring(true);
  signal.addEventListener('abort', abort, { once: true });

  async function pause(ms: number, whichever: 'any' | 'pressing'): Promise<boolean> {
    if (!pressing && !(rung && whichever === 'any')) {
      let timer: NodeJS.Timeout | undefined;
      until = whichever;
      await new Promise<void>((resolve) => {
        done = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      done = null;
    }
    const hurry = pressing;
    rung = pressing = false;
    return hurry;
  }

  return {
    ring,
    /** Resolves when rung since the last pause, at the latest after `ms`; true when it is urgent. */
    wait: (ms: number) => pause(ms, 'any'),
    /** Resolves after `ms`, or at once when something urgent happens. */
    rest: (ms: number) => pause(ms, 'pressing'),
    stop: () => signal.removeEventListener('abort', abort),
  };
}
