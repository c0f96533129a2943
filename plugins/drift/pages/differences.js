import { Code, Table, t } from '@tapline/console-kit';
import { h } from 'preact';
import { categoryLabel, Severity, text } from './words.js';

/** Places that differ, each with both sides. */
export function Differences({ of: { snapshot_a: a, snapshot_b: b, identical, count, differences } }) {
  const rows = differences.flatMap(placesOf);
  const said = identical
    ? t`They are the same.`
    : count === 1
      ? t`1 fact differs.`
      : t`${count.toLocaleString('en')} facts differ.`;
  return [
    h('p', { role: 'status' }, said),
    rows.length > 0 &&
      h(Table, {
        caption: t`Differences`,
        columns: columnsOf(a, b),
        rows,
        rowKey: ({ fact, path }) => `${fact}${path}`,
      }),
  ];
}

/** Each place within a fact, or the fact as a whole where one side has none. */
function placesOf({ fact_path: fact, before, after, diff_type: type, paths, ...shown }) {
  if (type !== 'changed' || !paths.length)
    return [{ fact, path: '', ...shown, a: side(type !== 'added', before), b: side(type !== 'removed', after) }];
  return paths.map(({ op, path, before: was, value: is }) => ({
    fact,
    path,
    ...shown,
    a: side(op !== 'add', was),
    b: side(op !== 'remove', is),
  }));
}

const side = (there, value) => (there ? h(Code, { text: text(value) }) : h('span', { class: 'muted' }, t`missing`));

const sideTitle = ({ host_name: host, captured_at: at }) =>
  `${host}, ${new Date(at).toISOString().replace('T', ' ').slice(0, 16)}`;

const columnsOf = (a, b) => [
  { label: t`Fact`, cell: ({ fact, path }) => h('code', null, `${fact}${path}`), heading: true },
  { label: t`Category`, cell: ({ category }) => categoryLabel(category), narrow: true },
  { label: t`Severity`, cell: ({ severity }) => h(Severity, { of: severity }), narrow: true },
  // columns are told apart by their titles, also where both snapshots are one
  { label: t`First: ${sideTitle(a)}`, cell: (row) => row.a },
  { label: t`Second: ${sideTitle(b)}`, cell: (row) => row.b },
];
