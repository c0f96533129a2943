import type { Knex, PluginApi, Rule } from '@tapline/plugin-sdk';

const group = 'event_logs';
/** What one message can name. */
const mostIds = 500;

interface Told {
  id: number;
  event_rule_id: number | null;
}

/** `event_logs: [<rule>]`: whoever may see a rule hears of its events. */
export function defineGroup(api: PluginApi, { see }: { see: Rule }): void {
  api.websocket.group({
    name: group,
    async join(actor, item, db) {
      if (!Number.isSafeInteger(Number(item))) return false;
      const rule = await db(api.table('event_rules'))
        .where({ id: Number(item) })
        .first('organization_id');
      return rule !== undefined && see.row(actor, rule, db);
    },
  });
}

/** A message for each rule, with the logs that are now in this state. */
export async function publishLogs(api: PluginApi, trx: Knex, logs: readonly Told[], status: string): Promise<void> {
  const byRule = Map.groupBy(logs, ({ event_rule_id: rule }) => rule);
  for (const [rule, told] of byRule)
    if (rule !== null)
      // of one transaction
      // oxlint-disable-next-line no-await-in-loop
      await api.websocket.publish(trx, group, rule, { status, event_logs: told.slice(0, mostIds).map(({ id }) => id) });
}
