import { type CustomFieldProps, lazily, type Tab, type TabProps, t } from '@tapline/console-kit';

export const LazyConfiguration = lazily<CustomFieldProps>(t`what the kind asks for`, () =>
  import('./configuration-field.tsx').then((file) => file.ConfigurationField),
);

export const LazyMessages = lazily<CustomFieldProps>(t`the texts`, () =>
  import('./messages-field.tsx').then((file) => file.MessagesField),
);

const Deliveries = lazily<TabProps>(t`deliveries`, () => import('./deliveries.tsx').then((file) => file.Deliveries));

/** What a notification template has sent, and what became of it. */
export const deliveriesTab: Tab = { id: 'notifications', label: t`Deliveries`, content: Deliveries };
