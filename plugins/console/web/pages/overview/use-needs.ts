import { type Page, type Query, type Row, useQuery, t } from '@tapline/console-kit';
import { useOpenApprovals } from '../../approvals/use-approvals.ts';

const most = 5;

interface Need {
  key: string;
  to: string;
  text: string;
  since?: string | null;
}

/** What needs somebody for one reason. */
export interface Needs {
  query: Query<unknown>;
  /** the first of them */
  shown: Need[];
  count: number;
  /** there may be even more */
  more?: boolean;
  /** where all of them are */
  all: { to: string; text: string };
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

function useApprovalNeeds(): Needs {
  const query = useOpenApprovals(most);
  const { rows = [], more = false } = query.data.value ?? {};
  const all = { to: '/approvals', text: t`All approvals that wait` };
  return { query, shown: rows.slice(0, most).map(entries.approval), count: rows.length, more, all };
}

/** Of the records of a list that its filter leaves. */
function useListed(list: string, order: string, entry: (row: Row) => Need, textOf: (count: number) => string): Needs {
  const query = useQuery<Page<Row>>(`${list}&order_by=${order}&page_size=${most}`);
  const { results = [], count = 0 } = query.data.value ?? {};
  return { query, shown: results.map(entry), count, all: { to: `/${list.replace('/?', '?')}`, text: textOf(count) } };
}

/** What goes on only if somebody does something, by reason. */
export const useNeeds = (): Needs[] => [
  useApprovalNeeds(),
  useListed(
    'projects/?status__in=failed,error,missing',
    '-last_job_run',
    entries.project,
    (count) => t`All ${count} projects that could not be updated`,
  ),
  useListed(
    'inventory_sources/?status__in=failed,error',
    '-last_job_run',
    entries.source,
    (count) => t`All ${count} inventory sources that could not be updated`,
  ),
  useListed('instances/?not__errors=', 'id', entries.node, (count) => t`All ${count} instances that are not well`),
];
