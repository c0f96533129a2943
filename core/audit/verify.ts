import type { Knex } from 'knex';
import { canonicalSql, chained, origin } from './canonical.ts';
import type { Head } from './seal.ts';

const batch = 5000;

export interface Verdict {
  /** how many events were recomputed */
  checked: number;
  /** how many are to be sealed yet */
  waiting: number;
  head: Head;
  /** the first event that does not fit, and why */
  problem?: { event: number | null; why: string };
  /** whether the head that was asked about is one of the chain */
  found: boolean;
}

interface Sealed {
  seq: number;
  event_id: number;
  hash: Buffer;
  text: string | null;
}

/** Computes the whole chain anew, of one state of the database. `expected`: a hash that was the head at some time. */
export async function verifyChain(db: Knex, expected?: string): Promise<Verdict> {
  return db.transaction(
    async (trx) => {
      const checkpoint = await trx('audit_checkpoints').orderBy('seq', 'desc').first('seq', 'hash', 'removed');
      const start: Head = checkpoint ?? { seq: 0, hash: origin };
      const { head, checked, found, problem } = await walk(trx, start, expected);
      const { rows } = await trx.raw('select count(*)::integer as waiting from audit_unsealed');
      return {
        head,
        checked,
        found,
        waiting: rows[0].waiting,
        problem: problem ?? (await unsealedProblem(trx)) ?? (checkpoint && (await checkpointProblem(trx, checkpoint))),
      };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

async function walk(trx: Knex, start: Head, expected: string | undefined) {
  let head = start;
  let checked = 0;
  let found = expected === undefined || start.hash.toString('hex') === expected;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const { rows }: { rows: Sealed[] } = await trx.raw(
      `select s.seq, s.event_id, s.hash, ${canonicalSql('e')} as text, e.id is null as gone
       from audit_seals s left join audit_events e on e.id = s.event_id where s.seq > ? order by s.seq limit ${batch}`,
      [head.seq],
    );
    for (const row of rows) {
      const why = misfit(head, row);
      if (why !== undefined) return { head, checked, found, problem: { event: Number(row.event_id), why } };
      head = { seq: Number(row.seq), hash: row.hash };
      checked += 1;
      found ||= row.hash.toString('hex') === expected;
    }
    if (rows.length < batch) return { head, checked, found, problem: undefined };
  }
}

function misfit(head: Head, { seq, hash, text, gone }: Sealed & { gone?: boolean }): string | undefined {
  const expected = Number(head.seq) + 1;
  if (Number(seq) !== expected) return `the seals from ${expected} to ${Number(seq) - 1} before it are missing`;
  if (gone) return 'it was removed';
  return chained(head.hash, text!).equals(hash) ? undefined : 'it, or its seal, was changed';
}

async function unsealedProblem(trx: Knex): Promise<Verdict['problem']> {
  const { rows } = await trx.raw(
    `select id, why from (
       select e.id, 'it was added beside the log, or will never be sealed' as why from audit_events e
         where not exists (select from audit_seals s where s.event_id = e.id) and not exists (select from audit_unsealed u where u.event_id = e.id)
       union all select u.event_id, 'it was removed before it was sealed' from audit_unsealed u
         where not exists (select from audit_events e where e.id = u.event_id)
     ) p order by id limit 1`,
  );
  return rows[0] && { event: rows[0].id, why: rows[0].why };
}

/** What removed the events before it has to be told in the log itself. */
async function checkpointProblem(trx: Knex, { seq, hash }: Head): Promise<Verdict['problem']> {
  const told = await trx('audit_events')
    .where({ action: 'audit_retention' })
    .whereRaw('details @> ?::jsonb', [JSON.stringify({ seq: Number(seq), hash: hash.toString('hex') })])
    .first('id');
  return told ? undefined : { event: null, why: `events up to seal ${seq} were removed, and no event says so` };
}
