import { t } from '@tapline/console-kit/texts';
import {
  type Graph,
  type GraphLink,
  type GraphNode,
  kindLabels,
  linkLabels,
  linksFrom,
  linksTo,
  nodeAt,
} from './graph.ts';

const operators: Record<string, string> = { eq: t`is`, ne: t`is not` };
const triggers: Record<string, string> = { success: t`after success, `, failure: t`after failure, `, always: '' };

/** `if count is 3`; the words that stand at a link. */
export function linkWords({ kind, condition }: GraphLink): string {
  if (kind !== 'condition' || !condition) return linkLabels[kind];
  const { trigger, artifact_key: key, operator, expected_value: value, expression } = condition;
  const asked = expression || `${key} ${operators[operator] ?? operator} ${value}`;
  return t`If ${triggers[trigger] ?? ''}${asked}`;
}

export const kindWords = ({ kind }: GraphNode): string => kindLabels[kind] ?? t`Template is gone`;

/** What follows a node, as a sentence for those who do not see the picture. */
export function followWords(graph: Graph, node: GraphNode): string {
  const byWords = Object.groupBy(linksFrom(graph, node.id), linkWords);
  const parts = Object.entries(byWords).map(
    ([words, links = []]) => `${words}: ${links.map(({ to }) => nodeAt(graph, to)?.name).join(', ')}.`,
  );
  return parts.join(' ') || t`Nothing follows.`;
}

/** The node, how it is, and what follows. */
export function nodeWords(graph: Graph, node: GraphNode, status?: string): string {
  const waits = node.all && linksTo(graph, node.id).length > 1 ? t` Waits for all before it.` : '';
  const shown = [node.name, kindWords(node), status].filter(Boolean).join(', ');
  return `${shown}.${waits} ${followWords(graph, node)}`;
}
