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
  /** only looked at for what follows it: nothing is decided of it now */
  beside?: boolean;
  /** what follows it was not read */
  edge?: boolean;
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
const nodeJson = `json_build_array(n.id, n.unified_job_template_id, n.all_parents_must_converge, n.do_not_run, n.job_id, n.outcome,
    n.max_retries - n.retry_attempts, n.retry_attempts,
    case when n.outcome in ('failed', 'error') and n.retry_attempts < n.max_retries then
      (select extract(epoch from now() - r.finished)::float8 from runs r where r.id = n.job_id and r.started is not null) end`;

const linksJson = (
  table: string,
) => `coalesce(json_agg(json_build_array(l.parent_id, l.child_id, l.kind, l.trigger, l.operator, l.expected_value,
    case when l.kind = 'condition' and p.outcome is not null then
      (select ((p.ancestor_artifacts || case jsonb_typeof(r.artifacts) when 'object' then r.artifacts else '{}' end) -> l.artifact_key)::text from runs r where r.id = p.job_id) end)
    order by l.parent_id, l.child_id), '[]')
  from ${table} l join workflow_job_nodes p on p.id = l.parent_id`;

const whole = {
  name: 'workflow graph',
  text: `select
    (select coalesce(json_agg(${nodeJson}) order by n.id), '[]') from workflow_job_nodes n where n.run_id = $1) as nodes,
    (select ${linksJson('workflow_job_node_links')} where p.run_id = $1) as links`,
};

/** How many links are gone along from a node that may be decided: what is marked on the way decides of what follows it. */
const ahead = 16;

const settled = (node: string) => `(${node}.do_not_run or ${node}.outcome is not null)`;
const unlaunched = (node: string) => `(${node}.job_id is null and not ${settled(node)})`;

/**
 * `near`: what may be launched again, what has a parent that tells something of it, and what follows those; the nodes before
 * them are read beside. `others`: whether anything else goes on.
 */
const near = {
  name: 'workflow graph, what may move',
  text: `with recursive reached as (
      select n.id, 0 as steps
      from workflow_job_nodes n left join (workflow_job_node_links l join workflow_job_nodes p on p.id = l.parent_id and p.run_id = $1) on l.child_id = n.id
      where n.run_id = $1 and (${unlaunched('n')} or (n.outcome in ('failed', 'error') and n.retry_attempts < n.max_retries))
      group by n.id
      having n.outcome is not null or coalesce(bool_and(${settled('p')}), true) or (n.all_parents_must_converge and bool_or(${settled('p')}))
      union
      select c.id, r.steps + 1 from reached r join workflow_job_node_links l on l.parent_id = r.id join workflow_job_nodes c on c.id = l.child_id
      where r.steps < ${ahead} and ${unlaunched('c')}
    ), near as materialized (
      select id, min(steps) as steps from reached group by id
    ), links as materialized (
      select l.* from workflow_job_node_links l where l.child_id = any (array(select id from near))
    )
    select
      (select coalesce(json_agg(${nodeJson}, near.id is null, near.steps = ${ahead}) order by n.id), '[]')
        from workflow_job_nodes n left join near on near.id = n.id
        where n.id = any (array(select id from near union select parent_id from links))) as nodes,
      (select ${linksJson('links')}) as links,
      exists (select from workflow_job_nodes n where n.run_id = $1 and not ${settled('n')} and not exists (select from near where near.id = n.id)) as others`,
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
  boolean?,
  (boolean | null)?,
];
type LinkTuple = [number, number, LinkKind, GraphLink['trigger'], GraphLink['operator'], string, string | null];

interface Read {
  nodes: NodeTuple[];
  links: LinkTuple[];
}

/** All nodes of a run, with their links, in one statement. */
export async function loadGraph(trx: Knex, run: number): Promise<Graph> {
  const [row] = await runPrepared<Read>(trx, whole, [run]);
  return graphOf(row!);
}

/** The part of it that may move now; null where nothing else is left to wait for, so that the whole of it decides. */
export async function loadNear(trx: Knex, run: number): Promise<Graph | null> {
  const [row] = await runPrepared<Read & { others: boolean }>(trx, near, [run]);
  return row!.others ? graphOf(row!) : null;
}

const graphOf = ({ nodes, links }: Read): Graph => ({
  nodes: nodes.map(
    ([id, template, all, skipped, job, outcome, retries, attempts, failed_s, beside = false, edge = false]) => ({
      id,
      template,
      all,
      skipped,
      job,
      outcome,
      retries,
      attempts,
      failed_s,
      beside,
      edge: edge === true,
    }),
  ),
  links: links.map(([parent, child, kind, trigger, operator, expected, artifact]) => ({
    parent,
    child,
    kind,
    trigger,
    operator,
    expected,
    artifact,
  })),
});
