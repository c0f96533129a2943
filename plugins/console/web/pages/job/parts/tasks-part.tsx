import {
  addressWith,
  type Column,
  type Page,
  place,
  type RunEvent,
  runPath,
  shown,
  Status,
  Table,
  useQuery,
  useFirstPage,
  t,
} from '@tapline/console-kit';
import { type PartProps, useWhileActive } from './part.ts';
import { pageOfPart, pageRows, PartPager } from './part-pager.tsx';
import { Results } from './results.tsx';

const starts = 'playbook_on_task_start,playbook_on_handler_task_start';

/** Each task of the run; of one that is chosen, how it ended on each host. */
export function TasksPart(props: PartProps) {
  const { path, query } = place.value;
  const task = query.get('task');
  if (task === null) return <Tasks {...props} />;
  return (
    <section aria-labelledby="task-title">
      <h2 id="task-title">
        <bdi>{query.get('name') ?? t`One task`}</bdi>
      </h2>
      <p>
        <a href={addressWith(path, new URLSearchParams(), { tab: 'tasks' })}>{t`All tasks`}</a>
      </p>
      <Results
        {...props}
        filter={`parent_uuid=${encodeURIComponent(task)}`}
        caption={t`How it ended on each host`}
        first={{
          label: t`Host`,
          heading: true,
          cell: ({ host_name }) => <a href={`?tab=hosts&host=${encodeURIComponent(host_name)}`}>{host_name}</a>,
        }}
      />
    </section>
  );
}

function Tasks({ run, events }: PartProps) {
  const { path } = place.value;
  const number = pageOfPart();
  const list = `${events}?event__in=${starts}&order_by=counter&page=${number}&page_size=${pageRows}`;
  const found = useQuery<Page<RunEvent>>(list);
  useFirstPage(found, number);
  useWhileActive(run, found.reload);
  const columns: Column<RunEvent>[] = [
    {
      label: t`Task`,
      heading: true,
      cell: ({ uuid, task, role, play }) => (
        <>
          <a href={addressWith(path, new URLSearchParams(), { tab: 'tasks', task: uuid, name: task })}>
            {role ? `${role} : ${task}` : task || t`Task without a name`}
          </a>
          <span class="muted sub">{play}</span>
        </>
      ),
    },
    { label: t`Result`, narrow: true, cell: (event) => <TaskResult event={event} /> },
    { label: t`Module`, narrow: true, cell: ({ event_data }) => event_data?.task_action ?? '–' },
    {
      label: t`Output`,
      narrow: true,
      cell: ({ start_line }) => <a href={`${runPath(run)}?line=${start_line + 2}`}>{t`Line ${start_line + 2}`}</a>,
    },
  ];
  return shown(found, { what: t`list of tasks`, loading: t`tasks` }, ({ count, results }) =>
    count === 0 ? (
      <p class="empty">{t`No task has begun yet.`}</p>
    ) : (
      <section aria-label={t`Tasks`}>
        <Table caption={t`Tasks in their order`} columns={columns} rows={results} rowKey={({ id }) => id} />
        <PartPager count={count} />
      </section>
    ),
  );
}

function TaskResult({ event: { failed, changed } }: { event: RunEvent }) {
  if (failed) return <Status status="failed" />;
  return changed ? <Status status="canceled" label={t`Changed`} /> : <Status status="ok" />;
}
