import { drawnPage, element, go, Loading, PageLayout, place, toast, useQuery, user } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { useEffect } from 'preact/hooks';

/** Of a third party, built by nothing: what it imports is the console's own. */
function Windows() {
  const { data } = useQuery('inventories/?order_by=id');
  const turns = useSignal(0);
  useEffect(() => () => toast('The windows are left.'), []);
  return h(
    PageLayout,
    { title: 'Windows' },
    h('p', null, `${user.value.username}, ${place.value.query.get('day') ?? 'any day'}`),
    data.value
      ? h(
          'ul',
          null,
          data.value.results.map(({ id, name }) => h('li', { key: id }, h('a', { href: `/windows/${id}` }, name))),
        )
      : h(Loading, { what: 'windows' }),
    h('button', { type: 'button', onClick: () => void (turns.value += 1) }, `Turned ${turns.value} times`),
  );
}

const Window = ({ params }) =>
  h(
    PageLayout,
    { title: `Window ${params.id}`, trail: [{ label: 'Windows', href: '/windows' }] },
    h('button', { type: 'button', onClick: () => go('/windows?day=monday') }, 'On Monday'),
  );

const ByHand = drawnPage({
  title: 'By hand',
  path: '/windows/by-hand',
  async draw(root, { query, request, unsaved }) {
    if (query.has('off')) throw new Error('The hand is <b>off</b>.');
    const { username } = (await request('GET', 'me/')).results[0];
    const note = element('input', { 'aria-label': 'Note' });
    unsaved(() => note.value !== '');
    unsaved(() => {
      throw new Error('Nothing can be told of this.');
    });
    const content = [
      [`Drawn for <i>${username}</i>`],
      null,
      false,
      element('input', { 'aria-label': 'Pane', disabled: true }),
      note,
    ];
    root.append(
      element('p', { class: undefined }, content, element('button', { click: () => toast('Clicked.') }, 'Click')),
    );
    return () => toast('Nobody draws any more.');
  },
});

export const routes = [
  { pattern: '/windows', page: Windows },
  { pattern: '/windows/by-hand', page: ByHand },
  { pattern: '/windows/:id', page: Window },
];

document.body.dataset.windows = 'loaded';
