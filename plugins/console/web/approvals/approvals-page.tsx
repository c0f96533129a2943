import {
  type Column,
  Failure,
  Loading,
  PageLayout,
  Pager,
  place,
  type Row,
  Selection,
  Status,
  Table,
  When,
  useFirstPage,
  t,
} from '@tapline/console-kit';
import { decideSeveral } from './decide-several.ts';
import { Decide } from './decide.tsx';
import { useApprovals } from './use-approvals.ts';
import { approvalWord, votesWord } from './words.ts';

const pageSize = 25;
/** More of them than anybody decides in a day: the rest is found in the list of all. */
const mostWaiting = 100;

const name: Column<Row> = {
  label: t`Approval`,
  heading: true,
  cell: (row) => (
    <>
      <a href={`/workflow_approvals/${row.id}`}>{String(row['name'])}</a>
      {row['description'] && <span class="muted sub">{row['description']}</span>}
    </>
  ),
};
const workflow: Column<Row> = {
  label: t`Run`,
  cell: ({ summary_fields: { source_workflow_job: run } }) =>
    run ? <a href={`/workflow_jobs/${run.id}`}>{run.name}</a> : <span class="muted">–</span>,
};

const names = { one: t`approval`, many: t`approvals`, label: (row: Row) => String(row['name']) };

/** What waits for a decision, and what became of what did. */
export function ApprovalsPage() {
  return (
    <PageLayout title={t`Approvals`} intro={t`Steps of workflows that wait until somebody lets them go on.`}>
      <Waiting />
      <Decided />
    </PageLayout>
  );
}

function Waiting() {
  const list = `workflow_approvals/?status=pending&order_by=created&page_size=${mostWaiting}`;
  const { data, error, reload } = useApprovals(list);
  const columns: Column<Row>[] = [
    name,
    workflow,
    { label: t`Votes`, narrow: true, cell: votesWord },
    { label: t`Waits since`, narrow: true, cell: (row) => <When at={row['created']} /> },
    { label: t`Until`, narrow: true, cell: (row) => <When at={row['approval_expiration']} /> },
    { label: t`Decision`, narrow: true, cell: (row) => <Decide row={row} onDone={reload} /> },
  ];
  const found = data.value;
  return (
    <section aria-labelledby="waiting-title">
      <h2 id="waiting-title">{t`Waiting for a decision`}</h2>
      {error.value && <Failure error={error.value} what={t`list of approvals`} again={reload} />}
      {!found && !error.value && <Loading what={t`approvals`} />}
      {found?.count === 0 && <p class="empty">{t`Nothing waits.`}</p>}
      {found && found.count > 0 && (
        <Selection
          names={names}
          rows={found.results}
          actions={decideSeveral}
          all={{ list, count: found.count }}
          reload={reload}
          table={(select) => (
            <Table
              caption={t`Approvals that wait`}
              columns={[select, ...columns]}
              rows={found.results}
              rowKey={({ id }) => id}
            />
          )}
        />
      )}
      {found && found.count > found.results.length && (
        <p>
          {t`… and ${found.count - found.results.length} more:`}{' '}
          <a href="/workflow_approvals?status=pending">{t`all that wait`}</a>.
        </p>
      )}
    </section>
  );
}

function Decided() {
  const { path, query } = place.value;
  const number = Math.max(1, Number(query.get('page')) || 1);
  const { data, error, reload } = useApprovals(
    `workflow_approvals/?not__status=pending&order_by=-id&page=${number}&page_size=${pageSize}`,
  );
  useFirstPage({ error }, number);
  const columns: Column<Row>[] = [
    name,
    workflow,
    {
      label: t`Decision`,
      narrow: true,
      cell: (row) => <Status status={String(row['status'])} label={approvalWord(row)} />,
    },
    {
      label: t`By`,
      cell: (row) => row.summary_fields['approved_or_denied_by']?.username ?? <span class="muted">–</span>,
    },
    { label: t`When`, narrow: true, cell: (row) => <When at={row['finished']} /> },
  ];
  const found = data.value;
  return (
    <section aria-labelledby="decided-title">
      <h2 id="decided-title">{t`Decided`}</h2>
      {error.value && <Failure error={error.value} what={t`list of approvals`} again={reload} />}
      {!found && !error.value && <Loading what={t`what was decided`} />}
      {found?.count === 0 && <p class="empty">{t`Nothing was decided yet.`}</p>}
      {found && found.count > 0 && (
        <>
          <Table
            caption={t`Approvals that are decided`}
            columns={columns}
            rows={found.results}
            rowKey={({ id }) => id}
          />
          <Pager path={path} query={query} page={number} pages={Math.ceil(found.count / pageSize)} />
        </>
      )}
    </section>
  );
}
