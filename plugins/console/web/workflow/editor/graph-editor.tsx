import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { type Row, toast, t } from '@tapline/console-kit';
import { type Graph, type GraphNode, nodeAt } from '../graph.ts';
import { GraphView } from '../graph-view.tsx';
import type { Ask, Asking } from './asking.ts';
import { NodePanel } from './node-panel.tsx';
import { Question } from './question.tsx';

const hint = [
  t`Arrow keys walk along the links, Home and End to the ends.`,
  t`Enter shows what can be done with a node; Insert adds a node after it, L links it to another, E edits it, Delete removes it.`,
].join(' ');

interface Props {
  row: Row;
  graph: Graph;
  reload: () => Promise<void>;
}

/** The graph for those who may change it: by mouse, and by keyboard alone. */
export function GraphEditor({ row, graph, reload }: Props) {
  const selected = useSignal<number | null>(null);
  const asking = useSignal<Asking | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const ask: Ask = (next) => void (asking.value = next);
  const node = nodeAt(graph, selected.value);
  const leave = () => {
    const id = selected.value;
    selected.value = null;
    document.querySelector<HTMLElement>(`[data-node="${id}"]`)?.focus();
  };
  const done = async (said: string, chosen?: number) => {
    await reload();
    ask(null);
    if (chosen !== undefined) selected.value = chosen;
    toast(said, 'good');
    // what had the focus may be gone
    requestAnimationFrame(() => document.activeElement === document.body && addButton.current?.focus());
  };
  return (
    <>
      <Tools graph={graph} ask={ask} addButton={addButton} />
      {graph.nodes.length === 0 && <p class="empty">{t`This workflow has no nodes yet.`}</p>}
      {graph.nodes.length > 0 && (
        <GraphView
          graph={graph}
          label={t`Graph of ${row['name']}`}
          hint={hint}
          selected={selected.value}
          onOpen={({ id }) => void (selected.value = id)}
          onLink={(link) => ask({ what: 'link', link })}
          onKey={(event, of) => byKey(event, of, ask)}
          onDraw={(from, to) => ask(drawnTo(graph, from, to))}
        />
      )}
      {node && <NodePanel graph={graph} node={node} ask={ask} onClose={leave} />}
      {asking.value && (
        <Question
          key={JSON.stringify(keyOf(asking.value))}
          workflow={row.id}
          graph={graph}
          asking={asking.value}
          ask={ask}
          done={done}
        />
      )}
    </>
  );
}

interface ToolsProps {
  graph: Graph;
  ask: Ask;
  addButton: RefObject<HTMLButtonElement | null>;
}

const Tools = ({ graph, ask, addButton }: ToolsProps) => (
  <p class="tab-actions">
    <button type="button" ref={addButton} class="primary" onClick={() => ask({ what: 'add' })}>{t`Add a node`}</button>
    <button
      type="button"
      onClick={() => ask({ what: 'link' })}
      disabled={graph.nodes.length < 2}
    >{t`Link two nodes`}</button>
  </p>
);

const keyOf = (asking: Asking) => [asking.what, 'link' in asking ? asking.link : null];

/** A line to a node links it; one to nowhere makes a node there. */
function drawnTo(graph: Graph, from: number, to: number | null): Asking {
  const after = nodeAt(graph, from);
  if (to !== null) return { what: 'link', from, to };
  return after ? { what: 'add', after } : { what: 'add' };
}

function byKey(event: KeyboardEvent, node: GraphNode, ask: (next: Asking) => void): void {
  const asked: Record<string, Asking> = {
    insert: { what: 'add', after: node },
    l: { what: 'link', from: node.id },
    e: { what: 'edit', node },
    delete: { what: 'remove', node },
  };
  const next = asked[event.key.toLowerCase()];
  if (!next) return;
  event.preventDefault();
  ask(next);
}
