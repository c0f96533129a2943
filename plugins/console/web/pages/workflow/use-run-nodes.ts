import { useEffect } from 'preact/hooks';
import { gathered, inOrder, onParts, type PartChange, type Query, type Row, useAll } from '@tapline/console-kit';

const pauseMs = 400;

/** The nodes of a run: each change is shown at once, then what it does not tell is read again. */
export function useRunNodes(run: number, status: string | undefined): Query<Row[]> {
  const query = useAll<Row>(`workflow_jobs/${run}/workflow_nodes/`);
  useEffect(() => {
    const again = gathered(() => void query.reload(), pauseMs);
    const off = onParts(
      run,
      inOrder((change: PartChange) => {
        query.data.value = query.data.peek()?.map((row) => (isOf(row, change) ? changed(row, change) : row));
        again.call();
      }),
      again.call,
    );
    return () => {
      off();
      again.cancel();
    };
  }, [run]);
  // which nodes will never run is known at the end, and no part tells it
  useEffect(() => void (status && query.reload()), [status]);
  return query;
}

const isOf = ({ id }: Row, { workflow_node_id: node }: PartChange) => id === node;

function changed(row: Row, { unified_job_id: id, status, type }: PartChange): Row {
  const job = { ...row.summary_fields['job'], id, status, type };
  return { ...row, job: id, summary_fields: { ...row.summary_fields, job } };
}
