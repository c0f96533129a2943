import { shown, Table, useQuery, t } from '@tapline/console-kit';
import { h } from 'preact';

const mostShown = 20;

/** What came of it: a denial on the page of a run is one that did not count. */
function said({ decision, waived, shadow }) {
  if (shadow) return decision === 'deny' ? t`Would deny, only tried` : t`Would warn, only tried`;
  if (waived) return t`Denied, but waived`;
  return decision === 'deny' ? t`Denied` : t`Warned`;
}

const columns = [
  {
    label: t`Message`,
    cell: ({ id, message }) => h('a', { href: `/policy_decisions/${id}` }, message || t`No reason given`),
    heading: true,
  },
  { label: t`Decision`, cell: said, narrow: true },
  {
    label: t`Policy`,
    cell: ({ policy, policy_name: name }) => (policy ? h('a', { href: `/policies/${policy}` }, name) : name),
    narrow: true,
  },
];

/** On the page of a run: what policies said of its launch. Nothing where they let it pass, as they do most. */
export function RunDecisions({ record: { id } }) {
  const query = useQuery(`policy_decisions/?unified_job=${id}&order_by=id&page_size=${mostShown}`);
  return shown(query, { what: t`policy decisions` }, ({ count, results }) => [
    count > 0 && h(Table, { caption: t`Policy decisions`, columns, rows: results, rowKey: (row) => row.id }),
    count > mostShown &&
      h('p', null, h('a', { href: `/policy_decisions?unified_job=${id}` }, t`All ${count} decisions`)),
  ]);
}
