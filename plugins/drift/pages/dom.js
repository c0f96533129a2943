import { element } from '@tapline/console-kit';

export const link = (href, ...content) => element('a', { href }, ...content);

export const button = (label, click, attributes = {}) =>
  element('button', { type: 'button', class: 'button', click, ...attributes }, label);

/** `wide`: the title of the column that takes the room that the others leave; all are alike without it. */
export function table(caption, titles, rows, wide) {
  const narrow = (at) => (wide !== undefined && titles[at] !== wide ? { class: 'narrow' } : {});
  const heading = (title, at) => element('th', { scope: 'col', ...narrow(at) }, title);
  const row = (cells) => element('tr', {}, ...cells.map((cell, at) => element('td', narrow(at), cell)));
  return element(
    'div',
    { class: 'table-wrap' },
    element(
      'table',
      {},
      element('caption', { class: 'visually-hidden' }, caption),
      element('thead', {}, element('tr', {}, ...titles.map(heading))),
      element('tbody', {}, ...rows.map(row)),
    ),
  );
}

/** A control under its label. */
export const field = (label, control) => element('div', { class: 'field' }, element('label', {}, label, ' ', control));

export const select = (name, options, chosen = '') =>
  element(
    'select',
    { name },
    ...options.map(([value, label]) =>
      element('option', { value, selected: String(value) === String(chosen) }, String(label)),
    ),
  );

export const time = (text) =>
  element('time', { datetime: text }, new Date(text).toISOString().replace('T', ' ').slice(0, 16));

export const value = (what) =>
  element(
    'pre',
    {},
    what === null || what === undefined ? '–' : typeof what === 'string' ? what : JSON.stringify(what, null, 2),
  );

const pages = [
  ['', 'Changes'],
  ['/compare', 'Compare'],
  ['/rules', 'Rules'],
  ['/alerts', 'Alerts'],
];

export const tabs = (here) =>
  element(
    'nav',
    { class: 'tabs', 'aria-label': 'Drift' },
    ...pages.map(([path, label]) => {
      const made = link(`/drift${path}`, label);
      if (path === here) made.setAttribute('aria-current', 'page');
      return made;
    }),
  );

/** The first and last words about a list that goes on. */
export function pager({ count, next, previous }, query) {
  const page = Number(query.get('page') ?? 1);
  const to = (other) => {
    const asked = new URLSearchParams(query);
    asked.set('page', String(other));
    return `/drift?${asked}`;
  };
  return element(
    'p',
    { class: 'pager' },
    previous && link(to(page - 1), 'Previous'),
    element('span', { class: 'count' }, `${count} in all`),
    next && link(to(page + 1), 'Next'),
  );
}
