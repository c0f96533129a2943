import { shown, Table, useQuery, When, t } from '@tapline/console-kit';
import { h } from 'preact';
import { changesText, Severity } from './words.js';

const columns = [
  { label: t`Change`, cell: ({ id, summary }) => h('a', { href: `/drift/${id}` }, summary), heading: true },
  { label: t`Severity`, cell: ({ severity }) => h(Severity, { of: severity }), narrow: true },
  { label: t`Found`, cell: ({ created }) => h(When, { at: created }), narrow: true },
];

/** On the page of a host: what changed there last, and how it stands to its baseline. */
export function HostDrift({ record: { id, drift_capture_error: problem } }) {
  const query = useQuery(`hosts/${id}/drift/?acknowledged=false&page_size=5`);
  return shown(query, { what: t`drift`, loading: t`its drift` }, ({ count, results }) => [
    problem && h('p', { role: 'status' }, t`Facts that a run found on it were not captured: ${problem}`),
    h('p', null, count ? t`${changesText(count)} not acknowledged.` : t`No change that nobody looked at.`),
    count > 0 && h(Table, { caption: t`Drift of the host`, columns, rows: results, rowKey: (row) => row.id }),
    h(Baseline, { id }),
    h(
      'p',
      null,
      h('a', { href: `/drift?host=${id}` }, t`All its changes`),
      ' · ',
      h('a', { href: `/drift/snapshots?host=${id}` }, t`Snapshots`),
      ' · ',
      h('a', { href: `/drift/hosts/${id}` }, t`Timeline`),
    ),
  ]);
}

/** Where none is pinned, nothing is said. */
function Baseline({ id }) {
  const { data } = useQuery(`hosts/${id}/baseline_drift/`);
  if (!data.value) return null;
  const { identical, count, snapshot_a: a, snapshot_b: b } = data.value;
  return h(
    'p',
    null,
    identical || !count ? t`It is as its baseline.` : t`It differs from its baseline in ${count} facts: `,
    count > 0 && h('a', { href: `/drift/compare?a=${a.id}&b=${b.id}` }, t`compare`),
  );
}
