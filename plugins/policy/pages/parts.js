import { element } from '@tapline/console-kit';

export const table = (heads, rows) =>
  element(
    'div',
    { class: 'table-wrap' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
      element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell))))),
    ),
  );

export const labelled = (text, control) => element('label', { class: 'field' }, element('span', {}, text), control);
