import { Failure, Loading, Table, useQuery } from '@tapline/console-kit';
import { h } from 'preact';

const columns = [
  { label: 'Host', cell: ({ host, host_name: name }) => h('a', { href: `/hosts/${host}` }, name), heading: true },
  { label: 'Differs in', cell: ({ facts }) => facts.map(({ fact_path: path }) => path).join(', ') },
];

/** On the page of a group: hosts that are not like most of it. */
export function GroupOutliers({ record: { id } }) {
  const { data, error, reload } = useQuery(`groups/${id}/drift_outliers/`);
  if (error.value) return h(Failure, { error: error.value, what: 'comparison of its hosts', again: reload });
  if (!data.value) return h(Loading, { what: 'comparison of its hosts' });
  const { results, hosts, complete } = data.value;
  if (!hosts) return h('p', { class: 'empty' }, 'None of its hosts has a snapshot of its facts.');
  return [
    h(
      'p',
      null,
      results.length ? `${results.length} of ${hosts} hosts differ from most of them.` : 'Its hosts are alike.',
    ),
    !complete && h('p', { class: 'muted' }, `Only the first ${hosts} hosts were looked at.`),
    results.length > 0 && h(Table, { caption: 'Outliers', columns, rows: results, rowKey: ({ host }) => host }),
  ];
}
