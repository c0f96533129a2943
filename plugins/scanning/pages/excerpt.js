import { t } from '@tapline/console-kit';
import { h } from 'preact';

/** Lines of a file by their numbers, the one that is meant marked. */
export const Excerpt = ({ excerpt: { first, lines }, line, file }) =>
  h(
    'pre',
    { class: 'value', tabIndex: 0, role: 'region', 'aria-label': t`${file}, from line ${first}` },
    lines.map((text, index) => {
      const number = first + index;
      const shown = `${String(number).padStart(5)}  ${text}\n`;
      return number === line ? h('mark', { key: number }, shown) : shown;
    }),
  );
