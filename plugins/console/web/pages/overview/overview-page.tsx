import { Failure, Loading, PageLayout, RunsTable, useRuns, t } from '@tapline/console-kit';
import { NeedsMe } from './needs-me.tsx';
import { NextSteps } from '../setup/next-steps.tsx';
import { PluginHealth } from '../plugins/plugin-health.tsx';
import { Waiting } from './waiting.tsx';
import { RecommendationCards } from './recommendation-cards.tsx';

const dayMs = 86_400_000;
const yesterday = new Date(Date.now() - dayMs).toISOString();

export function OverviewPage() {
  return (
    <PageLayout title={t`Overview`}>
      <NextSteps />
      <NeedsMe />
      <Running />
      <Waiting />
      <Failed />
      <Recent />
      <section aria-labelledby="recommendations-title">
        <h2 id="recommendations-title">{t`Recommendations`}</h2>
        <RecommendationCards most={4} />
      </section>
      <PluginHealth />
    </PageLayout>
  );
}

function Running() {
  const { data, error, reload } = useRuns('unified_jobs/?status=running&order_by=-id&page_size=10');
  const page = data.value;
  return (
    <section aria-labelledby="running-title">
      <h2 id="running-title">
        {t`Running now`}
        {page && page.count > 0 && <span class="count">{page.count}</span>}
      </h2>
      {error.value && <Failure error={error.value} what={t`list of jobs`} again={reload} />}
      {!page && !error.value && <Loading what={t`jobs`} />}
      {page?.count === 0 && (
        <p class="empty">
          {t`Nothing is running.`} <a href="/templates">{t`Launch a template`}</a>
        </p>
      )}
      {page && page.count > 0 && <RunsTable caption={t`Running jobs`} runs={page.results} />}
      {page && page.count > page.results.length && <a href="/jobs?show=active">{t`All ${page.count}`}</a>}
    </section>
  );
}

/** Since yesterday; older failures are in the list. */
function Failed() {
  const { data } = useRuns(
    `unified_jobs/?status__in=failed,error&finished__gt=${yesterday}&order_by=-id&page_size=8&count_disabled=1`,
  );
  if (!data.value?.results.length) return null;
  return (
    <section aria-labelledby="failed-title">
      <h2 id="failed-title">{t`Failed since yesterday`}</h2>
      <RunsTable caption={t`Failed jobs`} runs={data.value.results} />
      <p>
        <a href="/jobs?show=failed">{t`All that failed`}</a>
      </p>
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
      <h2 id="recent-title">{t`Recently finished`}</h2>
      <RunsTable caption={t`Recently finished jobs`} runs={data.value.results} />
      <p>
        <a href="/jobs">{t`All jobs`}</a>
      </p>
    </section>
  );
}
