import {
  type Column,
  duration,
  type Page,
  type Run,
  type RunEvent,
  runPath,
  shown,
  Status,
  Table,
  useQuery,
  useFirstPage,
  t,
} from '@tapline/console-kit';
import { firstLine } from '../../../output/seek.ts';
import { messageOf } from '../failure-reading.tsx';
import { useWhileActive } from './part.ts';
import { pageOfPart, pageRows, PartPager } from './part-pager.tsx';

/** How each host came out of a task; items of loops are part of their host's. */
export const resultEvents =
  'runner_on_ok,runner_on_failed,runner_on_unreachable,runner_on_skipped,runner_on_async_failed';

const words: Record<string, [status: string, label: string]> = {
  runner_on_ok: ['ok', t`OK`],
  runner_on_skipped: ['new', t`Skipped`],
  runner_on_failed: ['failed', t`Failed`],
  runner_on_async_failed: ['failed', t`Failed`],
  runner_on_unreachable: ['missing', t`Unreachable`],
};

export function Result({ event }: { event: RunEvent }) {
  const [status, label] = words[event.event] ?? ['new', event.event];
  const said = event.event_data?.ignore_errors && event.failed ? t`Failed, ignored` : label;
  if (event.event === 'runner_on_ok' && event.changed) return <Status status="canceled" label={t`Changed`} />;
  return <Status status={status} label={said} />;
}

const columnsOf = (run: Run, first: Column<RunEvent>): Column<RunEvent>[] => [
  first,
  { label: t`Result`, narrow: true, cell: (event) => <Result event={event} /> },
  {
    label: t`Message`,
    cell: (event) => (event.failed ? <span class="clipped">{messageOf(event)}</span> : <span class="muted">–</span>),
  },
  {
    label: t`Took`,
    narrow: true,
    cell: ({ event_data }) => (event_data?.duration === undefined ? '–' : duration(Number(event_data.duration))),
  },
  {
    label: t`Output`,
    narrow: true,
    cell: (event) => {
      const line = firstLine(event) + 1;
      return event.end_line > event.start_line ? <a href={`${runPath(run)}?line=${line}`}>{t`Line ${line}`}</a> : '–';
    },
  },
];

interface Props {
  run: Run;
  events: string;
  /** which results: `host_name=web1` */
  filter: string;
  caption: string;
  first: Column<RunEvent>;
}

/** How a task ended on each host, or each task on a host, page by page. */
export function Results({ run, events, filter, caption, first }: Props) {
  const number = pageOfPart();
  const list = `${events}?event__in=${resultEvents}&${filter}&order_by=counter&page=${number}&page_size=${pageRows}`;
  const found = useQuery<Page<RunEvent>>(list);
  useFirstPage(found, number);
  useWhileActive(run, found.reload);
  return shown(found, { what: t`list of results`, loading: t`results` }, ({ count, results }) =>
    count === 0 ? (
      <p class="empty">{t`There is no result yet.`}</p>
    ) : (
      <>
        <Table caption={caption} columns={columnsOf(run, first)} rows={results} rowKey={({ id }) => id} />
        <PartPager count={count} />
      </>
    ),
  );
}
