/** Texts only ever become text: nothing that a host tells of itself is markup. */
export function element(name, properties = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...content.flat().filter((part) => part !== null && part !== undefined && part !== false));
  return made;
}

export const link = (href, ...content) => element('a', { href }, ...content);

export const button = (label, onclick, properties = {}) =>
  element('button', { type: 'button', className: 'button', onclick, ...properties }, label);

/** `wide`: the title of the column that takes the room that the others leave; all are alike without it. */
export function table(caption, titles, rows, wide) {
  const narrow = (at) => (wide !== undefined && titles[at] !== wide ? { className: 'narrow' } : {});
  const heading = (title, at) => element('th', { scope: 'col', ...narrow(at) }, title);
  const row = (cells) => element('tr', {}, ...cells.map((cell, at) => element('td', narrow(at), cell)));
  return element(
    'div',
    { className: 'table-wrap' },
    element(
      'table',
      {},
      element('caption', { className: 'visually-hidden' }, caption),
      element('thead', {}, element('tr', {}, ...titles.map(heading))),
      element('tbody', {}, ...rows.map(row)),
    ),
  );
}

/** A control under its label. */
export const field = (label, control) =>
  element('div', { className: 'field' }, element('label', {}, label, ' ', control));

export const select = (name, options, chosen = '') =>
  element(
    'select',
    { name },
    ...options.map(([value, label]) =>
      element('option', { value, selected: String(value) === String(chosen) }, String(label)),
    ),
  );

export const time = (text) =>
  element('time', { dateTime: text }, new Date(text).toISOString().replace('T', ' ').slice(0, 16));

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
    { className: 'tabs', 'aria-label': 'Drift' },
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
    { className: 'pager' },
    previous && link(to(page - 1), 'Previous'),
    element('span', { className: 'count' }, `${count} in all`),
    next && link(to(page + 1), 'Next'),
  );
}
