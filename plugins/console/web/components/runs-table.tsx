import type { Run } from '../api/types.ts';
import { Status } from './status.tsx';
import { type Column, Table } from './table.tsx';
import { Elapsed, When } from './time.tsx';

const kinds: Record<string, string> = { job: 'Job', project_update: 'Project update' };

/** Where a run is shown. */
const runPath = ({ type, id }: Pick<Run, 'type' | 'id'>): string =>
  type === 'project_update' ? `/project_updates/${id}` : `/jobs/${id}`;

const columns: readonly Column<Run>[] = [
  { label: 'Status', narrow: true, cell: ({ status }) => <Status status={status} /> },
  {
    label: 'Name',
    heading: true,
    cell: (run) => (
      <>
        <a href={runPath(run)}>{run.name}</a>
        <span class="muted sub">
          {kinds[run.type] ?? run.type} {run.id}
        </span>
      </>
    ),
  },
  { label: 'Started by', cell: ({ launched_by }) => launched_by?.name ?? <span class="muted">–</span> },
  { label: 'Created', narrow: true, cell: ({ created }) => <When at={created} /> },
  { label: 'Took', narrow: true, cell: (run) => <Elapsed {...run} /> },
];

export const RunsTable = ({ caption, runs }: { caption: string; runs: readonly Run[] }) => (
  <Table caption={caption} columns={columns} rows={runs} rowKey={({ id }) => id} />
);
