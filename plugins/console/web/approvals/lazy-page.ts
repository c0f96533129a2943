import { lazily } from '@tapline/console-kit';

export const ApprovalsPage = lazily<{ params: Record<string, string> }>('approvals', () =>
  import('./approvals-page.tsx').then((file) => file.ApprovalsPage),
);
