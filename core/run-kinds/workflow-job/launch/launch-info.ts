import type { Columns, Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { prompts } from '../../../runs/prompts/prompts.ts';
import { valuesOf } from '../../../runs/saved-prompts/fields.ts';
import { askedBy } from '../../../surveys/survey.ts';
import { workflowPrompts } from '../prompts.ts';
import type { WorkflowServices } from '../services.ts';
import { loadWorkflow } from './load.ts';

interface CheckedNode extends Row {
  template: (Columns & { [flag: string]: unknown }) | null;
  has_credentials: boolean;
}

/** contract B5: what a launch of this workflow will ask for. */
export async function launchInfo({ db }: WorkflowServices, id: number): Promise<Record<string, unknown>> {
  const template = await loadWorkflow({ db, template: id });
  const questions = askedBy(template);
  const required = questions.filter((question) => question.required).map(({ variable }) => variable);
  const nodes = await nodesOf(db, id);
  return {
    can_start_without_user_input: !required.length,
    ...Object.fromEntries(workflowPrompts.map(({ flag }) => [flag, template[flag]])),
    survey_enabled: questions.length > 0,
    variables_needed_to_start: required,
    node_templates_missing: nodes.filter((node) => !node.template).map((node) => node.id),
    node_prompts_rejected: nodes.filter(isRejected).map((node) => node.id),
    workflow_job_template_data: { id, name: template.name, description: template['description'] },
    defaults: {
      extra_vars: template['extra_vars'],
      inventory: { id: template.inventory?.id ?? null, name: template.inventory?.name ?? null },
      limit: template['limit'],
      scm_branch: template['scm_branch'],
      job_tags: template['job_tags'],
      skip_tags: template['skip_tags'],
      ...(template.labels.length ? { labels: template.labels } : {}),
    },
  };
}

async function nodesOf(db: Knex, workflow: number): Promise<CheckedNode[]> {
  return db('workflow_job_template_nodes as n')
    .where('n.workflow_job_template_id', workflow)
    .orderBy('n.id')
    .select(
      'n.*',
      db.raw(
        `(select to_jsonb(t) - '{playbook_files,inventory_files,survey_spec,extra_vars,webhook_key,data}'::text[] from templates t where t.id = n.unified_job_template_id) as template`,
      ),
      db.raw(`exists (select from workflow_node_credentials c where c.node_id = n.id) as has_credentials`),
    );
}

/** A prompt that it keeps and its template does not ask for, unless that has the same of itself. */
function isRejected({ template, has_credentials: credentials, ...node }: CheckedNode): boolean {
  if (!template) return false;
  const kept = valuesOf(node);
  return (
    (credentials && !template['ask_credential_on_launch']) ||
    prompts.some(
      ({ name, column = name, flag }) =>
        name in kept && !template[flag] && JSON.stringify(kept[name]) !== JSON.stringify(template[column] ?? null),
    )
  );
}
