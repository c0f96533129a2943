import {
  type Column,
  Failure,
  FilterBar,
  Folded,
  listPath,
  Loading,
  type Page,
  Pager,
  pageSize,
  place,
  readQuery,
  type RunEvent,
  Table,
  useOptions,
  useQuery,
  When,
  useFirstPage,
  t,
} from '@tapline/console-kit';
import { type PartProps, useWhileActive } from './part.ts';

type Shown = RunEvent & { created: string; event_display: string };

const filtered = { many: t`events`, filters: ['event', 'host_name', 'task', 'failed', 'changed'] };

/** Everything that the engine told, one by one, with all it said. */
export function EventsPart({ run, events }: PartProps) {
  const { path, query } = place.value;
  const asked = readQuery(query, 'counter');
  const { data, error, reload } = useQuery<Page<Shown>>(listPath(events, asked));
  useFirstPage({ error }, asked.page);
  const options = useOptions(events);
  useWhileActive(run, reload);
  return (
    <section aria-label={t`Events`}>
      <FilterBar resource={filtered} fields={options.data.value?.actions.GET ?? {}} asked={asked} />
      <p>
        <a href={`/api/v2/${listPath(events, asked)}`}>{t`The same in the API`}</a>
      </p>
      {error.value && <Failure error={error.value} what={t`list of events`} again={reload} />}
      {!data.value && !error.value && <Loading what={t`events`} />}
      {data.value?.count === 0 && <p class="empty">{t`There is none.`}</p>}
      {data.value && data.value.count > 0 && (
        <>
          <Table caption={t`Events`} columns={columns} rows={data.value.results} rowKey={({ id }) => id} />
          <Pager
            path={path}
            query={query}
            page={asked.page}
            pages={Math.ceil(data.value.count / pageSize)}
            back={t`Before`}
            on={t`Next`}
          />
        </>
      )}
    </section>
  );
}

const columns: Column<Shown>[] = [
  { label: t`Number`, narrow: true, cell: ({ counter }) => counter },
  {
    label: t`Event`,
    heading: true,
    cell: ({ event_display, event, task }) => (
      <>
        {event_display || event}
        {task && <span class="muted sub">{task}</span>}
      </>
    ),
  },
  { label: t`Host`, cell: ({ host_name }) => host_name || <span class="muted">–</span> },
  { label: t`When`, narrow: true, cell: ({ created }) => <When at={created} /> },
  {
    label: t`Data`,
    cell: ({ counter, event_data }) => (
      <Folded title={t`Data of event ${counter}`} text={JSON.stringify(event_data, null, 2)} />
    ),
  },
];
