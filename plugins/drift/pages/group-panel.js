import { shown, Table, useQuery, t } from '@tapline/console-kit';
import { h } from 'preact';

const mostNames = 20;

/** Some of its facts; of all, there may be a great many. */
function namesOf({ count, facts }) {
  const names = facts.slice(0, mostNames).map(({ fact_path: path }) => path);
  const more = count - names.length;
  return more > 0 ? t`${names.join(', ')} and ${more.toLocaleString('en')} more` : names.join(', ');
}

const columns = [
  { label: t`Host`, cell: ({ host, host_name: name }) => h('a', { href: `/hosts/${host}` }, name), heading: true },
  { label: t`Differs in`, cell: namesOf },
];

/** On the page of a group: hosts that are not like most of it. */
export function GroupOutliers({ record: { id } }) {
  const query = useQuery(`groups/${id}/drift_outliers/`);
  const words = { what: t`comparison of its hosts`, loading: t`comparison of its hosts` };
  return shown(query, words, ({ count, results, hosts, complete }) =>
    hosts
      ? [
          h('p', null, count ? t`${count} of ${hosts} hosts differ from most of them.` : t`Its hosts are alike.`),
          results.length < count && h('p', { class: 'muted' }, t`The first ${results.length} of them are shown.`),
          // of two reasons why it is not the one above
          !complete &&
            results.length === count &&
            h('p', { class: 'muted' }, t`Some facts were too large to be compared.`),
          results.length > 0 && h(Table, { caption: t`Outliers`, columns, rows: results, rowKey: ({ host }) => host }),
        ]
      : h('p', { class: 'empty' }, t`None of its hosts has a snapshot of its facts.`),
  );
}
