import { type Graph, linksFrom, linksTo } from './graph.ts';
import type { Placed, Point } from './layout.ts';

const far: Point = { x: Infinity, y: Infinity };

/** Where an arrow key leads: right and left along links, up and down among those beside it. Null: nowhere. */
export function walk(graph: Graph, placed: Placed, from: number, key: string): number | null {
  const at = (id: number) => placed.nodes.get(id) ?? far;
  const here = at(from);
  const nearest = (ids: number[]) =>
    ids.toSorted((a, b) => Math.abs(at(a).y - here.y) - Math.abs(at(b).y - here.y) || at(a).x - at(b).x)[0] ?? null;
  if (key === 'ArrowRight') return nearest(linksFrom(graph, from).map(({ to }) => to));
  if (key === 'ArrowLeft') return nearest(linksTo(graph, from).map((link) => link.from));
  const order = [...placed.nodes.keys()].toSorted((a, b) => at(a).x - at(b).x || at(a).y - at(b).y);
  if (key === 'Home') return order[0] ?? null;
  if (key === 'End') return order.at(-1) ?? null;
  const column = order.filter((id) => Math.abs(at(id).x - here.x) < 1);
  if (key === 'ArrowDown') return column.find((id) => at(id).y > here.y) ?? null;
  if (key === 'ArrowUp') return column.findLast((id) => at(id).y < here.y) ?? null;
  return null;
}
