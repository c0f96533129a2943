import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import type { Delivery, Webhook } from '../webhook.ts';

/** Longer than a request can take: whoever held it has died. */
const leaseSeconds = 40;

export type Claimed = Delivery & { webhook: Webhook };

/** What a node has room for: in all, and of that for webhooks whose latest deliveries failed. */
export interface Places {
  all: number;
  failing: number;
}

/**
 * Takes deliveries that are due: of each webhook no more than its share, so that one that hangs keeps nobody else waiting, and
 * none that another node is at. What a dead node held is due again when its lease is over. The request does not wait until the disk has
 * the claim: one that a crash of the database takes back is a message that is sent again, with the same `webhook-id`.
 */
export async function claim({ db, table, settings }: PluginApi, places: Places): Promise<Claimed[]> {
  const most = settings.get('OUTBOUND_WEBHOOK_PARALLEL', 4);
  const rows = await db.transaction(async (trx) => {
    // nodes count what is under way one after the other: in one statement each would count before the other's claim is there
    await trx.raw(
      `select pg_advisory_xact_lock(hashtext('claim of outbound webhooks')), set_config('synchronous_commit', 'off', true)`,
    );
    return take(trx, table, { most, ...places });
  });
  if (!rows.length) return [];
  const webhooks: Webhook[] = await db(table('outbound_webhooks')).whereIn(
    'id',
    rows.map((row) => row.outbound_webhook_id),
  );
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  return rows.flatMap((row) => {
    const webhook = byId.get(row.outbound_webhook_id);
    // switched off since: it ends with its lease
    return webhook?.enabled ? [{ ...row, webhook }] : [];
  });
}

/** The first of each webhook come before the second of any. */
async function take(
  trx: Knex,
  table: PluginApi['table'],
  { most, all, failing }: Places & { most: number },
): Promise<Delivery[]> {
  const deliveries = table('outbound_webhook_deliveries');
  const { rows } = await trx.raw<{ rows: Delivery[] }>(
    `update ${deliveries} set attempt = attempt + 1, leased_until = clock_timestamp() + interval '${leaseSeconds} seconds'
    where id in (
      select id from (
        select due.id, due.place, due.next_attempt, w.failing_since is null as well,
          row_number() over (partition by w.failing_since is null order by due.place, due.next_attempt, due.id) as of_kind
        from ${table('outbound_webhooks')} w
        cross join lateral (
          select greatest(0, ? - count(*)) as free from ${deliveries} d
          where d.outbound_webhook_id = w.id and d.finished is null and d.leased_until > clock_timestamp()
        ) room
        cross join lateral (
          select id, next_attempt, row_number() over (order by next_attempt, id) as place from (
            select d.id, d.next_attempt from ${deliveries} d
            where d.outbound_webhook_id = w.id and d.finished is null and d.next_attempt <= clock_timestamp()
              and (d.leased_until is null or d.leased_until <= clock_timestamp())
            order by d.next_attempt, d.id limit room.free
            for update skip locked
          ) own
        ) due
        where w.enabled
      ) found
      where well or of_kind <= ?
      order by place, next_attempt, id limit ?
    )
    returning id, outbound_webhook_id, message_id, event, body, attempt`,
    [most, failing, all],
  );
  return rows;
}
