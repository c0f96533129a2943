import { useEffect } from 'preact/hooks';
import {
  type Column,
  Failure,
  Loading,
  may,
  type Page,
  Pager,
  place,
  type Row,
  Status,
  Table,
  type TabProps,
  useQuery,
  When,
  useFirstPage,
  t,
} from '@tapline/console-kit';
import { Redeliver } from './redeliver.tsx';

const pageSize = 25;
/** Nobody tells of deliveries: while one goes on, it is asked after. */
const pauseMs = 1500;

export function Deliveries({ row }: TabProps) {
  const { path, query } = place.value;
  const number = Math.max(1, Number(query.get('page')) || 1);
  const list = `notification_templates/${row.id}/notifications/?order_by=-id&page=${number}&page_size=${pageSize}`;
  const { data, error, reload } = useQuery<Page<Row>>(list);
  useFirstPage({ error }, number);
  const found = data.value;
  const goesOn = found?.results.some(({ status }) => status === 'pending') ?? false;
  useEffect(() => {
    const timer = goesOn ? setTimeout(() => void reload(), pauseMs) : undefined;
    return () => clearTimeout(timer);
  }, [found, goesOn]);
  if (error.value) return <Failure error={error.value} what={t`list of deliveries`} again={reload} />;
  if (!found) return <Loading what={t`deliveries`} />;
  if (found.count === 0) return <p class="empty">{t`Nothing was sent yet. “Test” sends a first one.`}</p>;
  const columns: Column<Row>[] = [
    { label: t`Status`, narrow: true, cell: ({ status }) => <Status status={String(status)} /> },
    { label: t`Delivery`, heading: true, cell: (one) => <Subject row={one} /> },
    { label: t`To`, cell: ({ recipients }) => String(recipients ?? '') },
    { label: t`Created`, narrow: true, cell: ({ created }) => <When at={String(created)} /> },
    { label: t`Error`, cell: ({ error: said }) => (said ? String(said) : <span class="muted">–</span>) },
    ...(may(row, 'edit')
      ? [{ label: t`Action`, narrow: true, cell: (one: Row) => <Redeliver row={one} onDone={reload} /> }]
      : []),
  ];
  return (
    <>
      <Table caption={t`Deliveries`} columns={columns} rows={found.results} rowKey={({ id }) => id} />
      <Pager path={path} query={query} page={number} pages={Math.ceil(found.count / pageSize)} />
    </>
  );
}

const Subject = ({ row }: { row: Row }) => (
  <>
    <a href={`/notifications/${row.id}`}>{t`Delivery ${row.id}`}</a>
    {row['subject'] && <span class="muted sub">{row['subject']}</span>}
  </>
);
