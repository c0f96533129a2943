import { lazily } from '../components/lazily.tsx';
import type { Tab } from '../resources/resource.ts';
import { t } from '../texts/t.ts';
import type { WhyProps } from './why-view.tsx';

/** What somebody may do to a record or a run, and why. */
export const Why = lazily<WhyProps>(t`the explanation`, () => import('./why-view.tsx').then((file) => file.WhyView));

/** On every record: the API explains each right to it. */
export const whyTab: Tab = {
  id: 'why',
  label: t`Who may, and why`,
  content: ({ row, resource }) => <Why row={row} resource={resource} />,
};
