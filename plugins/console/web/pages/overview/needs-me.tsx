import { type Page, type Query, type Row, useQuery, When, t } from '@tapline/console-kit';
import { useApprovals } from '../../approvals/use-approvals.ts';

const most = 5;

interface Need {
  key: string;
  to: string;
  text: string;
  since?: string | null;
}

const entries = {
  approval: ({ id, name, created }: Row): Need => ({
    key: `a${id}`,
    to: `/workflow_approvals/${id}`,
    text: t`${name} waits for a decision`,
    since: created,
  }),
  project: ({ id, name, last_job_run }: Row): Need => ({
    key: `p${id}`,
    to: `/projects/${id}`,
    text: t`The project ${name} could not be updated`,
    since: last_job_run,
  }),
  source: ({ id, name, last_job_run }: Row): Need => ({
    key: `s${id}`,
    to: `/inventory_sources/${id}`,
    text: t`The inventory source ${name} could not be updated`,
    since: last_job_run,
  }),
  node: ({ id, hostname, errors }: Row): Need => ({
    key: `n${id}`,
    to: `/instances/${id}`,
    text: t`The instance ${hostname} is not well: ${errors}`,
  }),
};

const mayDecide = (row: Row) => row['can_approve_or_deny'] !== false;
const resultsOf = ({ data }: Query<Page<Row>>): Row[] => data.value?.results ?? [];

function useNeeds(): Need[] {
  const approvals = useApprovals(`workflow_approvals/?status=pending&order_by=id&page_size=${most}`);
  const broken = `order_by=-last_job_run&page_size=${most}`;
  const projects = useQuery<Page<Row>>(`projects/?status__in=failed,error,missing&${broken}`);
  const sources = useQuery<Page<Row>>(`inventory_sources/?status__in=failed,error&${broken}`);
  const nodes = useQuery<Page<Row>>(`instances/?not__errors=&page_size=${most}`);
  return [
    ...resultsOf(approvals).filter(mayDecide).map(entries.approval),
    ...resultsOf(projects).map(entries.project),
    ...resultsOf(sources).map(entries.source),
    ...resultsOf(nodes).map(entries.node),
  ];
}

/** What goes on only if somebody does something. */
export function NeedsMe() {
  const needs = useNeeds();
  if (!needs.length) return null;
  return (
    <section aria-labelledby="needs-title">
      <h2 id="needs-title">
        {t`Needs somebody`} <span class="count">{needs.length}</span>
      </h2>
      <ul class="needs">
        {needs.map(({ key, to, text, since }) => (
          <li key={key}>
            <a href={to}>{text}</a> {since && <When at={since} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
