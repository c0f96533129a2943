import { PageLayout, place } from '@tapline/console-kit';
import { h } from 'preact';

const parts = [
  ['/drift', 'Changes'],
  ['/drift/compare', 'Compare'],
  ['/drift/rules', 'Rules'],
  ['/drift/alerts', 'Alerts'],
  ['/drift/snapshots', 'Snapshots'],
];

/** A page of drift below the links to all of them. */
export const Frame = ({ title, intro, actions, children }) =>
  h(
    PageLayout,
    { title, intro, actions },
    h(
      'nav',
      { class: 'tabs', 'aria-label': 'Drift' },
      parts.map(([path, label]) =>
        h('a', { key: path, href: path, 'aria-current': place.value.path === path ? 'page' : undefined }, label),
      ),
    ),
    children,
  );
