import {
  apiOf,
  type Column,
  type Page,
  Pager,
  pageSize,
  place,
  type Row,
  shown,
  Status,
  Table,
  type TabProps,
  useQuery,
  When,
  useFirstPage,
  t,
} from '@tapline/console-kit';

export function JobsView({ row, resource }: TabProps) {
  const { path, query } = place.value;
  const number = Math.max(1, Number(query.get('page')) || 1);
  const list = `${apiOf(resource)}${row.id}/job_host_summaries/?order_by=-id&page=${number}&page_size=${pageSize}`;
  const found = useQuery<Page<Row>>(list);
  useFirstPage(found, number);
  const host = { label: t`Host`, cell: ({ host_name: name }: Row) => String(name) };
  return shown(found, { what: t`list of jobs`, loading: t`jobs` }, ({ count, results }) =>
    count === 0 ? (
      <p class="empty">{t`No job has ended here yet.`}</p>
    ) : (
      <>
        <Table
          caption={t`Jobs`}
          columns={row.type === 'host' ? columns : columns.toSpliced(1, 0, host)}
          rows={results}
          rowKey={({ id }) => id}
        />
        <Pager path={path} query={query} page={number} pages={Math.ceil(count / pageSize)} />
      </>
    ),
  );
}

const counts = {
  ok: t`OK`,
  changed: t`Changed`,
  failures: t`Failed`,
  dark: t`Unreachable`,
  skipped: t`Skipped`,
} as const;

/** A job leads to what it did on the host. */
function Job({ job, host_name: host, summary_fields: { job: named } }: Row) {
  if (!job) return <span class="muted">{t`deleted`}</span>;
  const at = new URLSearchParams({ tab: 'hosts', host: String(host) });
  return <a href={`/jobs/${job}?${at}`}>{named?.name ?? t`Job ${job}`}</a>;
}

const columns: Column<Row>[] = [
  { label: t`Job`, heading: true, cell: Job },
  {
    label: t`Status`,
    narrow: true,
    cell: ({ failed }) => <Status status={failed ? 'failed' : 'successful'} />,
  },
  ...Object.entries(counts).map(([field, label]) => ({
    label,
    narrow: true,
    cell: (row: Row) => String(row[field]),
  })),
  { label: t`Ended`, narrow: true, cell: ({ created }) => <When at={created} /> },
];
