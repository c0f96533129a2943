import { ActButton, historyTab, may, type Resource, type TabProps, t } from '@tapline/console-kit';
import { deliveriesTab, LazyConfiguration, LazyMessages } from '../notifications/deliveries-tab.tsx';

const Test = ({ row, reload }: TabProps) =>
  may(row, 'edit') ? (
    <ActButton
      label={t`Test`}
      what={String(row['name'])}
      path={`notification_templates/${row.id}/test/`}
      done={t`A test is on its way.`}
      to={() => `/notification_templates/${row.id}?tab=notifications`}
      onDone={reload}
    />
  ) : null;

export const notificationTemplate: Resource = {
  path: 'notification_templates',
  type: 'notification_template',
  one: t`notification template`,
  many: t`notification templates`,
  intro: t`Where word of runs goes: by mail, to a chat or to another service.`,
  columns: ['name', 'organization', 'notification_type'],
  fields: ['name', 'description', 'organization', 'notification_type', 'notification_configuration', 'messages'],
  custom: { notification_configuration: LazyConfiguration, messages: LazyMessages },
  actions: Test,
  tabs: [deliveriesTab, historyTab],
};
