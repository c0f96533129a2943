import type { PluginApi } from '@tapline/plugin-sdk';
import type { Rule } from '../rule.ts';
import { together } from '../together.ts';
import type { ReceivingRule } from './known-rules.ts';

/** A verified event, on its way into the inbox. */
export interface Receipt {
  /** as it was when it was verified */
  rule: ReceivingRule;
  source_ip: string;
  event_type: string;
  event_guid: string;
  /** the sender gave it its name: it must not come again */
  named: boolean;
  payload: string;
  headers: Record<string, string>;
}

/** `changed`: the rule is no longer what the event was verified by */
export type Stored =
  | { id: number; outcome: 'received' | 'duplicate'; duplicate_response: Rule['duplicate_response'] }
  | { outcome: 'changed' };

/** A receipt, and how often it came in one batch. */
interface Given {
  receipt: Receipt;
  times: number;
}

const limits = { most: 100, atOnce: 2 };

/**
 * Resolves when the event is committed. One statement, without a transaction around it, stores what came together, knows what came
 * before, and holds the rules against what the events were verified by: it is all that a receipt asks of the database, and commits
 * beside others, which a transaction that sends a message cannot.
 */
export const createStore = (api: PluginApi, stored: () => void): ((receipt: Receipt) => Promise<Stored>) =>
  together(async (receipts: Receipt[]) => {
    const given = givenOf(receipts);
    const rows = await insert(api, given);
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    stored();
    const places = new Map(given.map(({ receipt }, place) => [keyOf(receipt), place + 1]));
    const first = new Set<number>();
    return receipts.map((receipt): Stored => {
      const place = places.get(keyOf(receipt))!;
      const row = byPlace.get(place);
      if (!row) return { outcome: 'changed' };
      const received = row.fresh && !first.has(place);
      first.add(place);
      const { id, duplicate_response } = row;
      return { id, outcome: received ? 'received' : 'duplicate', duplicate_response };
    });
  }, limits);

const keyOf = ({ rule, event_guid }: Receipt) => `${rule.id} ${event_guid}`;

/** Each name once, and in one order everywhere, since two nodes may be at the same names. */
function givenOf(receipts: readonly Receipt[]): Given[] {
  const given = new Map<string, Given>();
  for (const receipt of receipts) {
    const key = keyOf(receipt);
    given.set(key, { receipt: given.get(key)?.receipt ?? receipt, times: (given.get(key)?.times ?? 0) + 1 });
  }
  return [...given].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

interface Row {
  place: number;
  id: number;
  fresh: boolean;
  duplicate_response: Rule['duplicate_response'];
}

async function insert({ db, table }: PluginApi, given: readonly Given[]): Promise<Row[]> {
  const column = <T>(of: (receipt: Receipt) => T) => given.map(({ receipt }) => of(receipt));
  const { rows } = await db
    .raw<{ rows: Row[] }>(
      `with given as (
      select g.*, r.name, r.organization_id, r.duplicate_response, nextval(pg_get_serial_sequence(?, 'id')) as payload_id
      from unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::boolean[], ?::text[], ?::text[], ?::integer[])
        with ordinality as g(rule, key, source_type, source_ip, event_type, event_guid, named, payload, headers, times, place)
      join ${table('event_rules')} r on r.id = g.rule and r.enabled and r.webhook_key = g.key and r.source_type = g.source_type
    ), log as (
      insert into ${table('event_logs')} as l (event_rule_id, event_rule_name, organization_id, source_type, source_ip, event_type, event_guid,
        dedup_guid, duplicates, payload_id, headers, status)
      select rule, name, organization_id, source_type, source_ip, event_type, event_guid,
        case when named then event_guid end, times - 1, payload_id, headers::jsonb, 'received' from given order by place
      on conflict (event_rule_id, dedup_guid) do update set duplicates = l.duplicates + excluded.duplicates + 1
      returning id, event_rule_id, event_guid, payload_id
    ), fresh as (
      insert into ${table('inbox')} (event_log_id) select log.id from log join given g on g.payload_id = log.payload_id
    ), body as (
      insert into ${table('payloads')} (id, body, bytes)
      select g.payload_id, g.payload::json, octet_length(g.payload) from given g join log on log.payload_id = g.payload_id
    )
    select g.place::int, log.id, log.payload_id = g.payload_id as fresh, g.duplicate_response
    from log join given g on g.rule = log.event_rule_id and g.event_guid = log.event_guid`,
      [
        table('payloads'),
        column(({ rule }) => rule.id),
        column(({ rule }) => rule.webhook_key),
        column(({ rule }) => rule.source_type),
        column(({ source_ip }) => source_ip),
        column(({ event_type }) => event_type),
        column(({ event_guid }) => event_guid),
        column(({ named }) => named),
        column(({ payload }) => payload),
        column(({ headers }) => JSON.stringify(headers)),
        given.map(({ times }) => times),
      ],
    )
    // planned once for each connection
    .options({ name: 'eda-store' });
  return rows;
}
