import { Failure, isPage, Loading, PageLayout, useQuery, t } from '@tapline/console-kit';
import { h } from 'preact';

const severities = { critical: t`Critical`, warn: t`Warning`, info: t`Hint` };

const card = ({ id, severity, title, why, action_link: link }) =>
  h(
    'li',
    { key: id, class: `card ${severity}` },
    h('p', { class: 'severity' }, severities[severity] ?? severity),
    h('h2', null, title),
    h('p', null, why),
    isPage(link)
      ? h('a', { href: link }, t`Go there`, h('span', { class: 'visually-hidden' }, `: ${title}`))
      : h('p', { class: 'muted' }, t`Its page comes with a plugin that is not on.`),
  );

/** What this installation would be better for, most severe first. */
function Recommendations() {
  const { data, error, reload } = useQuery('recommendations/');
  const found = data.value;
  return h(
    PageLayout,
    { title: t`Recommendations` },
    error.value && h(Failure, { error: error.value, what: t`list of recommendations`, again: reload }),
    !found && !error.value && h(Loading, { what: t`recommendations` }),
    found &&
      (found.results.length
        ? h('ul', { class: 'cards' }, found.results.map(card))
        : h('p', { class: 'empty' }, t`Nothing to recommend: all is well.`)),
  );
}

export const routes = [{ pattern: '/recommendations', page: Recommendations }];
