import type { Knex } from 'knex';

/** Runs once the transaction has committed, and never when it rolls back; at once where there is none. */
export function afterCommit(trx: Knex, work: () => void): void {
  if (!trx.isTransaction) return work();
  (trx as Knex.Transaction).executionPromise.then(work, () => undefined);
}
