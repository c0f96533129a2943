import { Failure, Loading, Table, useQuery, When, t } from '@tapline/console-kit';
import { h } from 'preact';
import { changesText } from './words.js';

const columns = [
  { label: t`When`, cell: ({ at }) => h(When, { at }), narrow: true },
  { label: t`Host`, cell: ({ host, host_name: name }) => h('a', { href: `/hosts/${host}` }, name), heading: true },
  { label: t`Changes`, cell: ({ drift_count: count }) => changesText(count) },
];

/** What the rule would have done, on or off; nothing is sent. */
export function LastWeek({ row }) {
  const { data, error, reload } = useQuery(`drift_alert_rules/${row.id}/preview/`);
  if (error.value) return h(Failure, { error: error.value, what: t`preview`, again: reload });
  if (!data.value) return h(Loading, { what: t`what it would have done` });
  const { days, count, complete, results } = data.value;
  const times = count === 1 ? t`once` : t`${count.toLocaleString('en')} times`;
  return [
    h('p', { role: 'status' }, t`${row.name} would have fired ${times} in the last ${days} days.`),
    !complete && h('p', { class: 'muted' }, t`There was too much drift to look at all of it.`),
    results.length > 0 &&
      h(Table, {
        caption: t`When it would have fired`,
        columns,
        rows: results.toReversed(),
        rowKey: ({ at, host }) => `${at} ${host}`,
      }),
  ];
}
