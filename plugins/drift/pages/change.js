import {
  ActButton,
  Code,
  Diff,
  Failure,
  Loading,
  may,
  PageLayout,
  Panels,
  Table,
  useQuery,
  When,
} from '@tapline/console-kit';
import { h } from 'preact';
import { Remedy, RemedyButton } from './remedy.js';
import { madeBy } from './resources.js';
import { categoryLabel, Severity, text } from './words.js';

/** One change, with the whole fact before and after. */
export function ChangePage({ params: { id } }) {
  const { data, error, reload } = useQuery(`drift_detections/${id}/`);
  const row = data.value;
  return h(
    PageLayout,
    {
      title: row ? row.summary : 'Change',
      trail: [{ label: 'Drift', href: '/drift' }],
      actions: row && h(Actions, { row, reload }),
    },
    error.value && h(Failure, { error: error.value, what: 'change', again: reload }),
    !row && !error.value && h(Loading, { what: 'change' }),
    row && h(Change, { row, reload }),
  );
}

const Actions = ({ row, reload }) => [
  !row.acknowledged &&
    may(row, 'acknowledge') &&
    h(ActButton, {
      label: 'Acknowledge',
      what: row.summary,
      path: `drift_detections/${row.id}/acknowledge/`,
      done: 'Acknowledged.',
      onDone: reload,
    }),
  may(row, 'acknowledge') && h(RemedyButton, { row, reload }),
];

const Change = ({ row, reload }) => [
  h(Told, { row }),
  h(Remedy, { row }),
  row.detail.paths.length > 0 && [h('h2', null, 'Changes within the fact'), h(Places, { paths: row.detail.paths })],
  h('h2', null, 'Before and after'),
  h(Diff, { label: 'Before and after', ...sides(row.detail) }),
  h(Panels, { record: row, reload }),
];

/** Nothing stands on the side where the fact is missing. */
const sides = ({ before, after, diff_type: type }) => ({
  before: type === 'added' ? '' : text(before),
  after: type === 'removed' ? '' : text(after),
});

function Told({ row }) {
  const { host, job, acknowledged_by: by } = row.summary_fields;
  const { snapshot_before: before, snapshot_after: after } = row;
  const facts = [
    ['Host', h('a', { href: `/hosts/${row.host}` }, host.name)],
    ['Fact', h('code', null, row.fact_path)],
    ['Category', categoryLabel(row.category)],
    ['Severity', h(Severity, { of: row.severity })],
    ['Found', h(When, { at: row.created })],
    ['Found by', job ? h('a', { href: `/jobs/${row.job}` }, job.name) : null],
    ['Made by', madeByText(row.attribution)],
    ['Acknowledged', row.acknowledged && [by?.username ?? 'somebody', ' ', h(When, { at: row.acknowledged_at })]],
    [
      'Snapshots',
      before && after && h('a', { href: `/drift/compare?a=${before}&b=${after}` }, 'Compare all that changed then'),
    ],
  ];
  return h(
    'dl',
    { class: 'record' },
    facts.map(([term, said]) => said && h('div', { key: term }, h('dt', null, term), h('dd', null, said))),
  );
}

const madeByText = (attribution) =>
  attribution === 'expected'
    ? `${madeBy(attribution)}, perhaps: one changed something there meanwhile`
    : `${madeBy(attribution)}: none of our runs changed anything there meanwhile`;

const value = (what) => (what === undefined ? '–' : h(Code, { text: text(what) }));
const words = { add: 'Added', remove: 'Removed', replace: 'Changed' };
const columns = [
  { label: 'Where', cell: ({ path }) => h('code', null, path || '/'), heading: true },
  { label: 'What', cell: ({ op }) => words[op], narrow: true },
  { label: 'Before', cell: ({ before }) => value(before) },
  { label: 'After', cell: ({ value: after }) => value(after) },
];

const Places = ({ paths }) =>
  h(Table, { caption: 'Changes within the fact', columns, rows: paths, rowKey: ({ path }) => path });
