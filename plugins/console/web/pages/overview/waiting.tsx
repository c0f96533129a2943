import { type Column, type Run, runNoun, runPath, shown, Status, Table, useRuns, When, t } from '@tapline/console-kit';

/** What has not started yet, each with the reason. */
export function Waiting() {
  const query = useRuns('unified_jobs/?status__in=pending,waiting&order_by=id&page_size=10');
  const { count = 0 } = query.data.value ?? {};
  if (!count && !query.error.value) return null;
  return (
    <section aria-labelledby="waiting-title">
      <h2 id="waiting-title">
        {t`Waiting, and why`} {count > 0 && <span class="count">{count}</span>}
      </h2>
      {shown(
        query,
        { what: t`list of waiting jobs` },
        ({ results }) =>
          results.length > 0 && (
            <>
              <Table caption={t`Waiting jobs`} columns={columns} rows={results} rowKey={({ id }) => id} />
              {count > results.length && <a href="/jobs?show=active">{t`All ${count}`}</a>}
            </>
          ),
      )}
    </section>
  );
}

const reasons = ({ pending_reasons = [], job_explanation }: Run) =>
  [...new Set([...pending_reasons.map(({ explanation }) => explanation), job_explanation])].filter(Boolean).join(' ');

const columns: readonly Column<Run>[] = [
  { label: t`Status`, narrow: true, cell: ({ status }) => <Status status={status} /> },
  {
    label: t`Name`,
    heading: true,
    cell: (run) => (
      <>
        <a href={runPath(run)}>{run.name}</a>
        <span class="muted sub">
          {runNoun(run.type)} {run.id}
        </span>
      </>
    ),
  },
  { label: t`Why it waits`, cell: (run) => reasons(run) || <span class="muted">{t`It is about to start.`}</span> },
  { label: t`Created`, narrow: true, cell: ({ created }) => <When at={created} /> },
];
