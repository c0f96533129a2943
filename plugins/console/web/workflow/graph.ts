import type { Row } from '@tapline/console-kit';
import { t } from '@tapline/console-kit/texts';

/** In the order in which they are told. */
export const linkKinds = ['success', 'failure', 'always', 'condition'] as const;
export type LinkKind = (typeof linkKinds)[number];

/** What a condition asks of the artifacts of the node before it. */
export interface Condition {
  id: number;
  trigger: string;
  artifact_key: string;
  operator: string;
  expected_value: string;
  /** in the place of an artifact */
  expression: string;
}

export interface GraphLink {
  from: number;
  to: number;
  kind: LinkKind;
  condition?: Condition | undefined;
}

export interface GraphNode {
  id: number;
  name: string;
  /** of the runs that it makes: `job`; '' where its template is gone */
  kind: string;
  /** it waits until all before it have gone the way that leads here */
  all: boolean;
  /** as the API has it: a node of a template, or of a run */
  row: Row;
}

export interface Graph {
  nodes: readonly GraphNode[];
  links: readonly GraphLink[];
}

export const linkLabels: Record<LinkKind, string> = {
  success: t`On success`,
  failure: t`On failure`,
  always: t`Always`,
  condition: t`If`,
};

export const kindLabels: Record<string, string> = {
  job: t`Job template`,
  workflow_job: t`Workflow`,
  project_update: t`Project update`,
  inventory_update: t`Inventory update`,
  workflow_approval: t`Approval`,
  system_job: t`System job`,
};

/** Nodes and links of a workflow, from the rows of `workflow_nodes/`. */
export function graphOf(rows: readonly Row[]): Graph {
  return { nodes: rows.map(nodeOf), links: rows.flatMap(linksOf) };
}

function nodeOf(row: Row): GraphNode {
  const template = row.summary_fields['unified_job_template'] ?? {};
  return {
    id: row.id,
    name: String(template.name ?? t`Nothing`),
    kind: String(template.unified_job_type ?? ''),
    all: row['all_parents_must_converge'] === true,
    row,
  };
}

function linksOf(row: Row): GraphLink[] {
  const edges = (row['condition_edges'] ?? []) as Condition[];
  return linkKinds.flatMap((kind) =>
    ((row[`${kind}_nodes`] ?? []) as number[]).map((to) => ({
      from: row.id,
      to,
      kind,
      ...(kind === 'condition' && { condition: edges.find(({ id }) => id === to) }),
    })),
  );
}

export const nodeAt = ({ nodes }: Graph, id: number | null): GraphNode | undefined =>
  nodes.find((node) => node.id === id);
export const linksFrom = ({ links }: Graph, id: number): GraphLink[] => links.filter(({ from }) => from === id);
export const linksTo = ({ links }: Graph, id: number): GraphLink[] => links.filter(({ to }) => to === id);
