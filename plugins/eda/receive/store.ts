import type { Knex, PluginApi, Task } from '@tapline/plugin-sdk';
import { publishLogs } from '../live.ts';
import { together } from '../together.ts';
import type { EvaluatePayload } from '../evaluate/task.ts';

/** A verified event, on its way into the inbox. */
export interface Receipt {
  rule: number;
  source_ip: string;
  event_type: string;
  event_guid: string;
  /** the sender gave it its name: it must not come again */
  named: boolean;
  payload: string;
  headers: Record<string, string>;
}

export type Stored = { id: number; outcome: 'received' | 'duplicate' } | { outcome: 'gone' };

interface Row {
  id: number;
  event_rule_id: number;
  event_guid: string;
}

const keyOf = ({ event_rule_id: rule, event_guid: guid }: Omit<Row, 'id'>) => `${rule} ${guid}`;
const keyOfReceipt = ({ rule, event_guid }: Receipt) => keyOf({ event_rule_id: rule, event_guid });

/** Resolves when the event is committed, together with the task that evaluates it. */
export function createStore(api: PluginApi, evaluate: Task<EvaluatePayload>): (receipt: Receipt) => Promise<Stored> {
  return together(
    (receipts: Receipt[]) =>
      api.db.transaction(async (trx) => {
        // in one order everywhere, since two nodes may be at the same names
        const sorted = receipts.toSorted((a, b) => (keyOfReceipt(a) < keyOfReceipt(b) ? -1 : 1));
        const inserted = await insert(api, trx, sorted);
        const known = new Map(inserted.map((row) => [keyOf(row), row.id]));
        if (inserted.length) {
          await evaluate.enqueue(trx, { logs: inserted.map(({ id }) => id) });
          await publishLogs(api, trx, inserted, 'received');
        }
        const before = inserted.length < receipts.length ? await countDuplicates(api, trx, sorted, known) : new Map();
        const fresh = new Set(known.keys());
        return receipts.map((receipt): Stored => {
          const key = keyOfReceipt(receipt);
          // of two with one name in this batch the first is new
          if (fresh.delete(key)) return { id: known.get(key)!, outcome: 'received' };
          const id = known.get(key) ?? before.get(key);
          return id === undefined ? { outcome: 'gone' } : { id, outcome: 'duplicate' };
        });
      }),
    100,
  );
}

/** One statement for all of them. A rule that is deleted meanwhile takes none. */
async function insert({ table }: PluginApi, trx: Knex, receipts: readonly Receipt[]): Promise<Row[]> {
  const column = <K extends keyof Receipt>(name: K) => receipts.map((receipt) => receipt[name]);
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `with given as (
      select g.*, r.name, r.organization_id, r.source_type, nextval(pg_get_serial_sequence(?, 'id')) as payload_id
      from unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::boolean[], ?::text[], ?::text[])
        as g(rule, source_ip, event_type, event_guid, named, payload, headers)
      join ${table('event_rules')} r on r.id = g.rule
      for key share of r
    ), log as (
      insert into ${table('event_logs')} (event_rule_id, event_rule_name, organization_id, source_type, source_ip, event_type, event_guid,
        dedup_guid, payload_id, headers, status)
      select rule, name, organization_id, source_type, source_ip, event_type, event_guid,
        case when named then event_guid end, payload_id, headers::jsonb, 'received' from given
      on conflict (event_rule_id, dedup_guid) do nothing
      returning id, event_rule_id, event_guid, payload_id
    ), body as (
      insert into ${table('payloads')} (id, body, bytes)
      select g.payload_id, g.payload::json, octet_length(g.payload) from given g join log on log.payload_id = g.payload_id
    )
    select id, event_rule_id, event_guid from log`,
    [
      table('payloads'),
      column('rule'),
      column('source_ip'),
      column('event_type'),
      column('event_guid'),
      column('named'),
      column('payload'),
      column('headers').map((headers) => JSON.stringify(headers)),
    ],
  );
  return rows;
}

async function countDuplicates(
  { table }: PluginApi,
  trx: Knex,
  receipts: readonly Receipt[],
  known: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const counts = new Map<string, { receipt: Receipt; times: number }>();
  for (const receipt of receipts) {
    if (!receipt.named) continue;
    const key = keyOfReceipt(receipt);
    const counted = counts.get(key) ?? { receipt, times: known.has(key) ? -1 : 0 };
    counted.times += 1;
    counts.set(key, counted);
  }
  const again = [...counts.values()].filter(({ times }) => times > 0);
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `update ${table('event_logs')} l set duplicates = l.duplicates + g.times
    from unnest(?::bigint[], ?::text[], ?::integer[]) as g(rule, guid, times)
    where l.event_rule_id = g.rule and l.dedup_guid = g.guid
    returning l.id, l.event_rule_id, l.event_guid`,
    [
      again.map(({ receipt }) => receipt.rule),
      again.map(({ receipt }) => receipt.event_guid),
      again.map(({ times }) => times),
    ],
  );
  return new Map(rows.map((row) => [keyOf(row), row.id]));
}
