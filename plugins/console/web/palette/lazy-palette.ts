import { lazily } from '@tapline/console-kit';

export const Palette = lazily<{ onClose: () => void }>(
  'the palette',
  async () => (await import('./palette.tsx')).Palette,
);
