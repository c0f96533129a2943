import type { Knex, NotificationOutcome, PluginApi, Task } from '@tapline/plugin-sdk';

interface Pending {
  id: number;
  summary: string;
}

interface RuleRow {
  id: number;
  name: string;
  notification_template_id: number | null;
}

const mostLines = 100;

/** Tells of all alerts of a rule that nobody was told of yet, in one message. */
export async function notifyRule(api: PluginApi, told: Task<NotificationOutcome>, rule: number): Promise<void> {
  await api.db.transaction(async (trx) => {
    const found: RuleRow | undefined = await trx(api.table('alert_rules')).where({ id: rule }).forUpdate().first();
    if (!found) return;
    const alerts: Pending[] = await trx(api.table('alerts'))
      .where({ alert_rule_id: rule, notification_status: 'pending', notification_id: null })
      .orderBy('id')
      .select('id', 'summary');
    if (!alerts.length) return;
    const ids = alerts.map(({ id }) => id);
    const template = found.notification_template_id;
    if (template === null) {
      await failAlerts(api, trx, ids, 'The notification template of the rule is gone.');
      return;
    }
    const notification = await api.notify.deliver({
      template,
      trx,
      told: { task: told },
      subject: subjectOf(found, alerts),
      body: bodyOf(alerts),
    });
    await trx(api.table('alerts')).whereIn('id', ids).update({ notification_id: notification });
  });
}

export async function failAlerts({ table }: PluginApi, db: Knex, ids: readonly number[], why: string): Promise<void> {
  await db(table('alerts')).whereIn('id', ids).update({ notification_status: 'failed', notification_error: why });
}

/** What became of a message is what became of the alerts that it told of. */
export async function noteOutcome(
  { db, table }: PluginApi,
  { notification, status, error }: NotificationOutcome,
): Promise<void> {
  await db(table('alerts'))
    .where({ notification_id: notification, notification_status: 'pending' })
    .update(
      status === 'successful'
        ? { notification_status: 'sent' }
        : { notification_status: 'failed', notification_error: error },
    );
}

const subjectOf = ({ name }: RuleRow, alerts: readonly Pending[]) =>
  alerts.length === 1 ? `Drift: ${alerts[0]!.summary}` : `Drift: ${name}: alerts of ${alerts.length} hosts`;

function bodyOf(alerts: readonly Pending[]): string {
  const lines = alerts.slice(0, mostLines).map(({ id, summary }) => `Alert ${id}: ${summary}`);
  const more = alerts.length - lines.length;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}
