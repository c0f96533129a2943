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
  t,
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
      title: row ? row.summary : t`Change`,
      trail: [{ label: t`Drift`, href: '/drift' }],
      actions: row && h(Actions, { row, reload }),
    },
    error.value && h(Failure, { error: error.value, what: t`change`, again: reload }),
    !row && !error.value && h(Loading, { what: t`change` }),
    row && h(Change, { row, reload }),
  );
}

const Actions = ({ row, reload }) => [
  !row.acknowledged &&
    may(row, 'acknowledge') &&
    h(ActButton, {
      label: t`Acknowledge`,
      what: row.summary,
      path: `drift_detections/${row.id}/acknowledge/`,
      done: t`Acknowledged.`,
      onDone: reload,
    }),
  may(row, 'remediate') && h(RemedyButton, { row, reload }),
];

const Change = ({ row, reload }) => [
  h(Told, { row }),
  h(Remedy, { row }),
  row.detail.paths.length > 0 && [h('h2', null, t`Changes within the fact`), h(Places, { paths: row.detail.paths })],
  h('h2', null, t`Before and after`),
  h(Diff, { label: t`Before and after`, ...sides(row.detail) }),
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
    [t`Host`, h('a', { href: `/hosts/${row.host}` }, host.name)],
    [t`Fact`, h('code', null, row.fact_path)],
    [t`Category`, categoryLabel(row.category)],
    [t`Severity`, h(Severity, { of: row.severity })],
    [t`Found`, h(When, { at: row.created, exact: true })],
    [t`Found by`, job ? h('a', { href: `/jobs/${row.job}` }, job.name) : null],
    [t`Made by`, madeByText(row.attribution)],
    [
      t`Acknowledged`,
      row.acknowledged && [by?.username ?? t`somebody`, ' ', h(When, { at: row.acknowledged_at, exact: true })],
    ],
    [
      t`Snapshots`,
      before && after && h('a', { href: `/drift/compare?a=${before}&b=${after}` }, t`Compare all that changed then`),
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
    ? t`${madeBy(attribution)}, perhaps: one changed something there meanwhile`
    : t`${madeBy(attribution)}: none of our runs changed anything there meanwhile`;

const value = (what) => (what === undefined ? '–' : h(Code, { text: text(what) }));
const words = { add: t`Added`, remove: t`Removed`, replace: t`Changed` };
const columns = [
  { label: t`Where`, cell: ({ path }) => h('code', null, path || '/'), heading: true },
  { label: t`What`, cell: ({ op }) => words[op], narrow: true },
  { label: t`Before`, cell: ({ before }) => value(before) },
  { label: t`After`, cell: ({ value: after }) => value(after) },
];

const Places = ({ paths }) =>
  h(Table, { caption: t`Changes within the fact`, columns, rows: paths, rowKey: ({ path }) => path });
