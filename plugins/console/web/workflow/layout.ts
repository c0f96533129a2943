import { Graph as LayoutGraph, layout } from '@dagrejs/dagre';
import type { Graph, GraphLink } from './graph.ts';

export interface Point {
  x: number;
  y: number;
}

export interface PlacedLink {
  link: GraphLink;
  path: string;
  /** where its word stands */
  label: Point;
}

export interface Placed {
  width: number;
  height: number;
  /** the centre of each node, by its id */
  nodes: ReadonlyMap<number, Point>;
  links: readonly PlacedLink[];
  /** where it begins, and the ways from there to the nodes that nothing comes before */
  start: Point;
  starts: readonly string[];
}

/** As the style sheet has them. */
export const nodeSize = { width: 200, height: 76 };
const startSize = { width: 64, height: 36 };
const labelSize = { width: 84, height: 20 };
const spacing = { rankdir: 'LR', nodesep: 28, edgesep: 24, ranksep: 44, marginx: 16, marginy: 16 } as const;
const startName = 'start';

/** Places everything from left to right, so that no link leads back. */
export function place(graph: Graph): Placed {
  const drawn = new LayoutGraph();
  drawn.setGraph({ ...spacing });
  drawn.setNode(startName, { ...startSize });
  for (const { id } of graph.nodes) drawn.setNode(String(id), { ...nodeSize });
  const known = graph.links.filter(({ to }) => drawn.hasNode(String(to)));
  for (const { from, to } of known) drawn.setEdge(String(from), String(to), { ...labelSize, labelpos: 'c' });
  const followers = new Set(known.map(({ to }) => to));
  const roots = graph.nodes.filter(({ id }) => !followers.has(id)).map(({ id }) => String(id));
  for (const root of roots) drawn.setEdge(startName, root, { width: 0, height: 0 });
  layout(drawn);
  const { width = 0, height = 0 } = drawn.graph() as { width?: number; height?: number };
  const at = (name: string): Point => {
    const { x = 0, y = 0 } = drawn.node(name) as Partial<Point>;
    return { x, y };
  };
  const pathOf = (from: string, to: string) => smooth((drawn.edge(from, to) as { points: Point[] }).points);
  return {
    width,
    height,
    nodes: new Map(graph.nodes.map(({ id }) => [id, at(String(id))])),
    links: known.map((link) => {
      const { x = 0, y = 0 } = drawn.edge(String(link.from), String(link.to)) as Partial<Point>;
      return { link, path: pathOf(String(link.from), String(link.to)), label: { x, y } };
    }),
    start: at(startName),
    starts: roots.map((root) => pathOf(startName, root)),
  };
}

const text = ({ x, y }: Point) => `${Math.round(x)} ${Math.round(y)}`;
const between = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/** A line through the points with its corners rounded. */
function smooth(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first || !rest.length) return '';
  const corners = rest.slice(0, -1).map((point, i) => `Q ${text(point)} ${text(between(point, rest[i + 1]!))}`);
  return `M ${text(first)} L ${text(between(first, rest[0]!))} ${corners.join(' ')} L ${text(rest.at(-1)!)}`;
}
