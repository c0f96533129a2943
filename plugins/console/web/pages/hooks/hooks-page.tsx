import {
  type Column,
  Failure,
  FilterBar,
  listPath,
  Loading,
  type Page,
  PageLayout,
  Pager,
  pageSize,
  place,
  readQuery,
  Table,
  useOptions,
  useQuery,
  When,
  useFirstPage,
  t,
} from '@tapline/console-kit';
import { type HookTrace, HookTraces } from './hook-traces.tsx';

interface Tap {
  plugin: string;
  name: string;
  stage: number;
  fail_mode: string;
  timeout_ms: number;
  calls: number;
  errors: number;
  p95_ms: number | null;
  last_called: string | null;
}

interface Hook {
  name: string;
  queued: boolean;
  taps: Tap[];
}

/** Where plugins have a say, in which order, and what came of it. */
export function HooksPage() {
  const { data, error, reload } = useQuery<Page<Hook>>('hooks/?page_size=200');
  return (
    <PageLayout title={t`Hooks`} intro={t`Where plugins have a say in runs, and what each of them did.`}>
      {error.value && <Failure error={error.value} what={t`list of hooks`} again={reload} />}
      {!data.value && !error.value && <Loading what={t`hooks`} />}
      {data.value?.results.map((hook) => (
        <section key={hook.name} aria-labelledby={`hook-${hook.name}`}>
          <h2 id={`hook-${hook.name}`}>{hook.name}</h2>
          {hook.taps.length === 0 && <p class="muted">{t`No plugin taps it.`}</p>}
          {hook.taps.length > 0 && (
            <Table
              caption={t`Taps of ${hook.name} in their order`}
              columns={columns}
              rows={hook.taps}
              rowKey={({ plugin, name }) => `${plugin} ${name}`}
            />
          )}
        </section>
      ))}
      {data.value && <Traces />}
    </PageLayout>
  );
}

const columns: Column<Tap>[] = [
  { label: t`Tap`, heading: true, cell: ({ plugin, name }) => `${plugin} : ${name}` },
  { label: t`Stage`, narrow: true, cell: ({ stage }) => stage },
  { label: t`If it fails`, narrow: true, cell: ({ fail_mode }) => fail_mode },
  { label: t`Calls`, narrow: true, cell: ({ calls }) => calls },
  { label: t`Errors`, narrow: true, cell: ({ errors }) => errors },
  { label: t`95 % within`, narrow: true, cell: ({ p95_ms }) => (p95_ms === null ? '–' : t`${Math.round(p95_ms)} ms`) },
  { label: t`Last called`, narrow: true, cell: ({ last_called }) => <When at={last_called} /> },
];

const filtered = { many: t`traces`, filters: ['hook', 'plugin', 'tap', 'run', 'result', 'created'] };

function Traces() {
  const { path, query } = place.value;
  const asked = readQuery(query, '-id');
  const { data, error, reload } = useQuery<Page<HookTrace>>(listPath('hooks/traces/', asked));
  useFirstPage({ error }, asked.page);
  const options = useOptions('hooks/traces/');
  return (
    <section aria-labelledby="traces-title">
      <h2 id="traces-title">{t`Traces`}</h2>
      <FilterBar resource={filtered} fields={options.data.value?.actions.GET ?? {}} asked={asked} />
      {options.error.value && (
        <Failure error={options.error.value} what={t`list of what can be filtered`} again={options.reload} />
      )}
      {error.value && <Failure error={error.value} what={t`list of traces`} again={reload} />}
      {data.value?.count === 0 && <p class="empty">{t`There is none.`}</p>}
      {data.value && data.value.count > 0 && (
        <>
          <HookTraces traces={data.value.results} />
          <Pager path={path} query={query} page={asked.page} pages={Math.ceil(data.value.count / pageSize)} />
        </>
      )}
    </section>
  );
}
