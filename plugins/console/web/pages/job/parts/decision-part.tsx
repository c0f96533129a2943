import { Code, type Column, type Page, type Run, shown, Table, useQuery, t } from '@tapline/console-kit';
import { type HookTrace, HookTraces } from '../../hooks/hook-traces.tsx';
import type { PartProps } from './part.ts';

interface Told {
  name: string;
  origin: string;
  value?: unknown;
  /** of a value that is too long to be kept */
  length?: number;
}

interface Gate {
  plugin?: string;
  tap?: string;
  name?: string;
  result?: string;
  [field: string]: unknown;
}

interface Decision {
  variables?: Told[];
  injected?: string[];
  inventory?: { id: number; name: string; origin: string } | null;
  credentials?: { id: number; name: string; origin: string }[];
  settings?: Record<string, { value: unknown; origin: string }>;
  gates?: Gate[];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** What the launch was decided with: each value with where it comes from, and who was asked. */
export function DecisionPart({ run }: PartProps) {
  const decision: Decision = (run as Run & { decision_record?: Decision }).decision_record ?? {};
  const { variables = [], injected = [], inventory, credentials = [], settings = {}, gates = [] } = decision;
  const others: Told[] = [
    ...(inventory ? [{ name: 'inventory', value: inventory.name, origin: inventory.origin }] : []),
    ...credentials.map(({ name, origin }) => ({ name: 'credential', value: name, origin })),
    ...Object.entries(settings).map(([name, one]) => ({ name, ...one })),
  ];
  return (
    <>
      <section aria-labelledby="variables-title">
        <h2 id="variables-title">{t`Variables`}</h2>
        {variables.length === 0 && <p class="empty">{t`It was launched without variables.`}</p>}
        {variables.length > 0 && <Values caption={t`Variables and their origin`} told={variables} />}
        {injected.length > 0 && <p class="muted">{t`Added by the service when it began: ${injected.join(', ')}`}</p>}
      </section>
      <section aria-labelledby="others-title">
        <h2 id="others-title">{t`Everything else it was decided with`}</h2>
        <Values caption={t`Other values and their origin`} told={others} />
      </section>
      <section aria-labelledby="gates-title">
        <h2 id="gates-title">{t`Who was asked`}</h2>
        {gates.length === 0 && <p class="empty">{t`No plugin was asked before it started.`}</p>}
        {gates.length > 0 && <Code text={text(gates)} />}
      </section>
      <Traces run={run} />
    </>
  );
}

const columns: Column<Told>[] = [
  { label: t`Name`, heading: true, cell: ({ name }) => name },
  {
    label: t`Value`,
    cell: ({ value, length }) => (length === undefined ? <Code text={text(value)} /> : t`${length} characters`),
  },
  { label: t`From`, narrow: true, cell: ({ origin }) => origin },
];

const Values = ({ caption, told }: { caption: string; told: readonly Told[] }) => (
  <Table caption={caption} columns={columns} rows={told} rowKey={(one) => told.indexOf(one)} />
);

/** What plugins did with it; not everybody may see that. */
function Traces({ run }: { run: Run }) {
  const query = useQuery<Page<HookTrace>>(`hooks/traces/?run=${run.id}&order_by=id&page_size=200`);
  const error = query.error.value;
  if (error ? error.status === 403 : !query.data.value?.count) return null;
  return (
    <section aria-labelledby="traces-title">
      <h2 id="traces-title">{t`What plugins did with it`}</h2>
      {shown(query, { what: t`list of traces` }, ({ results }) => (
        <HookTraces traces={results} />
      ))}
    </section>
  );
}
