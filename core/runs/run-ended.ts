import type { RunRow, RunStatus } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Bus } from '../queue/bus.ts';
import { isTerminal } from './states.ts';

export type RunEnd = Pick<RunRow, 'id' | 'kind' | 'name' | 'job_explanation'> & { status: RunStatus };

/** Messages may be lost: asked for anyhow, so often. */
const LOOK_MS = 5000;

/** How a run ended, once it has; null where it is no more. @throws the signal's reason */
export async function runEnded(
  { db, bus }: { db: Knex; bus: Bus },
  id: number,
  signal: AbortSignal,
): Promise<RunEnd | null> {
  let wake = () => {};
  const off = bus.on('status', ({ run, status }) => void (run === id && isTerminal(status) && wake()));
  const stop = () => wake();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      // listens before it looks, so that no end falls between
      const told = new Promise<void>((resolve) => (wake = resolve));
      // oxlint-disable-next-line no-await-in-loop
      const row: RunEnd | undefined = await db('runs')
        .where({ id })
        .first('id', 'kind', 'name', 'status', 'job_explanation');
      signal.throwIfAborted();
      if (!row || isTerminal(row.status)) return row ?? null;
      const timer = setTimeout(() => wake(), LOOK_MS);
      // oxlint-disable-next-line no-await-in-loop
      await told;
      clearTimeout(timer);
      signal.throwIfAborted();
    }
  } finally {
    off();
    signal.removeEventListener('abort', stop);
  }
}
