import {
  Failure,
  labelOfRow,
  Loading,
  type Page,
  pageOf,
  type Row,
  type Tab,
  type TabProps,
  useQuery,
  t,
} from '@tapline/console-kit';

const most = 20;

interface User {
  label: string;
  /** the list of those that use it; `{id}` is the record's */
  list: string;
}

/** Lists of everything that uses a record, as far as the caller may see it. */
export const usageTab = (users: readonly User[]): Tab => ({
  id: 'used',
  label: t`Where used`,
  content: ({ row }: TabProps) => (
    <div class="usage">
      {users.map(({ label, list }) => (
        <Users key={label} label={label} list={list.replace('{id}', String(row.id))} />
      ))}
    </div>
  ),
});

function Users({ label, list }: { label: string; list: string }) {
  const { data, error, reload } = useQuery<Page<Row>>(`${list}&order_by=id&page_size=${most}`);
  const found = data.value;
  return (
    <section aria-label={label}>
      <h2>
        {label} {found && <span class="count">{found.count}</span>}
      </h2>
      {error.value && <Failure error={error.value} what={t`list`} again={reload} />}
      {!found && !error.value && <Loading what={label} />}
      {found?.count === 0 && <p class="muted">{t`None.`}</p>}
      <ul>
        {found?.results.map((row) => (
          <li key={row.id}>
            <Used row={row} />
          </li>
        ))}
      </ul>
      {found && found.count > most && <p>{t`… and ${found.count - most} more.`}</p>}
    </section>
  );
}

function Used({ row }: { row: Row }) {
  const owner = row.summary_fields?.['target_credential'] ?? row.summary_fields?.['workflow_job_template'];
  const type = row.summary_fields?.['target_credential'] ? 'credential' : 'workflow_job_template';
  const to = owner ? pageOf(type, owner.id) : pageOf(row.type, row.id);
  const label = owner ? labelOfRow(owner) : labelOfRow(row);
  return to ? <a href={to}>{label}</a> : <>{label}</>;
}
