import type { Knex } from 'knex';
import { canonicalSql, chained, inTurnSql, origin } from './canonical.ts';

const batch = 2000;

/** Where the chain ends. */
export interface Head {
  seq: number;
  hash: Buffer;
}

export async function headOf(db: Knex): Promise<Head> {
  const { rows } = await db.raw(
    `select seq, hash from (select seq, hash from audit_seals union all select seq, hash from audit_checkpoints) s order by seq desc limit 1`,
  );
  return rows[0] ?? { seq: 0, hash: origin };
}

/** Chains what was written since; resolves to how many events that were, and to the new end. Writing itself waits for nobody. */
export async function sealEvents(db: Knex): Promise<{ sealed: number; head: Head }> {
  for (let sealed = 0; ;) {
    // oxlint-disable-next-line no-await-in-loop
    const { count, head } = await db.transaction(sealBatch);
    sealed += count;
    if (count < batch) return { sealed, head };
  }
}

async function sealBatch(trx: Knex): Promise<{ count: number; head: Head }> {
  await trx.raw(inTurnSql);
  let head = await headOf(trx);
  const { rows }: { rows: { id: number; text: string }[] } = await trx.raw(
    `select e.id, ${canonicalSql('e')} as text from audit_unsealed u join audit_events e on e.id = u.event_id order by e.id limit ${batch}`,
  );
  const seals = rows.map(({ id, text }) => {
    head = { seq: Number(head.seq) + 1, hash: chained(head.hash, text) };
    return { id, ...head };
  });
  if (seals.length)
    await trx.raw(
      `with stored as (insert into audit_seals (seq, event_id, hash) select * from unnest(:seqs::bigint[], :ids::bigint[], :hashes::bytea[]))
       delete from audit_unsealed where event_id = any (:ids)`,
      {
        seqs: seals.map(({ seq }) => seq),
        ids: seals.map(({ id }) => id),
        hashes: seals.map(({ hash }) => hash),
      },
    );
  return { count: seals.length, head };
}
