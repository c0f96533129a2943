import { lazily, type Tab, type TabProps, t } from '@tapline/console-kit';

/** The words that a record is sorted by. */
export const labelsTab: Tab = {
  id: 'labels',
  label: t`Labels`,
  content: lazily<TabProps>(t`the labels`, async () => (await import('./labels-view.tsx')).LabelsView),
};
