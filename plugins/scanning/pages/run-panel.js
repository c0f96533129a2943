import { shown, Status, Table, useQuery, t } from '@tapline/console-kit';
import { h } from 'preact';

const mostShown = 20;
/** Where nothing was found and nothing went wrong there is nothing to tell. */
const worthTelling = 'or__finding_count__gt=0&or__status__in=warn,blocked,error,timeout';

const statuses = {
  ok: ['ok', t`Passed`],
  warn: ['degraded', t`Warned`],
  blocked: ['failed', t`Blocked`],
  error: ['error', t`Failed`],
  timeout: ['error', t`Took too long`],
};

function Verdict({ of }) {
  const [status, label] = statuses[of] ?? [of, of];
  return h(Status, { status, label });
}

function found({ finding_count: count, accepted_count: accepted }) {
  if (accepted) return t`${count}, of them ${accepted} accepted before`;
  return String(count);
}

const columns = [
  {
    label: t`Scanner`,
    cell: ({ id, scanner_name: name }) => h('a', { href: `/scan_results/${id}?tab=findings` }, name),
    heading: true,
  },
  { label: t`Result`, cell: ({ status }) => h(Verdict, { of: status }), narrow: true },
  { label: t`Findings`, cell: found, narrow: true },
  { label: t`Highest severity`, cell: ({ highest_severity: severity }) => severity || '–', narrow: true },
  { label: t`Message`, cell: ({ message }) => message },
];

/** On the page of a run: what scanners found in what it runs. */
export function RunFindings({ record: { id } }) {
  const query = useQuery(`scan_results/?unified_job=${id}&${worthTelling}&order_by=id&page_size=${mostShown}`);
  return shown(query, { what: t`scan results` }, ({ count, results }) => [
    count > 0 && h(Table, { caption: t`Scan results of the launch`, columns, rows: results, rowKey: (row) => row.id }),
    count > mostShown && h('p', null, h('a', { href: `/scan_results?unified_job=${id}` }, t`All ${count} results`)),
  ]);
}
