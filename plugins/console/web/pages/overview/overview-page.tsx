import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { PageLayout, RunsTable, shown, useRuns, t } from '@tapline/console-kit';
import { NeedsMe } from './needs-me.tsx';
import { NextSteps } from '../setup/next-steps.tsx';
import { PluginHealth } from '../plugins/plugin-health.tsx';
import { Waiting } from './waiting.tsx';
import { RecommendationCards } from './recommendation-cards.tsx';

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
  const query = useRuns('unified_jobs/?status=running&order_by=-id&page_size=10');
  const { count = 0 } = query.data.value ?? {};
  return (
    <section aria-labelledby="running-title">
      <h2 id="running-title">
        {t`Running now`}
        {count > 0 && <span class="count">{count}</span>}
      </h2>
      {shown(query, { what: t`list of jobs`, loading: t`jobs` }, ({ results }) =>
        count === 0 ? (
          <p class="empty">
            {t`Nothing is running.`} <a href="/templates">{t`Launch a template`}</a>
          </p>
        ) : (
          <>
            <RunsTable caption={t`Running jobs`} runs={results} />
            {count > results.length && <a href="/jobs?show=active">{t`All ${count}`}</a>}
          </>
        ),
      )}
    </section>
  );
}

const hourMs = 3_600_000;
const dayBefore = () => new Date(Date.now() - 24 * hourMs).toISOString();

/** A page may be looked at for days. */
function useYesterday(): string {
  const yesterday = useSignal(dayBefore());
  useEffect(() => {
    const timer = setInterval(() => void (yesterday.value = dayBefore()), hourMs);
    return () => clearInterval(timer);
  }, []);
  return yesterday.value;
}

/** Since yesterday; older failures are in the list. */
function Failed() {
  const yesterday = useYesterday();
  const query = useRuns(
    `unified_jobs/?status__in=failed,error&finished__gt=${yesterday}&order_by=-id&page_size=8&count_disabled=1`,
  );
  if (!query.data.value?.results.length && !query.error.value) return null;
  return (
    <section aria-labelledby="failed-title">
      <h2 id="failed-title">{t`Failed since yesterday`}</h2>
      {shown(
        query,
        { what: t`list of failed jobs` },
        ({ results }) => results.length > 0 && <RunsTable caption={t`Failed jobs`} runs={results} />,
      )}
      <p>
        <a href="/jobs?show=failed">{t`All that failed`}</a>
      </p>
    </section>
  );
}

/** Not counted: there may be a million of them. */
function Recent() {
  const query = useRuns(
    'unified_jobs/?status__in=successful,failed,error,canceled&order_by=-id&page_size=8&count_disabled=1',
  );
  if (!query.data.value?.results.length && !query.error.value) return null;
  return (
    <section aria-labelledby="recent-title">
      <h2 id="recent-title">{t`Recently finished`}</h2>
      {shown(
        query,
        { what: t`list of finished jobs` },
        ({ results }) => results.length > 0 && <RunsTable caption={t`Recently finished jobs`} runs={results} />,
      )}
      <p>
        <a href="/jobs">{t`All jobs`}</a>
      </p>
    </section>
  );
}
