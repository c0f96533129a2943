import { shown, Table, useQuery, When, t } from '@tapline/console-kit';
import { h } from 'preact';
import { changesText } from './words.js';

const columns = [
  { label: t`When`, cell: ({ at }) => h(When, { at }), narrow: true },
  { label: t`Host`, cell: ({ host, host_name: name }) => h('a', { href: `/hosts/${host}` }, name), heading: true },
  { label: t`Changes`, cell: ({ drift_count: count }) => changesText(count) },
];

/** What the rule would have done, on or off; nothing is sent. */
export function LastWeek({ row }) {
  const query = useQuery(`drift_alert_rules/${row.id}/preview/`);
  const words = { what: t`preview`, loading: t`what it would have done` };
  return shown(query, words, ({ days, count, complete, results }) => {
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
  });
}
