import type { Knex, PluginApi, Rule } from '@tapline/plugin-sdk';
import type { Claimed } from './deliver/claim.ts';

const group = 'outbound_webhook_deliveries';
/** What one message can name. */
const mostIds = 500;

export interface Ended {
  id: number;
  outbound_webhook_id: number;
}

/** `outbound_webhook_deliveries: [<webhook>]`: whoever may see a webhook hears of its tries. */
export function defineGroup(api: PluginApi, { see }: { see: Rule }): void {
  api.websocket.group({
    name: group,
    async join(actor, item, db) {
      if (!Number.isSafeInteger(Number(item))) return false;
      const webhook = await db(api.table('outbound_webhooks'))
        .where({ id: Number(item) })
        .first('organization_id');
      return webhook !== undefined && see.row(actor, webhook, db);
    },
  });
}

/** A try was made, and stands in the delivery's row once this is heard. */
export const publishTry = (api: PluginApi, trx: Knex, { id, outbound_webhook_id: webhook }: Claimed): Promise<void> =>
  api.websocket.publish(trx, group, webhook, { delivery: id });

/** These ended without a try, since their webhooks are switched off. */
export async function publishEnded(api: PluginApi, trx: Knex, ended: readonly Ended[]): Promise<void> {
  for (const [webhook, own] of Map.groupBy(ended, ({ outbound_webhook_id: id }) => id))
    for (let begin = 0; begin < own.length; begin += mostIds) {
      const deliveries = own.slice(begin, begin + mostIds).map(({ id }) => id);
      // of one transaction
      // oxlint-disable-next-line no-await-in-loop
      await api.websocket.publish(trx, group, webhook, { deliveries });
    }
}
