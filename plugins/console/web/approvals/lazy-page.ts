import { lazily } from '../components/lazily.tsx';

export const ApprovalsPage = lazily<{ params: Record<string, string> }>('approvals', () =>
  import('./approvals-page.tsx').then((file) => file.ApprovalsPage),
);
