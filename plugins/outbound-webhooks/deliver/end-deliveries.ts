import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import { type Ended, publishEnded } from '../live.ts';
import { open } from './claim.ts';

const mostAtOnce = 1000;

const ended = ({ table }: Pick<PluginApi, 'table'>, why: string): string =>
  `update ${table('outbound_webhook_deliveries')} d set status = 'failed', error = '${why}', finished = now(), next_attempt = null`;

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
      `${ended(api, 'The webhook was disabled.')} where d.id = any (array(
        select d.id from ${deliveries} d join ${table('outbound_webhooks')} w on w.id = d.outbound_webhook_id
        where not w.enabled and w.id = coalesce(?, w.id) and ${open}
        order by d.id limit ${mostAtOnce} for update of d skip locked
      ))
      returning d.id, d.outbound_webhook_id`,
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
    `${ended(api, 'The webhook went to another organization.')} where d.outbound_webhook_id = ? and ${open}
    returning d.id, d.outbound_webhook_id`,
    [webhook],
  );
  await publishEnded(api, trx, rows.slice(0, mostTold));
}
