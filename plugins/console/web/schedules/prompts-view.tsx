import {
  Code,
  type Column,
  Failure,
  labelOfRow,
  Loading,
  Table,
  type TabProps,
  useQuery,
  t,
} from '@tapline/console-kit';
import { type LaunchInfo, type Prompt, prompts } from '../pages/launch/prompts.ts';

interface Line {
  label: string;
  own: unknown;
  template: unknown;
}

/** What the template asks for at a launch, beside what this schedule answers. */
export function PromptsView({ row }: TabProps) {
  const kind: string | undefined = row.summary_fields['unified_job_template']?.unified_job_type;
  // only these two ask for anything
  const asks = kind === 'job' || kind === 'workflow_job';
  const { data, error, reload } = useQuery<LaunchInfo>(asks ? `${row['related'].unified_job_template}launch/` : null);
  if (error.value) return <Failure error={error.value} what={t`template`} again={reload} />;
  if (asks && !data.value) return <Loading what={t`what the template asks for`} />;
  const info = data.value;
  const lines = info
    ? prompts.filter(({ flag, kind: of }) => info[flag] && of !== 'many').map((one) => lineOf(one))
    : [];
  const answers = Object.keys(row['extra_data'] ?? {}).length > 0;
  function lineOf({ key, label }: Prompt): Line {
    const own = key === 'extra_vars' ? (answers ? row['extra_data'] : null) : (named(key) ?? row[key]);
    return { label, own, template: info?.defaults[key] };
  }
  /** Of itself: the summary may be that of the template. */
  function named(key: string): string | undefined {
    const linked = row.summary_fields[key];
    return linked && linked.id === row[key] ? labelOfRow(linked) : undefined;
  }
  return (
    <>
      {!lines.length && <p class="empty">{t`The template asks for nothing that is answered here.`}</p>}
      {lines.length > 0 && <Table caption={t`Prompts`} columns={columns} rows={lines} rowKey={({ label }) => label} />}
      {answers && !info?.['ask_variables_on_launch'] && (
        <>
          <h2>{t`Variables and answers to the survey`}</h2>
          <Code text={JSON.stringify(row['extra_data'], null, 2)} />
        </>
      )}
    </>
  );
}

const columns: Column<Line>[] = [
  { label: t`Prompt`, heading: true, cell: ({ label }) => label },
  { label: t`This schedule says`, cell: ({ own }) => <Said value={own} none={t`nothing: the template's counts`} /> },
  { label: t`The template says`, cell: ({ template }) => <Said value={template} none="–" /> },
];

function Said({ value, none }: { value: any; none: string }) {
  if (value === null || value === undefined || value === '') return <span class="muted">{none}</span>;
  if (typeof value === 'boolean') return <>{value ? t`Yes` : t`No`}</>;
  // what links to another record says its name, or that there is none
  if (typeof value === 'object' && 'name' in value) return <Said value={value.name} none={none} />;
  if (typeof value === 'object')
    return Object.keys(value).length ? <Code text={JSON.stringify(value, null, 2)} /> : <>–</>;
  return String(value).includes('\n') ? <Code text={String(value)} /> : <>{String(value)}</>;
}
