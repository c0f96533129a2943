import { lazily, type Tab, type TabProps, t } from '@tapline/console-kit';

/** Looked after on the tab, and so on no form. */
export const webhookFields = ['webhook_service', 'webhook_credential', 'webhook_ref_filter'] as const;

/** Who may launch it from elsewhere: the service, the address that it calls, the key that it signs with. */
export const webhookTab: Tab = {
  id: 'webhook',
  label: t`Webhook`,
  content: lazily<TabProps>(t`the webhook`, async () => (await import('./webhook-view.tsx')).WebhookView),
  // a project that is not fetched from anywhere hears of no push
  shown: ({ scm_type: source }) => source !== '',
};
