import { type Action, ApiError, defineResource, field, type Resource, type Row, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { enqueue } from '../../notifications/enqueue.ts';
import { jsonOr } from '../../notifications/json.ts';
import { labelOfKind, type NotificationKinds, sendsBody, sendsMessage } from '../../notifications/registry.ts';
import type { Queue } from '../../queue/queue.ts';
import { via } from '../../rbac/rules.ts';
import type { Visible } from '../../runs/access.ts';
import { mayNotify } from './rules.ts';

const ro = { mode: 'ro' } as const;

interface Services {
  db: Knex;
  queue: Pick<Queue, 'addTasks'>;
  notificationKinds: NotificationKinds;
  visible: Visible;
}

const states = [
  ['pending', 'Pending'],
  ['successful', 'Successful'],
  ['failed', 'Failed'],
] as const;

const fieldsFor = (kinds: NotificationKinds) => ({
  notification_template: field.ref('notification_template', { ...ro, nullable: false }),
  error: field.text(ro),
  status: field.choice(states, ro),
  notifications_sent: field.integer(ro),
  notification_type: field.choice(
    kinds.all().map((kind) => [kind.kind, labelOfKind(kind)] as const),
    ro,
  ),
  recipients: field.text(ro),
  subject: field.text({ ...ro, optional: true }),
  body: field.text({ ...ro, optional: true, apiType: 'json', filterable: false }),
  attempts: field.list({
    ...ro,
    filterable: false,
    help: 'Each try to deliver it: when, how long, what was answered.',
  }),
});

/** What was sent, or is to be (contract D6). */
export const notificationResource = (services: Services): Resource => {
  const { notificationKinds: kinds, visible } = services;
  return defineResource({
    type: 'notification',
    path: 'notifications',
    table: 'notifications',
    label: 'Notification',
    description: 'One message of a notification template: whether it was delivered, and each try.',
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see: via('notification_template_id', 'notification_templates', visible('notification_template')) },
    stream: false,
    orderBy: ['-id'],
    search: ['subject'],
    summary: ['id', 'status', 'created', 'error'],
    hiddenColumns: ['source', 'outcome'],
    fields: fieldsFor(kinds),
    actions: {
      redeliver: redeliverAction(services, via('notification_template_id', 'notification_templates', mayNotify)),
    },
    present(shown, row) {
      const kind = kinds.find(String(row['notification_type']));
      shown['subject'] ??= '';
      shown['body'] ??= '';
      if (kind && !sendsMessage(kind)) delete shown['subject'];
      if (kind && !sendsBody(kind)) delete shown['body'];
      else if (kind?.bodies === 'json' || kind?.bodies === 'data') shown['body'] = objectOr(shown['body']);
    },
  });
};

function objectOr(text: unknown): unknown {
  const value = jsonOr(String(text), text);
  return typeof value === 'object' && value !== null ? value : text;
}

/** Once more the same texts, to where the template leads by now. */
const redeliverAction = ({ db, queue }: Services, change: Rule): Action => ({
  access: { POST: change },
  summary: 'Deliver it once more',
  related: false,
  takes: { type: 'object' },
  answers: { POST: { status: 202, type: 'notification' } },
  async handler(call, { id }: Row) {
    await db.transaction(async (trx) => {
      const again = await trx('notifications')
        .where({ id })
        .whereNot({ status: 'pending' })
        .update({ status: 'pending', error: '', modified: trx.fn.now() });
      if (!again) throw new ApiError(409, { error: 'It is still being delivered.' });
      await enqueue({ queue }, trx, [id]);
    });
    const [body] = await call.represent('notification', [id]);
    return { status: 202, body };
  },
});
