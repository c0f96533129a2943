import { type CustomFieldProps, lazily, t } from '@tapline/console-kit';

export const LazySmartFilter = lazily<CustomFieldProps>(
  t`the filter`,
  async () => (await import('./smart-filter.tsx')).SmartFilter,
);
