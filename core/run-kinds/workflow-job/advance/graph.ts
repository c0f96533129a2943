import type { RunStatus } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared } from '../../../db/prepared.ts';
import type { LinkKind } from '../nodes/node-fields.ts';
import { setBy } from './artifacts.ts';

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
  /** a run that failed once it was under way, or since an update that it needs did, so many seconds ago; null: it never began, and would not the next time */
  failed_s: number | null;
  /** only looked at for what follows it: nothing is decided of it now */
  beside?: boolean;
  /** something follows it that was not launched */
  followed?: boolean;
  /** it has ended, and what follows it has not been decided */
  news: boolean;
}

export interface GraphLink {
  parent: number;
  child: number;
  kind: LinkKind;
  trigger: 'success' | 'failure' | 'always';
  operator: 'eq' | 'ne';
  expected: string;
  /** asked in place of an artifact */
  expression: string;
  /** of a condition that is not judged: the artifact that it asks for, as JSON; null where the parent has none of that name. Of an expression all of them */
  artifact: string | null;
  /** of a condition, once it was judged */
  holds: boolean | null;
  /** of a condition that is not judged: how often nobody answered, and for how many seconds */
  inVain: number;
  inVain_s: number;
}

export interface Graph {
  nodes: GraphNode[];
  links: GraphLink[];
}

/** Rows as arrays: of a thousand nodes their keys alone would take most of the time; as json, which the database makes in half the time that jsonb takes. */
const nodeJson = `json_build_array(n.id, n.unified_job_template_id, n.all_parents_must_converge, n.do_not_run, n.job_id, n.outcome,
    n.max_retries - n.retry_attempts, n.retry_attempts,
    case when n.outcome in ('failed', 'error') and n.retry_attempts < n.max_retries then
      (select extract(epoch from now() - r.finished)::float8 from runs r where r.id = n.job_id and (r.started is not null
        or exists (select from run_dependencies d join runs u on u.id = d.depends_on where d.run_id = r.id and u.status in ('failed', 'error')))) end,
    n.news`;

const linksJson = (
  table: string,
) => `coalesce(json_agg(json_build_array(l.parent_id, l.child_id, l.kind, l.trigger, l.operator, l.expected_value, l.expression, l.holds,
    l.asked_in_vain, coalesce(extract(epoch from now() - l.asked_since)::float8, 0),
    case when l.kind = 'condition' and l.holds is null and p.outcome is not null then
      (select (case l.expression when '' then made.artifacts -> l.artifact_key else made.artifacts end)::text
        from (select p.ancestor_artifacts || ${setBy('p')} as artifacts) made) end)
    order by l.parent_id, l.child_id), '[]')
  from ${table} l join workflow_job_nodes p on p.id = l.parent_id`;

const whole = {
  name: 'workflow graph',
  text: `select
    (select coalesce(json_agg(${nodeJson}) order by n.id), '[]') from workflow_job_nodes n where n.run_id = $1) as nodes,
    (select ${linksJson('workflow_job_node_links')} where p.run_id = $1) as links`,
};

const settled = (node: string) => `(${node}.do_not_run or ${node}.outcome is not null)`;
const unlaunched = (node: string) => `(${node}.job_id is null and not ${settled(node)})`;

/** Of a node that waits for all of those before it: what came of one of them may be enough to know that it never runs. */
const mayEnd = `(c.all_parents_must_converge and (p.do_not_run or l.kind = 'condition'
    or (l.kind = 'success' and p.outcome <> 'successful') or (l.kind = 'failure' and p.outcome = 'successful')))`;

/**
 * What there is news of, and what follows it and can be decided; the nodes before those are read beside. Found along the
 * links of the nodes that ended, so that it takes the same time in a workflow of any size. `others`: whether anything else goes on.
 */
const near = {
  name: 'workflow graph, what there is news of',
  text: `with told as materialized (
      select n.id from workflow_job_nodes n where n.run_id = $1 and n.news
    ), next as materialized (
      select distinct c.id from told join workflow_job_nodes p on p.id = told.id
        join workflow_job_node_links l on l.parent_id = p.id join workflow_job_nodes c on c.id = l.child_id
      where ${unlaunched('c')} and (${mayEnd} or not exists (select from workflow_job_node_links o
        join workflow_job_nodes before on before.id = o.parent_id where o.child_id = c.id and not ${settled('before')}))
    ), links as materialized (
      select l.* from workflow_job_node_links l where l.child_id = any (array(select id from next))
    )
    select
      (select coalesce(json_agg(${nodeJson}, not (n.news or n.id = any (array(select id from next))),
          exists (select from workflow_job_node_links l join workflow_job_nodes c on c.id = l.child_id where l.parent_id = n.id and ${unlaunched('c')}))
          order by n.id), '[]')
        from workflow_job_nodes n
        where n.id = any (array(select id from told union select id from next union select parent_id from links))) as nodes,
      (select ${linksJson('links')}) as links,
      exists (select from workflow_job_nodes n where n.run_id = $1 and not ${settled('n')} and n.id <> all (array(select id from next))) as others`,
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
  boolean,
  boolean?,
  boolean?,
];
type LinkTuple = [
  number,
  number,
  LinkKind,
  GraphLink['trigger'],
  GraphLink['operator'],
  string,
  string,
  boolean | null,
  number,
  number,
  string | null,
];

interface Read {
  nodes: NodeTuple[];
  links: LinkTuple[];
}

/** All nodes of a run, with their links, in one statement. */
export async function loadGraph(trx: Knex, run: number): Promise<Graph> {
  const [row] = await runPrepared<Read>(trx, whole, [run]);
  return graphOf(row!);
}

/** The part of it that there is news of. */
export async function loadNear(trx: Knex, run: number): Promise<Graph & { others: boolean }> {
  const [row] = await runPrepared<Read & { others: boolean }>(trx, near, [run]);
  return { ...graphOf(row!), others: row!.others };
}

const graphOf = ({ nodes, links }: Read): Graph => ({
  nodes: nodes.map(
    ([
      id,
      template,
      all,
      skipped,
      job,
      outcome,
      retries,
      attempts,
      failed_s,
      news,
      beside = false,
      followed = true,
    ]) => ({
      id,
      template,
      all,
      skipped,
      job,
      outcome,
      retries,
      attempts,
      failed_s,
      news,
      beside,
      followed,
    }),
  ),
  links: links.map(
    ([parent, child, kind, trigger, operator, expected, expression, holds, inVain, inVain_s, artifact]) => ({
      parent,
      child,
      kind,
      trigger,
      operator,
      expected,
      expression,
      holds,
      inVain,
      inVain_s,
      artifact,
    }),
  ),
});
