import { isDeepStrictEqual } from 'node:util';
import type { Graph, GraphLink, GraphNode } from './graph.ts';

/** What is next for a run, from its graph alone. */
export interface Steps {
  /** nodes that can no longer run: marked so */
  skip: number[];
  /** nodes that were reached and have nothing to launch: marked as failed */
  fail: number[];
  /** nodes that are launched now */
  launch: GraphNode[];
  /** nodes that failed and are launched again, now or later */
  again: number[];
  /** nodes that have ended and are followed by conditions that are not judged */
  open: number[];
  /** for the run's explanation, whether it ends or not */
  told?: string;
  /** seconds until the first of those is due that are tried again later; undefined: there are none */
  later: number | undefined;
  /** how the run ends, once nothing is left to do */
  end: { status: 'successful' } | { status: 'failed'; unhandled: GraphNode[] } | undefined;
}

/** `waiting`: for others, or for its own run */
type State = 'waiting' | 'skipped' | 'success' | 'failure';

/** At once, then after 4, 8, 16 … seconds, and never later than five minutes. */
const pauseBefore = (attempt: number): number => (attempt === 0 ? 0 : Math.min(300, 2 ** (attempt + 1)));

/** contract B7. One pass in the order of the links, so that whatever follows from a node is known when its children are looked at. */
export function decideSteps({ nodes, links }: Graph, { canceled }: { canceled: boolean }): Steps {
  const parents = Map.groupBy(links, ({ child }) => child);
  const children = Map.groupBy(links, ({ parent }) => parent);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const states = new Map<number, State>();
  const steps: Steps = { skip: [], fail: [], launch: [], again: [], open: [], later: undefined, end: undefined };
  for (const node of inOrder(nodes, parents, children)) {
    const into = parents.get(node.id) ?? [];
    states.set(node.id, stateOf(node, { into, states, byId, canceled, steps }));
  }
  if (!canceled) steps.open = [...new Set(links.flatMap((link) => (isOpen(link, states) ? link.parent : [])))];
  if (!steps.open.length && ![...states.values()].includes('waiting')) steps.end = endOf(nodes, states, children);
  return steps;
}

interface Surroundings {
  into: readonly GraphLink[];
  states: ReadonlyMap<number, State>;
  byId: ReadonlyMap<number, GraphNode>;
  canceled: boolean;
  steps: Steps;
}

/** Notes in `steps` what is to be done about the node. */
function stateOf(node: GraphNode, around: Surroundings): State {
  const { canceled, steps } = around;
  if (node.skipped) return 'skipped';
  if (node.outcome !== null) return ended(node, canceled, steps);
  if (node.job !== null || node.beside) return 'waiting';
  const chance = canceled ? 'never' : chanceOf(node, around);
  if (chance === 'never') {
    steps.skip.push(node.id);
    return 'skipped';
  }
  if (chance === 'open') return 'waiting';
  if (node.template === null) {
    steps.fail.push(node.id);
    return 'failure';
  }
  steps.launch.push(node);
  return 'waiting';
}

/** Whether it has come to something that is not tried again. */
export const hasEnded = ({ outcome, failed_s: failed, retries, template }: GraphNode): boolean =>
  outcome !== null && (outcome === 'successful' || failed === null || retries <= 0 || template === null);

export const stateAfter = (outcome: GraphNode['outcome']): 'success' | 'failure' =>
  outcome === 'successful' ? 'success' : 'failure';

function ended(node: GraphNode, canceled: boolean, steps: Steps): State {
  if (canceled || hasEnded(node)) return stateAfter(node.outcome);
  steps.again.push(node.id);
  const left = pauseBefore(node.attempts) - node.failed_s!;
  if (left > 0) steps.later = Math.min(steps.later ?? Infinity, left);
  else steps.launch.push(node);
  return 'waiting';
}

/** Whether a node that was not launched yet is to be launched now, may be later, or never. */
function chanceOf(node: GraphNode, { into, states, byId }: Surroundings): 'now' | 'open' | 'never' {
  if (!into.length) return 'now';
  const from = into.map((link) => {
    const state = states.get(link.parent)!;
    const { outcome } = byId.get(link.parent)!;
    return { state, outcome, holds: isSatisfied(link, state), open: isOpen(link, states) };
  });
  if (node.all) {
    if (from.some(({ state }) => state === 'skipped')) return 'never';
    const judged = ({ outcome, state }: (typeof from)[number]) =>
      state !== 'waiting' && (outcome === 'successful' || outcome === 'failed');
    if (from.some((one) => judged(one) && !one.open && !one.holds)) return 'never';
    if (from.some(({ open }) => open)) return 'open';
  }
  if (from.some(({ state }) => state === 'waiting')) return 'open';
  if (from.some(({ holds }) => holds)) return 'now';
  return from.some(({ open }) => open) ? 'open' : 'never';
}

function isSatisfied(link: GraphLink, state: State): boolean {
  if (state !== 'success' && state !== 'failure') return false;
  if (link.kind === 'condition') return isTriggered(link, state) && link.holds === true;
  return link.kind === 'always' || link.kind === state;
}

const isTriggered = ({ trigger }: GraphLink, state: State): boolean => trigger === 'always' || trigger === state;

/** A condition that is asked, and has not been judged. */
function isOpen(link: GraphLink, states: ReadonlyMap<number, State>): boolean {
  const state = states.get(link.parent)!;
  const over = state === 'success' || state === 'failure';
  return link.kind === 'condition' && over && isTriggered(link, state) && link.holds === null;
}

/** A value is what it is as JSON, by its type, or as text; one that is not there is neither equal nor unequal to anything. */
export function artifactHolds({
  artifact,
  operator,
  expected,
}: Pick<GraphLink, 'artifact' | 'operator' | 'expected'>): boolean {
  if (artifact === null) return false;
  const value: unknown = JSON.parse(artifact);
  const same = isDeepStrictEqual(value, parsed(expected)) || (typeof value === 'string' && value === expected);
  return operator === 'eq' ? same : !same;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A failure counts unless something follows it that is there for failures. */
function endOf(
  nodes: readonly GraphNode[],
  states: ReadonlyMap<number, State>,
  children: Map<number, GraphLink[]>,
): Steps['end'] {
  const handled = ({ id }: GraphNode) =>
    (children.get(id) ?? []).some(
      (link) =>
        link.kind === 'failure' ||
        link.kind === 'always' ||
        (link.kind === 'condition' && isSatisfied(link, 'failure')),
    );
  const unhandled = nodes.filter((node) => states.get(node.id) === 'failure' && !handled(node));
  return unhandled.length ? { status: 'failed', unhandled } : { status: 'successful' };
}

/** Parents before children. */
function inOrder(
  nodes: readonly GraphNode[],
  parents: ReadonlyMap<number, readonly GraphLink[]>,
  children: ReadonlyMap<number, readonly GraphLink[]>,
): GraphNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const open = new Map(nodes.map(({ id }) => [id, parents.get(id)?.length ?? 0]));
  const ordered = nodes.filter(({ id }) => open.get(id) === 0);
  // grows as it is walked
  for (const { id } of ordered)
    for (const { child } of children.get(id) ?? []) {
      const left = open.get(child)! - 1;
      open.set(child, left);
      if (left === 0) ordered.push(byId.get(child)!);
    }
  return ordered;
}
