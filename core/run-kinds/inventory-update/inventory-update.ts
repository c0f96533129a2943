import { field, type RunDescriptor } from '@tapline/plugin-sdk';
import { sourceChoices } from './source-kinds.ts';
import { updateSql, updateSummaries } from './source-summaries.ts';

const ro = { mode: 'ro' } as const;
/** What the kind keeps beside the columns that all runs have. */
const kept = (name: string) => ({ ...ro, sql: `coalesce({alias}.data->>'${name}', '')` });
const flag = (name: string) => ({ ...ro, sql: `coalesce(({alias}.data->>'${name}')::boolean, false)` });

/** The newest of the updates of the project that it waited for. */
const projectUpdate = `(select max(d.depends_on) from run_dependencies d join runs u on u.id = d.depends_on
  where d.run_id = {alias}.id and u.template_id = {alias}.project_id)`;

const updateFields = {
  source: field.choice(sourceChoices, kept('source')),
  source_path: field.string(kept('source_path')),
  source_vars: field.text(kept('source_vars')),
  scm_branch: field.string({ ...ro, sql: `coalesce({alias}.scm_branch, '')` }),
  credential: field.ref('credential', { ...ro, apiType: 'integer' }),
  enabled_var: field.text(kept('enabled_var')),
  enabled_value: field.text(kept('enabled_value')),
  host_filter: field.text(kept('host_filter')),
  overwrite: field.boolean(flag('overwrite')),
  overwrite_vars: field.boolean(flag('overwrite_vars')),
  timeout: field.integer(ro),
  verbosity: field.choice([0, 1, 2], ro),
  limit: field.text({ ...ro, sql: `coalesce({alias}."limit", '')` }),
  controller_node: field.string(ro),
  organization: field.ref('organization', ro),
  inventory: field.ref('inventory', ro),
  inventory_source: field.ref('inventory_source', { ...ro, column: 'template_id' }),
  license_error: field.boolean({ ...ro, sql: 'false' }),
  org_host_limit_error: field.boolean(flag('org_host_limit_error')),
  source_project: field.ref('project', { ...ro, column: 'project_id', detailOnly: true }),
  source_project_update: field.ref('unified_job', { ...ro, sql: projectUpdate }),
  scm_revision: field.string(ro),
  preview: field.boolean({ ...flag('preview'), help: 'It only looked what an update would do.' }),
  changes: field.json({
    ...ro,
    nullable: true,
    filterable: false,
    sql: `({alias}.data->'changes')`,
    help: 'What became of hosts and groups, or of a preview would: found, added, changed, removed.',
  }),
};

export const updateDescriptor: RunDescriptor = {
  path: 'inventory_updates',
  label: 'Inventory update',
  description: 'One reading of an inventory source: what it found, and what became of the inventory.',
  fields: updateFields,
  spans: {
    credentials: {
      resource: 'credential',
      through: { table: 'run_credentials', parent: 'run_id', child: 'credential_id' },
    },
  },
  sublists: {
    credentials: {
      resource: 'credential',
      through: { table: 'run_credentials', parent: 'run_id', child: 'credential_id' },
    },
  },
  extraSql: updateSql,
  related: ({ source_project_update: update }) => ({
    source_project_update: update ? `/api/v2/project_updates/${String(update)}/` : null,
  }),
  summaries: updateSummaries,
};
