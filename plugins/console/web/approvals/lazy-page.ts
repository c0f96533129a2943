import { lazily, t } from '@tapline/console-kit';

export const ApprovalsPage = lazily<{ params: Record<string, string> }>(t`approvals`, () =>
  import('./approvals-page.tsx').then((file) => file.ApprovalsPage),
);
