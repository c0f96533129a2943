import type { RunStatus } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared } from '../../../db/prepared.ts';
import type { LinkKind } from '../nodes/node-fields.ts';

/** A node of a run as it stands. */
export interface GraphNode {
  id: number;
  /** null: it was deleted, or never set */
  template: number | null;
  /** all_parents_must_converge */
  all: boolean;
  skipped: boolean;
  job: number | null;
  /** how the run that it launched ended; `error` as well for one that was reached and could launch nothing */
  outcome: RunStatus | null;
  /** launches that are left after one that failed */
  retries: number;
  attempts: number;
  /** a run that failed once it was under way, so many seconds ago; null: it never began, and would not the next time */
  failed_s: number | null;
}

export interface GraphLink {
  parent: number;
  child: number;
  kind: LinkKind;
  trigger: 'success' | 'failure' | 'always';
  operator: 'eq' | 'ne';
  expected: string;
  /** of a condition: the artifact that it asks for, as JSON; null where the parent has none of that name */
  artifact: string | null;
}

export interface Graph {
  nodes: GraphNode[];
  links: GraphLink[];
}

/** Rows as arrays: of a thousand nodes their keys alone would take most of the time; as json, which the database makes in half the time that jsonb takes. */
const load = {
  name: 'workflow graph',
  text: `select
    (select coalesce(json_agg(json_build_array(n.id, n.unified_job_template_id, n.all_parents_must_converge, n.do_not_run, n.job_id, n.outcome,
        n.max_retries - n.retry_attempts, n.retry_attempts,
        case when n.outcome in ('failed', 'error') and n.retry_attempts < n.max_retries then
          (select extract(epoch from now() - r.finished)::float8 from runs r where r.id = n.job_id and r.started is not null) end) order by n.id), '[]')
      from workflow_job_nodes n where n.run_id = $1) as nodes,
    (select coalesce(json_agg(json_build_array(l.parent_id, l.child_id, l.kind, l.trigger, l.operator, l.expected_value,
        case when l.kind = 'condition' and p.outcome is not null then
          (select ((p.ancestor_artifacts || case jsonb_typeof(r.artifacts) when 'object' then r.artifacts else '{}' end) -> l.artifact_key)::text from runs r where r.id = p.job_id) end)
        order by l.parent_id, l.child_id), '[]')
      from workflow_job_node_links l join workflow_job_nodes p on p.id = l.parent_id where p.run_id = $1) as links`,
};

type NodeTuple = [
  number,
  number | null,
  boolean,
  boolean,
  number | null,
  RunStatus | null,
  number,
  number,
  number | null,
];
type LinkTuple = [number, number, LinkKind, GraphLink['trigger'], GraphLink['operator'], string, string | null];

/** All nodes of a run, with their links, in one statement. */
export async function loadGraph(trx: Knex, run: number): Promise<Graph> {
  const [row] = await runPrepared<{ nodes: NodeTuple[]; links: LinkTuple[] }>(trx, load, [run]);
  return {
    nodes: row!.nodes.map(([id, template, all, skipped, job, outcome, retries, attempts, failed_s]) => ({
      id,
      template,
      all,
      skipped,
      job,
      outcome,
      retries,
      attempts,
      failed_s,
    })),
    links: row!.links.map(([parent, child, kind, trigger, operator, expected, artifact]) => ({
      parent,
      child,
      kind,
      trigger,
      operator,
      expected,
      artifact,
    })),
  };
}
