import { useMemo } from 'preact/hooks';
import { linkedPage, may, type Row, shown, type TabProps, useAll, t } from '@tapline/console-kit';
import { GraphEditor } from './editor/graph-editor.tsx';
import { graphOf } from './graph.ts';
import { GraphView } from './graph-view.tsx';

const hint = t`Arrow keys walk along the links, Home and End to the ends, Enter opens the template of a node.`;

/** The picture of a workflow: to be edited by those who may, else each node leads to its template. */
export function TemplateGraph({ row }: TabProps) {
  const found = useAll<Row>(`workflow_job_templates/${row.id}/workflow_nodes/`);
  const rows = found.data.value;
  const graph = useMemo(() => graphOf(rows ?? []), [rows]);
  return shown(found, { what: t`nodes of the workflow`, loading: t`the nodes` }, () => {
    if (may(row, 'edit')) return <GraphEditor row={row} graph={graph} reload={found.reload} />;
    if (!graph.nodes.length) return <p class="empty">{t`This workflow has no nodes yet.`}</p>;
    return (
      <GraphView
        graph={graph}
        label={t`Graph of ${row['name']}`}
        hint={hint}
        hrefOf={(node) => linkedPage(node.row['related'], 'unified_job_template')}
      />
    );
  });
}
