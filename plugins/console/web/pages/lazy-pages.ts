import { lazily, t } from '@tapline/console-kit';

type Props = { params: Record<string, string> };

/** Pages that most people open seldom. */
export const HooksPage = lazily<Props>(t`the hooks`, async () => (await import('./hooks/hooks-page.tsx')).HooksPage);
export const SystemPage = lazily<Props>(
  t`the state of the system`,
  async () => (await import('./system/system-page.tsx')).SystemPage,
);
export const WizardPage = lazily<Props>(
  t`the guide`,
  async () => (await import('./wizards/wizard-page.tsx')).WizardPage,
);
