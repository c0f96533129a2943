import { t } from '../texts/t.ts';
import type { Run } from '../api/types.ts';
import { Status } from '../components/status.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Elapsed, When } from '../components/time.tsx';
import { runNoun, runPath } from '../resources/run-kinds.ts';

const columns: readonly Column<Run>[] = [
  { label: t`Status`, narrow: true, cell: ({ status }) => <Status status={status} /> },
  {
    label: t`Name`,
    heading: true,
    cell: (run) => (
      <>
        <a href={runPath(run)}>{run.name}</a>
        <span class="muted sub">
          {runNoun(run.type)} {run.id}
        </span>
      </>
    ),
  },
  { label: t`Started by`, cell: ({ launched_by }) => launched_by?.name ?? <span class="muted">–</span> },
  { label: t`Created`, narrow: true, cell: ({ created }) => <When at={created} /> },
  { label: t`Took`, narrow: true, cell: (run) => <Elapsed {...run} /> },
];

interface Props {
  caption: string;
  runs: readonly Run[];
  /** before all others */
  first?: Column<Run>;
}

export const RunsTable = ({ caption, runs, first }: Props) => (
  <Table caption={caption} columns={first ? [first, ...columns] : columns} rows={runs} rowKey={({ id }) => id} />
);
