import { lazily } from '../components/lazily.tsx';
import type { CustomFieldProps } from '../resources/resource.ts';

export const LazySmartFilter = lazily<CustomFieldProps>(
  'the filter',
  async () => (await import('./smart-filter.tsx')).SmartFilter,
);
