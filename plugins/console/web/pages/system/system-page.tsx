import { type Column, Failure, Loading, type Page, PageLayout, Status, Table, useQuery, t } from '@tapline/console-kit';

interface Finding {
  level: 'ok' | 'warn' | 'fail';
  what: string;
  remedy: string;
  node: string;
}

const tones = { ok: ['ok', t`OK`], warn: ['degraded', t`Unsafe`], fail: ['failed', t`Broken`] } as const;
const order = ['fail', 'warn', 'ok'];

/** What the doctor says: the worst first, each with its remedy. */
export function SystemPage() {
  const { data, error, reload } = useQuery<Page<Finding>>('system_state/?page_size=200');
  const findings = (data.value?.results ?? []).toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  const bad = findings.filter(({ level }) => level !== 'ok').length;
  return (
    <PageLayout
      title={t`System state`}
      intro={t`What is missing or unsafe on the node that answered, and how to mend it.`}
      actions={<button type="button" onClick={() => void reload()}>{t`Look again`}</button>}
    >
      {error.value && <Failure error={error.value} what={t`state of the system`} again={reload} />}
      {!data.value && !error.value && <Loading what={t`what there is to say`} />}
      {data.value && (
        <>
          <p role="status">{t`${bad === 0 ? t`All is well` : t`${bad} of ${findings.length} need somebody`} on ${findings[0]?.node}.`}</p>
          <Table
            caption={t`Findings`}
            columns={columns}
            rows={findings}
            rowKey={(finding) => findings.indexOf(finding)}
          />
          <p>
            <a href="/plugins">{t`Plugins`}</a> · <a href="/hooks">{t`Hooks`}</a> ·{' '}
            <a href="/instances">{t`Instances`}</a> · <a href="/system_job_templates">{t`System jobs`}</a>
          </p>
        </>
      )}
    </PageLayout>
  );
}

const columns: Column<Finding>[] = [
  {
    label: t`State`,
    narrow: true,
    cell: ({ level }) => <Status status={tones[level]?.[0] ?? 'new'} label={tones[level]?.[1] ?? level} />,
  },
  { label: t`What`, heading: true, cell: ({ what }) => what },
  { label: t`What to do`, cell: ({ remedy }) => remedy || <span class="muted">–</span> },
];
