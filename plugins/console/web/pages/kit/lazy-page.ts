import { lazily, t } from '@tapline/console-kit';

export const KitPage = lazily<{ params: Record<string, string> }>(t`the kit`, () =>
  import('./kit-page.tsx').then((file) => file.KitPage),
);
