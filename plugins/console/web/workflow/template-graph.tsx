import { useMemo } from 'preact/hooks';
import { Failure, linkedPage, Loading, may, type Row, type TabProps, useAll, t } from '@tapline/console-kit';
import { GraphEditor } from './editor/graph-editor.tsx';
import { graphOf } from './graph.ts';
import { GraphView } from './graph-view.tsx';

const hint = t`Arrow keys walk along the links, Home and End to the ends, Enter opens the template of a node.`;

/** The picture of a workflow: to be edited by those who may, else each node leads to its template. */
export function TemplateGraph({ row }: TabProps) {
  const { data, error, reload } = useAll<Row>(`workflow_job_templates/${row.id}/workflow_nodes/`);
  const rows = data.value;
  const graph = useMemo(() => rows && graphOf(rows), [rows]);
  const failure = error.value && <Failure error={error.value} again={reload} what={t`nodes of the workflow`} />;
  // where they were read before, the dialog of a node that somebody fills in stays
  if (failure && !graph) return failure;
  if (!graph) return <Loading what={t`the nodes`} />;
  return (
    <>
      {failure}
      {may(row, 'edit') ? (
        <GraphEditor row={row} graph={graph} reload={reload} />
      ) : graph.nodes.length ? (
        <GraphView
          graph={graph}
          label={t`Graph of ${row['name']}`}
          hint={hint}
          hrefOf={(node) => linkedPage(node.row['related'], 'unified_job_template')}
        />
      ) : (
        <p class="empty">{t`This workflow has no nodes yet.`}</p>
      )}
    </>
  );
}
