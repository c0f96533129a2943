import { lazily } from '../components/lazily.tsx';

export const Palette = lazily<{ onClose: () => void }>(
  'the palette',
  async () => (await import('./palette.tsx')).Palette,
);
