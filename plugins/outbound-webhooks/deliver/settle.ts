import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import { publishTry } from '../live.ts';
import type { Webhook } from '../webhook.ts';
import type { Claimed } from './claim.ts';
import { disable } from './disable.ts';
import { pauseAfter } from './schedule.ts';
import type { Sent } from './send.ts';

const mostKept = 20;
const gone = 410;

/** What follows from a try, in one transaction: its record, the next one, and what it says of the webhook. */
export async function settle(api: PluginApi, delivery: Claimed, { attempt, request, retryAfter }: Sent): Promise<void> {
  const { table } = api;
  const delivered = attempt.error === '';
  const pause =
    delivered || attempt.status_code === gone ? undefined : pauseAfter(delivery.attempt, retryAfter, api.clock.now());
  const known = delivery.webhook;
  await api.db.transaction(async (trx) => {
    // before its delivery, as whoever deletes it does: in the other order the two would wait for each other
    if (!delivered || known.failing_since !== null)
      await trx(table('outbound_webhooks')).where({ id: known.id }).forNoKeyUpdate().first('id');
    const noted = await trx(table('outbound_webhook_deliveries'))
      // somebody else took it when the lease was over: what it says counts
      .where({ id: delivery.id, attempt: delivery.attempt, finished: null })
      .update({
        attempts: trx.raw(
          `(select jsonb_agg(one order by place) from (
            select one, place from jsonb_array_elements(attempts || ?::jsonb) with ordinality a(one, place) order by place desc limit ${mostKept}) kept)`,
          [JSON.stringify([attempt])],
        ),
        request: JSON.stringify(request),
        status_code: attempt.status_code,
        duration_ms: attempt.duration_ms,
        error: attempt.error,
        leased_until: null,
        ...(pause === undefined
          ? { status: delivered ? 'successful' : 'failed', finished: trx.fn.now(), next_attempt: null }
          : { next_attempt: trx.raw(`clock_timestamp() + ? * interval '1 second'`, [pause]) }),
      });
    if (!noted) return;
    await publishTry(api, trx, delivery);
    if (delivered) return recovered(api, trx, known);
    if (attempt.status_code === gone) return disable(api, trx, known, 'The target answered 410: it is gone.');
    await failing(api, trx, known);
  });
}

/** Others may have failed while this one was under way. It writes only where there is something to write. */
async function recovered({ table }: PluginApi, trx: Knex, { id }: Webhook): Promise<void> {
  await trx(table('outbound_webhooks')).where({ id }).whereNotNull('failing_since').update({ failing_since: null });
}

async function failing(api: PluginApi, trx: Knex, webhook: Webhook): Promise<void> {
  const days = api.settings.get('OUTBOUND_WEBHOOK_DISABLE_DAYS', 5);
  const webhooks = api.table('outbound_webhooks');
  if (webhook.failing_since === null) {
    await trx(webhooks).where({ id: webhook.id, failing_since: null }).update({ failing_since: trx.fn.now() });
    return;
  }
  const tooLong = await trx(webhooks)
    .where({ id: webhook.id, enabled: true })
    .whereRaw(`? > 0 and failing_since < now() - ? * interval '1 day'`, [days, days])
    .first('id');
  if (tooLong) await disable(api, trx, webhook, `Every delivery failed for ${days} days.`);
}
