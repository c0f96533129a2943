import { randomUUID } from 'node:crypto';
import type { PluginApi, RunStatus, StatusChange } from '@tapline/plugin-sdk';
import { payloadOf } from '../payload.ts';
import type { WebhookEvent } from '../webhook.ts';

const families: Record<string, string> = { job: 'job', workflow_job: 'workflow' };
const moves: Partial<Record<RunStatus, string>> = {
  running: 'started',
  successful: 'succeeded',
  failed: 'failed',
  error: 'failed',
  canceled: 'canceled',
};

/** The event that a change of status is; undefined for what nobody is told of. */
export function eventOf({ kind, to }: Pick<StatusChange, 'kind' | 'to'>): WebhookEvent | undefined {
  const [family, move] = [families[kind], moves[to as RunStatus]];
  // the specification has no word for a workflow that was canceled
  if (!family || !move || (family === 'workflow' && move === 'canceled')) return undefined;
  return `${family}.${move}` as WebhookEvent;
}

const noted = {
  name: 'note-status',
  kinds: Object.keys(families),
  to: Object.keys(moves) as RunStatus[],
  listeners: 'listening',
};

/** From the queue, by a task of the transaction that made the change: one delivery for each webhook, however often it runs. */
export function noteStatus(api: PluginApi, wake: () => void): void {
  api.hooks.onStatusChange(noted, async (change) => {
    const event = eventOf(change);
    if (!event) return;
    const webhooks: { id: number; organization_id: number }[] = await api
      .db(`${api.table('outbound_webhooks')} as w`)
      .join('core_runs as r', 'r.organization_id', 'w.organization_id')
      .where({ 'r.id': change.run_id, 'w.enabled': true })
      .whereRaw('w.events @> ?::jsonb', [JSON.stringify([event])])
      .select('w.id', 'w.organization_id');
    if (!webhooks.length) return;
    const payload = await payloadOf(api, change, event);
    if (!payload) return;
    const body = JSON.stringify(payload);
    await api
      .db(api.table('outbound_webhook_deliveries'))
      .insert(
        webhooks.map(({ id, organization_id }) => ({
          outbound_webhook_id: id,
          organization_id,
          message_id: `msg_${randomUUID()}`,
          event,
          run_id: change.run_id,
          seq: change.seq,
          body,
        })),
      )
      .onConflict(api.db.raw('(outbound_webhook_id, run_id, seq) where redelivery_of_id is null'))
      .ignore();
    wake();
  });
}
