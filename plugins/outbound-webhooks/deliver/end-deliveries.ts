import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import { type Ended, publishEnded } from '../live.ts';

/**
 * Ends what webhooks that are switched off, or this one, had still to deliver and nobody is at: when they are switched on again
 * it would tell of what is long over.
 */
export async function endDeliveries(api: PluginApi, db: Knex, webhook: number | null = null): Promise<void> {
  const { table } = api;
  const { rows } = await db.raw<{ rows: Ended[] }>(
    `update ${table('outbound_webhook_deliveries')} d
    set status = 'failed', error = 'The webhook was disabled.', finished = now(), next_attempt = null
    from ${table('outbound_webhooks')} w
    where w.id = d.outbound_webhook_id and not w.enabled and w.id = coalesce(?, w.id) and d.finished is null
      and (d.leased_until is null or d.leased_until <= clock_timestamp())
    returning d.id, d.outbound_webhook_id`,
    [webhook],
  );
  await publishEnded(api, db, rows);
}
