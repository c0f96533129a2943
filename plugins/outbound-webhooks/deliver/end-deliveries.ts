import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import { type Ended, publishEnded } from '../live.ts';

const mostAtOnce = 1000;

/**
 * Ends what webhooks that are switched off, or this one, had still to deliver and nobody is at: when they are switched on again
 * it would tell of what is long over. Of a long backlog it ends the oldest, as each live message is a statement of its own.
 * @returns whether there may be more
 */
export async function endDeliveries(api: PluginApi, db: Knex, webhook: number | null = null): Promise<boolean> {
  const { table } = api;
  const deliveries = table('outbound_webhook_deliveries');
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: Ended[] }>(
      `update ${deliveries} set status = 'failed', error = 'The webhook was disabled.', finished = now(), next_attempt = null
      where id = any (array(
        select d.id from ${deliveries} d join ${table('outbound_webhooks')} w on w.id = d.outbound_webhook_id
        where not w.enabled and w.id = coalesce(?, w.id) and d.finished is null
          and (d.leased_until is null or d.leased_until <= clock_timestamp())
        order by d.id limit ${mostAtOnce} for update of d skip locked
      ))
      returning id, outbound_webhook_id`,
      [webhook],
    );
    await publishEnded(api, trx, rows);
    return rows.length === mostAtOnce;
  });
}

const mostTold = 500;

/**
 * What a webhook had still to tell of an organization that it does not belong to any more: its target may be another one now. Whoever
 * looks on hears of some of them.
 */
export async function leaveDeliveries(api: PluginApi, trx: Knex, webhook: number): Promise<void> {
  const { rows } = await trx.raw<{ rows: Ended[] }>(
    `update ${api.table('outbound_webhook_deliveries')}
    set status = 'failed', error = 'The webhook went to another organization.', finished = now(), next_attempt = null
    where outbound_webhook_id = ? and finished is null and (leased_until is null or leased_until <= clock_timestamp())
    returning id, outbound_webhook_id`,
    [webhook],
  );
  await publishEnded(api, trx, rows.slice(0, mostTold));
}
