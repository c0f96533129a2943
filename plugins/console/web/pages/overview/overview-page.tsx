import { Failure, Loading, PageLayout, RunsTable, useRuns } from '@tapline/console-kit';
import { NextSteps } from '../setup/next-steps.tsx';
import { PluginHealth } from '../plugins/plugin-health.tsx';
import { RecommendationCards } from './recommendation-cards.tsx';

export function OverviewPage() {
  return (
    <PageLayout title="Overview">
      <NextSteps />
      <Running />
      <Recent />
      <section aria-labelledby="recommendations-title">
        <h2 id="recommendations-title">Recommendations</h2>
        <RecommendationCards most={4} />
      </section>
      <PluginHealth />
    </PageLayout>
  );
}

function Running() {
  const { data, error, reload } = useRuns('unified_jobs/?status__in=pending,waiting,running&order_by=-id&page_size=10');
  const page = data.value;
  return (
    <section aria-labelledby="running-title">
      <h2 id="running-title">
        Running now
        {page && page.count > 0 && <span class="count">{page.count}</span>}
      </h2>
      {error.value && <Failure error={error.value} what="list of jobs" again={reload} />}
      {!page && !error.value && <Loading what="jobs" />}
      {page?.count === 0 && (
        <p class="empty">
          Nothing is running. <a href="/templates">Launch a template</a>
        </p>
      )}
      {page && page.count > 0 && <RunsTable caption="Running and waiting jobs" runs={page.results} />}
      {page && page.count > page.results.length && <a href="/jobs?show=active">All {page.count}</a>}
    </section>
  );
}

/** Not counted: there may be a million of them. */
function Recent() {
  const { data } = useRuns(
    'unified_jobs/?status__in=successful,failed,error,canceled&order_by=-id&page_size=8&count_disabled=1',
  );
  if (!data.value?.results.length) return null;
  return (
    <section aria-labelledby="recent-title">
      <h2 id="recent-title">Recently finished</h2>
      <RunsTable caption="Recently finished jobs" runs={data.value.results} />
      <p>
        <a href="/jobs">All jobs</a>
      </p>
    </section>
  );
}
