import {
  Code,
  type Column,
  labelOfRow,
  type Row,
  shown,
  Table,
  type TabProps,
  useQuery,
  t,
} from '@tapline/console-kit';
import { type LaunchInfo, prompts } from '../pages/launch/prompts.ts';

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
  const query = useQuery<LaunchInfo>(asks ? `${row['related'].unified_job_template}launch/` : null);
  if (!asks) return <Answers row={row} />;
  return shown(query, { what: t`template`, loading: t`what the template asks for` }, (info) => (
    <Answers row={row} info={info} />
  ));
}

function Answers({ row, info }: { row: Row; info?: LaunchInfo }) {
  const answers = Object.keys(row['extra_data'] ?? {}).length > 0;
  const asked = info ? prompts.filter(({ flag, kind: of }) => info[flag] && of !== 'many') : [];
  const lines = asked.map(({ key, label }) => ({ label, own: answerTo(key, row), template: info?.defaults[key] }));
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

/** What the schedule says itself: the summary of an inventory may be that of the template's. */
function answerTo(key: string, row: Row): unknown {
  if (key === 'extra_vars') return Object.keys(row['extra_data'] ?? {}).length ? row['extra_data'] : null;
  const linked = row.summary_fields[key];
  return linked && linked.id === row[key] ? labelOfRow(linked) : row[key];
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
