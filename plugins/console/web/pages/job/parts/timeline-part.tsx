import { useCallback } from 'preact/hooks';
import {
  addressWith,
  type Column,
  duration,
  get,
  type Page,
  place,
  type Run,
  type RunEvent,
  runPath,
  shown,
  Table,
  useRead,
  t,
} from '@tapline/console-kit';
import { type PartProps, useWhileActive } from './part.ts';

const most = 1000;
const starts = 'playbook_on_task_start,playbook_on_handler_task_start';

interface Span {
  key: number;
  label: string;
  failed: boolean;
  line: number | null;
  /** seconds from the start of the run */
  from: number;
  took: number;
}

/** Every task's start, page by page. */
async function readStarts(events: string): Promise<RunEvent[]> {
  const found: RunEvent[] = [];
  let next: string | null = `${events}?event__in=${starts}&order_by=counter&page_size=200`;
  while (next && found.length < most) {
    const page: Page<RunEvent> = await get(next, { quiet: true });
    found.push(...page.results);
    ({ next } = page);
  }
  return found;
}

/** A task lasts until the next one begins, the last until the run ends. */
function spansOf(run: Run, tasks: readonly RunEvent[]): Span[] {
  const begin = Date.parse(run.started ?? run.created);
  const end = run.finished ? Date.parse(run.finished) : Date.now();
  const since = (at: number) => Math.max(0, at - begin) / 1000;
  const marks = [...tasks.map(({ created }) => Date.parse(created)), end];
  const before = { key: 0, label: t`Before the first task`, failed: false, line: null };
  return [
    { ...before, from: 0, took: since(marks[0]!) },
    ...tasks.map(({ id, task, role, failed, start_line }, i) => ({
      key: id,
      label: role ? `${role} : ${task}` : task || t`Task without a name`,
      failed,
      line: start_line + 2,
      from: since(marks[i]!),
      took: Math.max(0, marks[i + 1]! - marks[i]!) / 1000,
    })),
  ];
}

/** Where the time went: a bar for each task along the time of the run. */
export function TimelinePart({ run, events }: PartProps) {
  const { path, query } = place.value;
  const read = useCallback(() => readStarts(events), [events]);
  const found = useRead(read);
  useWhileActive(run, found.reload);
  const longest = query.get('order') === 'longest';
  return shown(found, { what: t`timeline`, loading: t`the timeline` }, (tasks) => {
    const spans = spansOf(run, tasks);
    const total = Math.max(0.001, ...spans.map(({ from, took }) => from + took));
    const rows = longest ? spans.toSorted((a, b) => b.took - a.took) : spans;
    return (
      <section aria-label={t`Timeline`}>
        <p>
          {t`${duration(total)} in all.`}{' '}
          <a href={addressWith(path, query, { order: longest ? null : 'longest' })}>
            {longest ? t`In their order` : t`Longest first`}
          </a>
          {tasks.length >= most && t` Only the first ${most} tasks are shown.`}
        </p>
        <Table
          caption={t`Tasks along the time`}
          columns={columnsOf(run, total)}
          rows={rows}
          rowKey={({ key }) => key}
        />
      </section>
    );
  });
}

const columnsOf = (run: Run, total: number): Column<Span>[] => [
  {
    label: t`Task`,
    heading: true,
    cell: ({ label, line }) => (line === null ? label : <a href={`${runPath(run)}?line=${line}`}>{label}</a>),
  },
  { label: t`Began after`, narrow: true, cell: ({ from }) => duration(from) },
  { label: t`Took`, narrow: true, cell: ({ took }) => duration(took) },
  {
    label: t`Along the time`,
    cell: ({ from, took, failed }) => (
      <svg class={`bar ${failed ? 'bad' : ''}`} viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
        <rect x={(from / total) * 1000} width={Math.max(3, (took / total) * 1000)} height="10" />
      </svg>
    ),
  },
];
