import { t } from '@tapline/console-kit';
import { h } from 'preact';

/**
 * A list of things that are filled in one below the other, each with a button that takes it away.
 * @param {{ label: string, one: string, hint: string, rows: object[], fresh: object, errors?: string[],
 *   onRows: (rows: object[]) => void, row: (row: object, index: number, change: (part: object) => void) => any }} props
 */
export function RowsField({ label, one, hint, rows, fresh, errors = [], onRows, row }) {
  const change = (index) => (part) => onRows(rows.map((old, at) => (at === index ? { ...old, ...part } : old)));
  return h(
    'fieldset',
    { class: errors.length ? 'field invalid' : 'field', tabIndex: errors.length ? -1 : undefined },
    h('legend', null, label),
    h('p', { class: 'hint' }, hint),
    rows.map((one_, index) =>
      h(
        'div',
        { class: 'card', key: index, role: 'group', 'aria-label': `${one} ${index + 1}` },
        row(one_, index, change(index)),
        h(
          'button',
          { type: 'button', onClick: () => onRows(rows.filter((_, at) => at !== index)) },
          t`Remove ${one} ${index + 1}`,
        ),
      ),
    ),
    h('button', { type: 'button', onClick: () => onRows([...rows, fresh]) }, t`Add ${one}`),
    errors.length > 0 && h('p', { class: 'error' }, errors.join(' ')),
  );
}

/** What OPTIONS calls a list is one, or nothing yet. */
export const rowsOf = (value) => (Array.isArray(value) ? value : []);
