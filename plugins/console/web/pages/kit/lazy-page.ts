import { lazily } from '@tapline/console-kit';

export const KitPage = lazily<{ params: Record<string, string> }>('the kit', () =>
  import('./kit-page.tsx').then((file) => file.KitPage),
);
