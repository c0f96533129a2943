import type { PluginApi } from '@tapline/plugin-sdk';
import type { Delivery, Webhook } from '../webhook.ts';

/** Longer than a request can take: whoever held it has died. */
const leaseSeconds = 40;

export type Claimed = Delivery & { webhook: Webhook };

/**
 * Takes deliveries that are due: of each webhook no more than its share, so that one that hangs keeps nobody else waiting, and
 * none that another node is at. What a dead node held is due again when its lease is over. The request does not wait until the disk has
 * the claim: one that a crash of the database takes back is a message that is sent again, with the same `webhook-id`.
 */
export async function claim({ db, table, settings }: PluginApi, most: number): Promise<Claimed[]> {
  const deliveries = table('outbound_webhook_deliveries');
  const { rows } = await db.raw<{ rows: Delivery[] }>(
    `update ${deliveries} set attempt = attempt + 1, leased_until = clock_timestamp() + interval '${leaseSeconds} seconds'
    from (select set_config('synchronous_commit', 'off', true)) as no_wait
    where id in (
      select due.id from ${table('outbound_webhooks')} w
      cross join lateral (
        select greatest(0, ? - count(*)) as free from ${deliveries} d
        where d.outbound_webhook_id = w.id and d.finished is null and d.leased_until > clock_timestamp()
      ) room
      cross join lateral (
        select d.id from ${deliveries} d
        where d.outbound_webhook_id = w.id and d.finished is null and d.next_attempt <= clock_timestamp()
          and (d.leased_until is null or d.leased_until <= clock_timestamp())
        order by d.next_attempt, d.id limit room.free
        for update skip locked
      ) due
      where w.enabled limit ?
    )
    returning id, outbound_webhook_id, message_id, event, body, attempt`,
    [settings.get('OUTBOUND_WEBHOOK_PARALLEL', 4), most],
  );
  if (!rows.length) return [];
  const webhooks: Webhook[] = await db(table('outbound_webhooks')).whereIn(
    'id',
    rows.map((row) => row.outbound_webhook_id),
  );
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  return rows.flatMap((row) => {
    const webhook = byId.get(row.outbound_webhook_id);
    return webhook ? [{ ...row, webhook }] : [];
  });
}
