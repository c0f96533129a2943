import { type Column, duration, type Run, Status, Table, t } from '@tapline/console-kit';
import type { Graph, GraphNode } from '../../workflow/graph.ts';
import { followWords, kindWords } from '../../workflow/words.ts';
import { jobOf, nodeStatus, runPageOf } from './node-status.ts';

/** The same as the picture, as rows: for small screens, and for whoever likes lists better. */
export function StepsTable({ graph, run }: { graph: Graph; run: Run }) {
  const columns: Column<GraphNode>[] = [
    { label: t`Status`, narrow: true, cell: (node) => <Status {...nodeStatus(node, run)} /> },
    {
      label: t`Node`,
      heading: true,
      cell: (node) => {
        const to = runPageOf(node);
        return (
          <>
            {to ? <a href={to}>{node.name}</a> : node.name}
            <span class="muted sub">{kindWords(node)}</span>
            {node.row['explanation'] && <span class="sub">{node.row['explanation']}</span>}
          </>
        );
      },
    },
    { label: t`What follows`, cell: (node) => followWords(graph, node) },
    { label: t`Took`, narrow: true, cell: (node) => tookOf(node) ?? <span class="muted">–</span> },
  ];
  return (
    <section aria-labelledby="steps-title">
      <h2 id="steps-title">{t`Nodes`}</h2>
      <Table caption={t`Nodes of this run`} columns={columns} rows={graph.nodes} rowKey={({ id }) => id} />
    </section>
  );
}

function tookOf(node: GraphNode): string | null {
  const elapsed = jobOf(node)?.elapsed;
  return elapsed ? duration(elapsed) : null;
}
