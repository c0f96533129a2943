import type { Knex } from 'knex';
import { insertActivityEntries } from '../db/activity-entry.ts';
import { inTurnSql } from './canonical.ts';

const mostAtOnce = 100_000;

interface Deps {
  db: Knex;
  /** name of this node */
  node: string;
  /** 0 keeps all */
  days: number;
}

/**
 * Removes events from the beginning of the chain, and puts the hash of the last one that goes where the chain then begins; an event
 * of its own says so. Resolves to how many went.
 */
export async function removeOldEvents({ db, node, days }: Deps): Promise<number> {
  if (days <= 0) return 0;
  return db.transaction(async (trx) => {
    await trx.raw(inTurnSql);
    const last = await lastToGo(trx, days);
    if (!last) return 0;
    await trx.raw(`select set_config('tapline.audit_retention', 'on', true)`);
    const removed: number = await trx('audit_events')
      .whereIn('id', trx('audit_seals').where('seq', '<=', last.seq).select('event_id'))
      .delete();
    await trx('audit_seals').where('seq', '<=', last.seq).delete();
    await trx.raw(`select set_config('tapline.audit_retention', 'off', true)`);
    await trx('audit_checkpoints').insert({ ...last, removed });
    const details = { seq: Number(last.seq), hash: last.hash.toString('hex'), removed, days };
    await insertActivityEntries(trx, [
      {
        operation: 'delete',
        action: 'audit_retention',
        told: false,
        object: 'audit_event',
        node,
        user: null,
        organization: null,
        changes: details,
        about: [],
      },
    ]);
    return removed;
  });
}

/** The last seal of those at the beginning whose events are all too old. */
async function lastToGo(trx: Knex, days: number): Promise<{ seq: number; hash: Buffer } | undefined> {
  const { rows } = await trx.raw(
    `with first as (select min(seq) as seq from audit_seals),
       kept as (select min(s.seq) as seq from audit_seals s join audit_events e on e.id = s.event_id
                where e.created >= now() - make_interval(days => :days))
     select s.seq, s.hash from audit_seals s, first, kept
     where s.seq < coalesce(kept.seq, s.seq + 1) and s.seq < first.seq + :most order by s.seq desc limit 1`,
    { days, most: mostAtOnce },
  );
  return rows[0];
}
