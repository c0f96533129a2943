import {
  addressWith,
  Failure,
  type FieldOption,
  FilterBar,
  listPath,
  Loading,
  PageLayout,
  Pager,
  pageSize,
  place,
  readQuery,
  SelectRuns,
  useOptions,
  useRuns,
  useFirstPage,
  t,
} from '@tapline/console-kit';

const filters = [
  { value: '', label: t`All` },
  { value: 'active', label: t`Running and waiting`, statuses: 'pending,waiting,running' },
  { value: 'failed', label: t`Failed`, statuses: 'failed,error' },
  { value: 'successful', label: t`Successful`, statuses: 'successful' },
  { value: 'canceled', label: t`Canceled`, statuses: 'canceled' },
] as const;

/** What ran is no resource of one kind: only what its filters need of one. */
const runs = {
  one: t`job`,
  many: t`jobs`,
  filters: [
    'name',
    'type',
    'unified_job_template',
    'created_by',
    'launch_type',
    'created',
    'finished',
    'limit',
    'instance_group',
  ],
};

/** It filters without being a field: runs have it among what belongs to them. */
const launchedBy: FieldOption = { type: 'id', label: t`Launched by` };

export function JobsPage() {
  const { query } = place.value;
  const chosen = filters.find(({ value }) => value === (query.get('show') ?? '')) ?? filters[0];
  const { filters: all, ...rest } = readQuery(query, '-id');
  const asked = { ...rest, filters: all.filter(([name]) => name !== 'show') };
  const statuses = 'statuses' in chosen ? `?status__in=${chosen.statuses}` : '';
  const list = listPath(`unified_jobs/${statuses}`, asked);
  const options = useOptions('unified_jobs/');
  const known = options.data.value?.actions.GET;
  const fields: Record<string, FieldOption> = known ? { ...known, created_by: launchedBy } : {};
  const narrowed = Boolean(chosen.value || asked.search || asked.filters.length);
  const { data, error, reload } = useRuns(list);
  useFirstPage({ error }, asked.page);

  return (
    <PageLayout title={t`Jobs`} intro={t`Everything that ran, runs or waits to run, newest first.`}>
      <WhichJobs query={query} chosen={chosen.value} />
      <FilterBar resource={runs} fields={fields} asked={asked} />
      {options.error.value && (
        <Failure error={options.error.value} what={t`list of what can be filtered`} again={options.reload} />
      )}
      {error.value && <Failure error={error.value} what={t`list of jobs`} again={reload} />}
      {!data.value && !error.value && <Loading what={t`jobs`} />}
      {data.value?.count === 0 && (
        <p class="empty">
          {narrowed ? t`There is none of these.` : t`Nothing has run yet.`}{' '}
          <a href="/templates">{t`Launch a template`}</a>
        </p>
      )}
      {data.value && data.value.count > 0 && (
        <>
          <SelectRuns
            key={list}
            caption={t`${chosen.label} jobs`}
            runs={data.value.results}
            all={{ list, count: data.value.count }}
            reload={reload}
          />
          <Pager path="/jobs" query={query} page={asked.page} pages={Math.ceil(data.value.count / pageSize)} />
        </>
      )}
    </PageLayout>
  );
}

function WhichJobs({ query, chosen }: { query: URLSearchParams; chosen: string }) {
  return (
    <nav class="tabs" aria-label={t`Which jobs`}>
      {filters.map(({ value, label }) => (
        <a
          key={value}
          href={addressWith('/jobs', query, { show: value })}
          aria-current={value === chosen ? 'true' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}
