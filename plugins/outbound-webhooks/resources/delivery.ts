import {
  type Action,
  type Actor,
  ApiError,
  defineResource,
  field,
  forbidden,
  parameter,
  type PluginApi,
  type Resource,
  type Row,
  type Rule,
} from '@tapline/plugin-sdk';
import { accessOf } from '../access.ts';

const ro = { mode: 'ro' } as const;

/** What was sent, or is to be. */
export function deliveryResource(api: PluginApi, wake: () => void): Resource {
  const { manage, see } = accessOf(api);
  return defineResource({
    type: 'outbound_webhook_delivery',
    path: 'outbound_webhook_deliveries',
    table: 'outbound_webhook_deliveries',
    label: 'Outbound webhook delivery',
    description: 'A message of an outbound webhook, with its tries.',
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see },
    stream: false,
    orderBy: ['-id'],
    fields: {
      outbound_webhook: field.ref('outbound_webhook', ro),
      message_id: field.string({ ...ro, help: 'Sent as webhook-id: the same at every try.' }),
      event: field.string(ro),
      unified_job: field.ref('unified_job', { ...ro, column: 'run_id' }),
      seq: field.integer({ ...ro, help: 'Orders the changes of one run, as the payload says.' }),
      status: field.choice(['pending', 'successful', 'failed'], ro),
      attempt: field.integer({ ...ro, help: 'How many tries were begun.' }),
      next_attempt: field.datetime({ ...ro, nullable: true }),
      status_code: field.integer({ ...ro, nullable: true, help: 'Of the last answer.' }),
      duration_ms: field.integer({ ...ro, nullable: true }),
      error: field.text(ro),
      request: field.json({ ...ro, filterable: false, detailOnly: true, help: 'Address and headers of the last try.' }),
      body: field.text({
        ...ro,
        filterable: false,
        detailOnly: true,
        help: 'The payload, byte by byte as it is signed.',
      }),
      attempts: field.list({ ...ro, filterable: false, detailOnly: true, help: 'Each try, with its answer.' }),
      redelivery_of: field.ref('outbound_webhook_delivery', ro),
      created: field.datetime(ro),
      finished: field.datetime({ ...ro, nullable: true }),
    },
    parameters: { since: parameter.since('created') },
    actions: { redeliver: redeliverAction(api, manage, wake) },
  });
}

const redeliverAction = (api: PluginApi, access: Rule, wake: () => void): Action => ({
  access: { POST: access },
  summary: 'Deliver the same message again, at once',
  fields: {},
  answers: { POST: { status: 202, type: 'outbound_webhook_delivery' } },
  async handler(call, delivery) {
    const { id } = delivery;
    await assertOwnWebhook(api, access, call.actor, delivery);
    const deliveries = api.table('outbound_webhook_deliveries');
    const { rows } = await api.db.raw<{ rows: { id: number }[] }>(
      `insert into ${deliveries} (outbound_webhook_id, organization_id, message_id, event, run_id, seq, body, redelivery_of_id)
      select d.outbound_webhook_id, d.organization_id, d.message_id, d.event, d.run_id, d.seq, d.body, d.id
      from ${deliveries} d join ${api.table('outbound_webhooks')} w on w.id = d.outbound_webhook_id and w.enabled
      where d.id = ? returning id`,
      [id],
    );
    const made = rows[0]?.id;
    if (made === undefined) throw new ApiError(409, 'The webhook is disabled: enable it first.');
    wake();
    return { status: 202, body: (await call.represent('outbound_webhook_delivery', [made]))[0] };
  },
});

/** The webhook may have gone to another organization since: what is sent to its target now is for its managers to say. */
async function assertOwnWebhook(
  { db, table }: PluginApi,
  access: Rule,
  actor: Actor | null,
  delivery: Row,
): Promise<void> {
  const webhook = await db(table('outbound_webhooks')).where({ id: delivery['outbound_webhook_id'] }).first();
  if (webhook && !(await access.row(actor, webhook, db)))
    throw forbidden('The webhook of the delivery belongs to an organization that you do not manage.');
}
