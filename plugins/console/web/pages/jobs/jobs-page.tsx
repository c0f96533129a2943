import { useRuns } from '../../api/runs.ts';
import { Failure, Loading, PageLayout } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { RunsTable } from '../../components/runs-table.tsx';
import { place } from '../../router.ts';

const filters = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Running and waiting', statuses: 'pending,waiting,running' },
  { value: 'failed', label: 'Failed', statuses: 'failed,error' },
  { value: 'successful', label: 'Successful', statuses: 'successful' },
] as const;
const pageSize = 25;

export function JobsPage() {
  const { query } = place.value;
  const chosen = filters.find(({ value }) => value === (query.get('show') ?? '')) ?? filters[0];
  const number = Math.max(1, Number(query.get('page')) || 1);
  const statuses = 'statuses' in chosen ? `&status__in=${chosen.statuses}` : '';
  const { data, error } = useRuns(`unified_jobs/?order_by=-id&page_size=${pageSize}&page=${number}${statuses}`);

  return (
    <PageLayout title="Jobs" intro="Everything that ran, runs or waits to run, newest first.">
      <nav class="tabs" aria-label="Which jobs">
        {filters.map(({ value, label }) => (
          <a
            key={value}
            href={value ? `/jobs?show=${value}` : '/jobs'}
            aria-current={value === chosen.value ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {error.value && <Failure error={error.value} what="list of jobs" />}
      {!data.value && !error.value && <Loading what="jobs" />}
      {data.value?.count === 0 && (
        <p class="empty">
          {chosen.value ? 'There is none of these.' : 'Nothing has run yet.'} <a href="/templates">Launch a template</a>
        </p>
      )}
      {data.value && data.value.count > 0 && (
        <>
          <RunsTable caption={`${chosen.label} jobs`} runs={data.value.results} />
          <Pager path="/jobs" query={query} page={number} pages={Math.ceil(data.value.count / pageSize)} />
        </>
      )}
    </PageLayout>
  );
}
