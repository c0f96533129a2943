import {
  type Action,
  ApiError,
  defineResource,
  field,
  type Resource,
  type Row,
  ValidationError,
  type WriteContext,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { nextId } from '../../db/next-id.ts';
import { copyAction } from '../../descriptors/write/copy-action.ts';
import {
  checkConfiguration,
  type Configuration,
  maskConfiguration,
  resealConfiguration,
  sealConfiguration,
} from '../../notifications/configuration.ts';
import { defaultMessages, noMessages } from '../../notifications/default-messages.ts';
import { enqueueText } from '../../notifications/enqueue.ts';
import { checkMessages, mergeMessages, type StoredMessages } from '../../notifications/messages.ts';
import { labelOfKind, type NotificationKinds } from '../../notifications/registry.ts';
import type { Queue } from '../../queue/queue.ts';
import { assertLinks } from '../../rbac/rights.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { notificationSecretCell } from '../../secrets/cells.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Settings } from '../../settings/settings.ts';
import { recentNotifications } from './recent.ts';
import { notificationAccess as access } from './rules.ts';

interface Services {
  db: Knex;
  keyRing: KeyRing;
  sandbox: Sandbox;
  settings: Pick<Settings, 'get'>;
  queue: Pick<Queue, 'addTasks'>;
  notificationKinds: NotificationKinds;
}

/** As long as it may still be delivered; an older one is stuck and keeps nobody. */
const pendingFor = '8 hours';

const fieldsFor = (kinds: NotificationKinds) => ({
  name: field.string({ required: true }),
  description: field.text(),
  organization: field.ref('organization', { required: true, nullable: false }),
  notification_type: field.choice(
    kinds.all().map((kind) => [kind.kind, labelOfKind(kind)] as const),
    { required: true },
  ),
  notification_configuration: field.json({
    secret: true,
    help: 'Where to and with what; secrets read $encrypted$.',
    described: () => Object.fromEntries(kinds.all().map(({ kind, fields = {} }) => [kind, fields])),
  }),
  messages: field.json({
    nullable: true,
    default: noMessages,
    help: 'Templates in place of the usual texts.',
    described: () => Object.fromEntries(kinds.all().map((kind) => [kind.kind, defaultMessages(kind)])),
  }),
});

/** Where word of runs goes, and how it reads (contract D1). */
export function notificationTemplateResource(services: Services): Resource {
  const { db, keyRing, notificationKinds: kinds } = services;
  return defineResource({
    type: 'notification_template',
    path: 'notification_templates',
    table: 'notification_templates',
    label: 'Notification template',
    description: 'Where word of runs is sent, by mail, chat or any other way, and how it reads.',
    fields: fieldsFor(kinds),
    access,
    rights: { copy: access.create },
    capabilities: { edit: 'change', delete: 'delete', copy: 'copy' },
    stream: true,
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    naming: ['name', 'organization'],
    // a secret field's column is never read by itself; `present` shows it masked
    extraSql: { stored_configuration: '{alias}.notification_configuration' },
    unique: {
      notification_templates_name: {
        field: '__all__',
        message: 'Notification template with this Organization and Name already exists.',
      },
    },
    sublists: { notifications: { resource: 'notification', column: 'notification_template_id' } },
    actions: {
      test: testAction(services),
      copy: copyAction({
        db,
        type: 'notification_template',
        table: 'notification_templates',
        rules: { see: access.see, copy: access.create },
        summary: 'Whether the caller may copy it; a copy with its secrets',
        columns: (original, trx) => copyColumns(keyRing, original as TemplateRow, trx),
      }),
    },
    summaries: recentNotifications,
    validate: (context) => checkTemplate(services, context as unknown as WriteContext<TemplateRow>),
    beforeDelete: assertNothingPending,
    present: (shown, row) => {
      shown['notification_configuration'] = maskConfiguration(row['stored_configuration'] as Configuration);
      shown['messages'] ??= noMessages;
    },
  });
}

type TemplateRow = Row & {
  organization_id: number;
  notification_type: string;
  notification_configuration: Configuration;
  messages: StoredMessages;
};

async function checkTemplate(services: Services, context: WriteContext<TemplateRow>): Promise<void> {
  const { keyRing, notificationKinds: kinds, sandbox } = services;
  const { trx, input, before, sent } = context;
  if (before) await assertLinks(context, [['organization_id', 'organization', 'notification_admin_role']]);
  const name = input.notification_type ?? before?.notification_type ?? '';
  const kind = kinds.find(name);
  if (!kind) throw ValidationError.field('notification_type', `"${name}" is not a valid choice.`);
  const sameKind = before?.notification_type === name;
  if (before && !sameKind && !sent.has('notification_configuration'))
    throw new ValidationError({
      __all__: ['notification_configuration must be given with another notification_type.'],
    });
  const id = before?.id ?? (await nextId(trx, 'notification_templates'));
  if (!before || sent.has('notification_configuration')) {
    const given = input.notification_configuration ?? {};
    if (typeof given !== 'object' || Array.isArray(given))
      throw new ValidationError({ __all__: ['notification_configuration must be an object.'] });
    const checked = checkConfiguration(kind, given, {
      stored: (sameKind && before.notification_configuration) || {},
      open: (sealed, key) => keyRing.decrypt(sealed, notificationSecretCell(id, key)),
    });
    input.notification_configuration = sealConfiguration(keyRing, kind, id, checked);
  }
  if (sent.has('messages')) input.messages = mergeMessages(input.messages, before?.messages ?? null) as StoredMessages;
  const messages = input.messages === undefined ? before?.messages : input.messages;
  if (messages && (sent.has('messages') || !sameKind)) await checkMessages(sandbox, kind, messages);
  if (!before) input.id = id;
}

async function copyColumns(keyRing: KeyRing, original: TemplateRow, trx: Knex): Promise<object> {
  const { description, organization_id, notification_type, messages, notification_configuration: stored } = original;
  const id = await nextId(trx, 'notification_templates');
  let sealed: Configuration;
  try {
    sealed = resealConfiguration(keyRing, stored, { from: original.id, to: id });
  } catch {
    throw new ApiError(409, { error: 'A secret of its configuration cannot be read any more: send it again.' });
  }
  return {
    id,
    description,
    organization_id,
    notification_type,
    notification_configuration: JSON.stringify(sealed),
    messages: messages === null ? null : JSON.stringify(messages),
  };
}

async function assertNothingPending(trx: Knex, { id }: Row): Promise<void> {
  const pending = await trx('notifications')
    .where({ notification_template_id: id, status: 'pending' })
    .whereRaw('created > now() - ?::interval', [pendingFor])
    .first('id');
  if (pending) throw new ApiError(405, { error: 'Notifications of this template are still being delivered.' });
}

/** `notification_templates/N/test/`: one message, tried once. */
const testAction = ({ db, queue, notificationKinds, settings }: Services): Action => ({
  access: { POST: access.change },
  summary: 'Send a test notification',
  takes: { type: 'object' },
  answers: { POST: { status: 202, type: 'notification', fields: { notification: field.integer() } } },
  async handler(call, row) {
    const { id, notification_type } = row as TemplateRow;
    const text = `Test of the notification template ${id} of ${String(settings.get('TOWER_URL_BASE'))}`;
    const notification = await db.transaction((trx) =>
      enqueueText({ queue, notificationKinds }, trx, {
        template: { id, notification_type },
        event: 'test',
        subject: text,
        body: text,
      }),
    );
    const [shown] = await call.represent('notification', [notification]);
    const headers = { Location: `/api/v2/notifications/${notification}/` };
    // a worker may be quicker than this answer: it tells of what was asked for
    return { status: 202, headers, body: { notification, ...shown, status: 'pending' } };
  },
});
