import { t, type Resource, type TabProps } from '@tapline/console-kit';
import { Redeliver } from '../notifications/redeliver.tsx';

export const notification: Resource = {
  path: 'notifications',
  type: 'notification',
  one: t`delivery`,
  many: t`deliveries`,
  intro: t`What was sent, or was to be.`,
  order: '-id',
  nameField: 'subject',
  columns: ['subject', 'notification_template', 'status', 'recipients', 'created', 'error'],
  filters: ['status', 'notification_type', 'notification_template', 'created', 'error'],
  facts: ['status', 'error', 'notification_template', 'recipients', 'attempts'],
  readOnly: true,
  parent: (row) => `/notification_templates/${row['notification_template']}?tab=notifications`,
  actions: ({ row, reload }: TabProps) => <Redeliver row={row} onDone={reload} />,
};
