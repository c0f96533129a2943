import { lazily } from '../components/lazily.tsx';
import type { Tab, TabProps } from '../resources/resource.ts';
import { t } from '../texts/t.ts';

/** On every record: the API explains each right to it. */
export const whyTab: Tab = {
  id: 'why',
  label: t`Who may, and why`,
  content: lazily<TabProps>(t`the explanation`, () => import('./why-view.tsx').then((file) => file.WhyView)),
};
