import type { Knex, PluginApi, Rule } from '@tapline/plugin-sdk';
import type { Claimed } from './deliver/claim.ts';

const group = 'outbound_webhook_deliveries';

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
