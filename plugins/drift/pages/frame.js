import { PageLayout, place, t } from '@tapline/console-kit';
import { h } from 'preact';

const parts = [
  ['/drift', t`Changes`],
  ['/drift/compare', t`Compare`],
  ['/drift/rules', t`Rules`],
  ['/drift/alerts', t`Alerts`],
  ['/drift/snapshots', t`Snapshots`],
];

/** A page of drift below the links to all of them. */
export const Frame = ({ title, intro, actions, children }) =>
  h(
    PageLayout,
    { title, intro, actions },
    h(
      'nav',
      { class: 'tabs', 'aria-label': t`Drift` },
      parts.map(([path, label]) =>
        h('a', { key: path, href: path, 'aria-current': place.value.path === path ? 'page' : undefined }, label),
      ),
    ),
    children,
  );
