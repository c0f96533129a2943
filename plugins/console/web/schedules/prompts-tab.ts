import { lazily, type Tab, type TabProps, t } from '@tapline/console-kit';

/** What its launches are told besides what the template says itself. */
export const promptsTab: Tab = {
  id: 'prompts',
  label: t`Prompts`,
  content: lazily<TabProps>(t`the prompts`, async () => (await import('./prompts-view.tsx')).PromptsView),
};
