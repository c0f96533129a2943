interface Looking {
  /** what follows the look that goes on now; whoever asks meanwhile is served by it */
  next?: { whole: boolean };
  over: Promise<void>;
}

type Look = (run: number, look: { whole: boolean }) => Promise<void>;

/**
 * One look at a run at a time, and one more for all who ask while it goes on: a look takes the lock of the run's row, and of a
 * workflow with many nodes so many would wait for it that they held every connection there is.
 * Of those who ask, one stays until the look that serves all of them has ended: should the process die, its task is done again.
 */
export function oneLook(look: Look): Look {
  const running = new Map<number, Looking>();
  return async function ask(run, { whole }) {
    const current = running.get(run);
    if (current?.next) return void (current.next.whole ||= whole);
    const mine = { whole };
    if (current) {
      current.next = mine;
      await current.over;
    }
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    running.set(run, { over });
    try {
      await look(run, mine);
    } finally {
      if (!running.get(run)!.next) running.delete(run);
      end();
    }
  };
}
