import { type Column, type Run, runNoun, runPath, Status, Table, useRuns, When, t } from '@tapline/console-kit';

/** What has not started yet, each with the reason. */
export function Waiting() {
  const { data } = useRuns('unified_jobs/?status__in=pending,waiting&order_by=id&page_size=10');
  const page = data.value;
  if (!page?.count) return null;
  return (
    <section aria-labelledby="waiting-title">
      <h2 id="waiting-title">
        {t`Waiting, and why`} <span class="count">{page.count}</span>
      </h2>
      <Table caption={t`Waiting jobs`} columns={columns} rows={page.results} rowKey={({ id }) => id} />
      {page.count > page.results.length && <a href="/jobs?show=active">{t`All ${page.count}`}</a>}
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
