import { t } from '@tapline/console-kit';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useMemo, useRef } from 'preact/hooks';
import '../styles/graph.css';
import { type Graph, type GraphLink, type GraphNode, linkKinds } from './graph.ts';
import { type Drawn, drawLink } from './drag-link.ts';
import { nodeSize, place, type Placed, type Point } from './layout.ts';
import { walk } from './walk.ts';
import { kindWords, linkWords, nodeWords } from './words.ts';

export interface GraphViewProps {
  graph: Graph;
  /** what the picture is of */
  label: string;
  /** said before the nodes, for those who do not see them */
  hint: string;
  /** how a node is, in a word */
  statusOf?: (node: GraphNode) => string;
  /** drawn in a node besides its name and kind */
  inNode?: (node: GraphNode) => ComponentChildren;
  /** where a node leads; without it `onOpen` says what becomes of Enter and of a click */
  hrefOf?: (node: GraphNode) => string | null;
  onOpen?: (node: GraphNode) => void;
  onLink?: (link: GraphLink) => void;
  /** keys besides those that walk */
  onKey?: (event: KeyboardEvent, node: GraphNode) => void;
  /** a line was drawn by the pointer from one node to another, or to nowhere */
  onDraw?: (from: number, to: number | null) => void;
  selected?: number | null;
}

/** A workflow as a picture: links by SVG, nodes as links or buttons of which one takes the focus at a time. */
export function GraphView(props: GraphViewProps) {
  const { graph, label, hint, onKey, onLink, onDraw } = props;
  const drawn = useSignal<Drawn | null>(null);
  const placed = useMemo(() => place(graph), [graph]);
  const box = useRef<HTMLDivElement>(null);
  const current = useSignal<number | null>(null);
  const id = useId();
  const order = inReadingOrder(graph, placed);
  const stop = order.some((node) => node.id === current.value) ? current.value : (order[0]?.id ?? null);

  const byKey = (event: KeyboardEvent) => {
    const node = graph.nodes.find((one) => one.id === stop);
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    if (!/^(?:Arrow|Home$|End$)/.test(event.key)) return onKey?.(event, node);
    event.preventDefault();
    const next = walk(graph, placed, node.id, event.key);
    if (next !== null) box.current?.querySelector<HTMLElement>(`[data-node="${next}"]`)?.focus();
  };
  return (
    <div class="graph" ref={box} role="application" aria-label={label} aria-describedby={id} onKeyDown={byKey}>
      <p class="visually-hidden" id={id}>
        {hint}
      </p>
      <div class="graph-canvas" style={{ width: `${placed.width}px`, height: `${placed.height}px` }}>
        <Links placed={placed} onLink={onLink} drawn={drawn.value} />
        <span class="graph-start" aria-hidden="true" style={at(placed.start)}>{t`Start`}</span>
        {order.map((node) => (
          <Node
            key={node.id}
            {...props}
            node={node}
            style={at(placed.nodes.get(node.id)!)}
            stop={node.id === stop}
            onFocus={() => void (current.value = node.id)}
          />
        ))}
        {onDraw &&
          order.map(({ id }) => <Handle key={id} node={id} at={placed.nodes.get(id)!} drawn={drawn} onDraw={onDraw} />)}
      </div>
    </div>
  );
}

const at = ({ x, y }: { x: number; y: number }) => ({ left: `${x}px`, top: `${y}px` });

/** From left to right and from top to bottom: as it is looked at, so it is read out. */
function inReadingOrder({ nodes }: Graph, placed: Placed): GraphNode[] {
  const of = ({ id }: GraphNode) => placed.nodes.get(id)!;
  return nodes.toSorted((a, b) => of(a).x - of(b).x || of(a).y - of(b).y);
}

interface NodeProps extends GraphViewProps {
  node: GraphNode;
  style: { left: string; top: string };
  stop: boolean;
  onFocus: () => void;
}

function Node({ graph, node, style, stop, onFocus, statusOf, inNode, hrefOf, onOpen, selected }: NodeProps) {
  const href = hrefOf?.(node) ?? null;
  const common = {
    class: node.kind ? 'graph-node' : 'graph-node gone',
    style,
    tabIndex: stop ? 0 : -1,
    'data-node': node.id,
    'aria-label': nodeWords(graph, node, statusOf?.(node)),
    onFocus,
  };
  const content = (
    <>
      {/* the spaces are for those who hear it: side by side they would be one word */}
      <span class="graph-name">{node.name}</span> <span class="graph-kind">{kindWords(node)}</span> {inNode?.(node)}
    </>
  );
  if (onOpen)
    return (
      <button type="button" {...common} aria-pressed={selected === node.id} onClick={() => onOpen(node)}>
        {content}
      </button>
    );
  // what leads nowhere is told as well, and walked over
  return (
    <a {...common} {...(href ? { href } : { role: 'link', 'aria-disabled': 'true' })}>
      {content}
    </a>
  );
}

interface HandleProps {
  node: number;
  at: Point;
  drawn: Signal<Drawn | null>;
  onDraw: (from: number, to: number | null) => void;
}

/** Where a line is drawn from by the pointer; by keyboard the same is done with L. */
const Handle = ({ node, at: { x, y }, drawn, onDraw }: HandleProps) => (
  <span
    class="graph-handle"
    aria-hidden="true"
    title={t`Draw a line to the node that follows`}
    style={at({ x: x + nodeSize.width / 2, y })}
    onPointerDown={(event) => drawLink(event, node, drawn, (to) => onDraw(node, to))}
  />
);

interface LinksProps {
  placed: Placed;
  onLink: GraphViewProps['onLink'];
  drawn: Drawn | null;
}

function Links({ placed, onLink, drawn }: LinksProps) {
  return (
    <svg width={placed.width} height={placed.height} aria-hidden="true">
      <defs>
        {[...linkKinds, 'start'].map((kind) => (
          <marker
            key={kind}
            id={`arrow-${kind}`}
            class={`arrow ${kind}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0L10 5L0 10z" />
          </marker>
        ))}
      </defs>
      {placed.starts.map((path) => (
        <path key={path} class="graph-link start" d={path} marker-end="url(#arrow-start)" />
      ))}
      {placed.links.map(({ link, path, label }) => (
        <g key={`${link.from} ${link.to}`} class={`link-group ${link.kind}`} onClick={onLink && (() => onLink(link))}>
          {onLink && <path class="link-target" d={path} />}
          <path class={`graph-link ${link.kind}`} d={path} marker-end={`url(#arrow-${link.kind})`} />
          <text x={label.x} y={label.y}>
            {shortened(linkWords(link))}
          </text>
        </g>
      ))}
      {drawn && (
        <path class="graph-link start" d={`M ${drawn.start.x} ${drawn.start.y} L ${drawn.end.x} ${drawn.end.y}`} />
      )}
    </svg>
  );
}

const longest = 16;
const shortened = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
