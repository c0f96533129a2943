import { Elapsed, type Resource, type Row, When, t } from '@tapline/console-kit';

const times = ({ started, finished, elapsed }: Row) => ({ started, finished, elapsed });

/** Runs of workflows; one of them has a page of its own. */
export const workflowJob: Resource = {
  path: 'workflow_jobs',
  type: 'workflow_job',
  one: t`run of a workflow`,
  many: t`runs of workflows`,
  order: '-id',
  columns: [
    'name',
    'status',
    'workflow_job_template',
    'launch_type',
    { label: t`Created`, narrow: true, sort: 'created', cell: (row) => <When at={row['created']} /> },
    {
      label: t`Took`,
      narrow: true,
      cell: (row) => <Elapsed {...(times(row) as { started: null; finished: null; elapsed: number })} />,
    },
  ],
  filters: ['name', 'status', 'workflow_job_template', 'launch_type', 'created', 'created_by'],
  readOnly: true,
};
