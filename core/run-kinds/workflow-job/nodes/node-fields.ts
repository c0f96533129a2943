import { field } from '@tapline/plugin-sdk';

/** Tables of nodes: of templates, and of runs. */
type NodeTable = 'workflow_node' | 'workflow_job_node';

export const linkKinds = ['success', 'failure', 'always', 'condition'] as const;
export type LinkKind = (typeof linkKinds)[number];

const ro = { mode: 'ro', filterable: false, apiType: 'field' } as const;

/** Where a node leads, as lists of ids; what conditions ask for besides. */
export const linkFields = (table: NodeTable) => {
  const links = `${table}_links`;
  const ids = (kind: LinkKind) =>
    `(select coalesce(jsonb_agg(l.child_id order by l.child_id), '[]') from ${links} l where l.parent_id = {alias}.id and l.kind = '${kind}')`;
  const edges = `(select coalesce(jsonb_agg(jsonb_build_object('id', l.child_id, 'trigger', l.trigger, 'artifact_key', l.artifact_key,
      'operator', l.operator, 'expected_value', l.expected_value, 'expression', l.expression) order by l.child_id), '[]') from ${links} l where l.parent_id = {alias}.id and l.kind = 'condition')`;
  return {
    success_nodes: field.list({ ...ro, sql: ids('success') }),
    failure_nodes: field.list({ ...ro, sql: ids('failure') }),
    always_nodes: field.list({ ...ro, sql: ids('always') }),
    condition_nodes: field.list({ ...ro, sql: ids('condition') }),
    condition_edges: field.list({ ...ro, sql: edges }),
  };
};

/** A template as a node shows it, whatever its kind; `unlisted` ones have no place in the list of all templates. */
export const templateSql = `(select jsonb_strip_nulls(jsonb_build_object('kind', ut.kind, 'id', ut.id, 'name', ut.name, 'description', ut.description,
    'timeout', case when ut.workflow_id is not null then ut.timeout end) || case when ut.workflow_id is null then '{}' else ut.data end)
  from templates ut where ut.id = {alias}.unified_job_template_id)`;
