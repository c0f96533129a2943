import { ApiFailure, post, request, type Row } from '@tapline/console-kit';
import type { GraphLink, LinkKind } from '../graph.ts';

const nodes = 'workflow_job_template_nodes';

/** What a condition asks for, besides where it leads. */
export type LinkMore = Record<string, string>;

export const linkNodes = (from: number, to: number, kind: LinkKind, more: LinkMore = {}): Promise<void> =>
  post(`${nodes}/${from}/${kind}_nodes/`, { id: to, ...more });

export const unlinkNodes = ({ from, to, kind }: GraphLink): Promise<void> =>
  post(`${nodes}/${from}/${kind}_nodes/`, { id: to, disassociate: true });

/** A pair has one link: the new one takes the place of the old one, or nothing changes. */
export const relinkNodes = (old: GraphLink, to: GraphLink, more: LinkMore): Promise<void> =>
  linkNodes(to.from, to.to, to.kind, { ...more, replaces: old.kind });

export const removeNode = (id: number): Promise<void> => request('DELETE', `${nodes}/${id}/`);

export interface NewNode {
  workflow: number;
  /** the node before it, and when it follows; at the start without */
  after?: { id: number; kind: LinkKind } | undefined;
  columns: Record<string, unknown>;
  /** of an approval */
  approval?: Record<string, unknown> | undefined;
  /** of the lists below it */
  store: (node: number) => Promise<void>;
}

/** Makes a node and its link at once; an approval or a list that is refused leaves no node behind. */
export async function addNode({ workflow, after, columns, approval, store }: NewNode): Promise<Row> {
  const list = after
    ? `${nodes}/${after.id}/${after.kind}_nodes/`
    : `workflow_job_templates/${workflow}/workflow_nodes/`;
  const node = await post<Row>(list, columns);
  try {
    if (approval) await post(`${nodes}/${node.id}/create_approval_template/`, approval);
    await store(node.id);
  } catch (error) {
    if (error instanceof ApiFailure) await removeNode(node.id);
    throw error;
  }
  return node;
}

/** Changes a node, and its approval where it is one: made anew when it was something else before. */
export async function changeNode(
  node: Row,
  columns: Record<string, unknown>,
  approval?: Record<string, unknown>,
): Promise<void> {
  const before = node.summary_fields['unified_job_template'];
  if (approval && before?.unified_job_type === 'workflow_approval')
    await request('PATCH', `workflow_approval_templates/${before.id}/`, { body: approval });
  else if (approval) await post(`${nodes}/${node.id}/create_approval_template/`, approval);
  if (Object.keys(columns).length) await request('PATCH', `${nodes}/${node.id}/`, { body: columns });
}
