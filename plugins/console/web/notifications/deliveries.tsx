import { useEffect } from 'preact/hooks';
import {
  type Column,
  may,
  type Page,
  Pager,
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
import { Redeliver } from './redeliver.tsx';

const pageSize = 25;
/** Nobody tells of deliveries: while one goes on, it is asked after. */
const pauseMs = 1500;

export function Deliveries({ row }: TabProps) {
  const { path, query: at } = place.value;
  const number = Math.max(1, Number(at.get('page')) || 1);
  const list = `notification_templates/${row.id}/notifications/?order_by=-id&page=${number}&page_size=${pageSize}`;
  const query = useQuery<Page<Row>>(list);
  const { data, reload } = query;
  useFirstPage(query, number);
  const found = data.value;
  const goesOn = found?.results.some(({ status }) => status === 'pending') ?? false;
  useEffect(() => {
    const timer = goesOn ? setTimeout(() => void reload(), pauseMs) : undefined;
    return () => clearTimeout(timer);
  }, [found, goesOn]);
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
  return shown(query, { what: t`list of deliveries`, loading: t`deliveries` }, ({ count, results }) =>
    count === 0 ? (
      <p class="empty">{t`Nothing was sent yet. “Test” sends a first one.`}</p>
    ) : (
      <>
        <Table caption={t`Deliveries`} columns={columns} rows={results} rowKey={({ id }) => id} />
        <Pager path={path} query={at} page={number} pages={Math.ceil(count / pageSize)} />
      </>
    ),
  );
}

const Subject = ({ row }: { row: Row }) => (
  <>
    <a href={`/notifications/${row.id}`}>{t`Delivery ${row.id}`}</a>
    {row['subject'] && <span class="muted sub">{row['subject']}</span>}
  </>
);
