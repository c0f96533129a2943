import type { Knex } from 'knex';

export interface Reading {
  trx: Knex.Transaction;
  /** Ends what the database does for it just now. */
  cancel: () => Promise<void>;
  close: () => Promise<void>;
}

/** A read-only transaction that sees the rows as they were when it began. Aborting ends what the database does for it just now. */
export async function beginReading(db: Knex, signal: AbortSignal): Promise<Reading> {
  const trx = await db.transaction(undefined, { isolationLevel: 'repeatable read', readOnly: true });
  let cancelling: Promise<void> | undefined;
  let pid = 0;
  const cancel = () => (cancelling ??= cancelBackend(db, pid).catch(() => undefined));
  const close = async () => {
    // it must not meet who has the connection next
    signal.removeEventListener('abort', cancel);
    await cancelling;
    await trx.rollback().catch(() => undefined);
  };
  try {
    // all rows are wanted, not the first ones soon
    const { rows } = await trx.raw(`select pg_backend_pid() as pid, set_config('cursor_tuple_fraction', '1', true)`);
    pid = rows[0].pid;
    signal.addEventListener('abort', cancel);
  } catch (error) {
    await close();
    throw error;
  }
  return { trx, cancel, close };
}

async function cancelBackend(db: Knex, pid: number): Promise<void> {
  await db.raw('select pg_cancel_backend(?)', [pid]);
}
