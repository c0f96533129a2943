import {
  addressWith,
  type Column,
  Failure,
  Loading,
  type Page,
  place,
  Status,
  Table,
  useQuery,
  useFirstPage,
  t,
} from '@tapline/console-kit';
import { type PartProps, useWhileActive } from './part.ts';
import { pageOfPart, pageRows, PartPager } from './part-pager.tsx';
import { Results } from './results.tsx';

interface Summary {
  id: number;
  host: number | null;
  host_name: string;
  failed: boolean;
  [count: string]: any;
}

const counts = {
  ok: t`OK`,
  changed: t`Changed`,
  failures: t`Failed`,
  dark: t`Unreachable`,
  skipped: t`Skipped`,
} as const;

/** How the run went on each host; of one that is chosen, all its tasks. */
export function HostsPart(props: PartProps) {
  const { path, query } = place.value;
  const host = query.get('host');
  if (host === null) return <Summaries {...props} />;
  return (
    <section aria-labelledby="host-title">
      <h2 id="host-title">
        <bdi>{host}</bdi>
      </h2>
      <p>
        <a href={addressWith(path, new URLSearchParams(), { tab: 'hosts' })}>{t`All hosts`}</a>
      </p>
      <Results
        {...props}
        filter={`host_name=${encodeURIComponent(host)}`}
        caption={t`Tasks on ${host}`}
        first={{ label: t`Task`, heading: true, cell: ({ task, role }) => (role ? `${role} : ${task}` : task) }}
      />
    </section>
  );
}

function Summaries({ run }: PartProps) {
  const { path, query } = place.value;
  const number = pageOfPart();
  const failed = query.get('failed') === 'true';
  const parameters = `order_by=-failed,host_name&page=${number}&page_size=${pageRows}${failed ? '&failed=true' : ''}`;
  const { data, error, reload } = useQuery<Page<Summary>>(`jobs/${run.id}/job_host_summaries/?${parameters}`);
  useFirstPage({ error }, number);
  useWhileActive(run, reload);
  const toggle = addressWith(path, query, { failed: failed ? null : 'true' });
  return (
    <section aria-label={t`Hosts`}>
      <p>
        <a href={toggle}>{failed ? t`All hosts` : t`Only those that failed`}</a>
      </p>
      {error.value && <Failure error={error.value} what={t`list of hosts`} again={reload} />}
      {!data.value && !error.value && <Loading what={t`hosts`} />}
      {data.value?.count === 0 && <p class="empty">{t`No host has got through yet.`}</p>}
      {data.value && data.value.count > 0 && (
        <>
          <Table
            caption={t`How it went on each host`}
            columns={columns}
            rows={data.value.results}
            rowKey={({ id }) => id}
          />
          <PartPager count={data.value.count} />
        </>
      )}
    </section>
  );
}

const columns: Column<Summary>[] = [
  {
    label: t`Host`,
    heading: true,
    cell: ({ host_name }) => <a href={`?tab=hosts&host=${encodeURIComponent(host_name)}`}>{host_name}</a>,
  },
  { label: t`Result`, narrow: true, cell: ({ failed }) => <Status status={failed ? 'failed' : 'successful'} /> },
  ...Object.entries(counts).map(([field, label]): Column<Summary> => ({
    label,
    narrow: true,
    cell: (row) => String(row[field]),
  })),
];
