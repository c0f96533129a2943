import { lazily, t } from '@tapline/console-kit';

export const Palette = lazily<{ onClose: () => void }>(
  t`the palette`,
  async () => (await import('./palette.tsx')).Palette,
);
