import { type CustomFieldProps, lazily } from '@tapline/console-kit';

export const LazySmartFilter = lazily<CustomFieldProps>(
  'the filter',
  async () => (await import('./smart-filter.tsx')).SmartFilter,
);
